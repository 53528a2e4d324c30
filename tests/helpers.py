"""What tests share: a solver beside the reference, and when arrays, states or tensors agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import reference
import vest_tucker as vt
from reference import Problem
from vest_tucker import _core
from vest_tucker.base.options import penalty_kind
from vest_tucker.fitting import problem
from vest_tucker.fitting.options import FitOptions

LAM = 0.4

orders = pytest.mark.parametrize("order", [2, 3, 4, 5])
losses = pytest.mark.parametrize("loss", ["lf", "l1"])
weighted_ = pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
threads_ = pytest.mark.parametrize("threads", [1, 2, 7])  # an odd count finds seams


def problem_of(
    X: vt.SparseTensor, ranks: Any, options: dict[str, Any] | None = None, **constraints: Any
) -> problem.Problem:
    """Make the problem that a call of `fit` with these options solves."""
    return problem.check_and_make_problem(X, ranks, FitOptions(**(options or {})), **constraints)


def solver_of(
    p: Problem, loss: str = "lf", lam: float = LAM, threads: int = 1, isa: str = ""
) -> _core.Solver:
    """Make a solver that stands where the problem does, its marks included."""
    tensor = _core.SparseTensor(p.coords, p.values, p.shape, p.weights)
    core, factors = p.core.copy(), [a.copy() for a in p.factors]  # the solver works in them
    solver = _core.Solver(
        tensor, core, factors, kind=penalty_kind(loss).penalty, lam=lam, threads=threads, isa=isa
    )
    for part, mask in enumerate(p.pruned):
        if mask.any():
            solver.set_pruned(part, mask)
    return solver


def assert_close(got: NDArray[np.float64], want: NDArray[np.float64], tol: float = 1e-10) -> None:
    """Relative to the largest element: small ones are differences of large ones."""
    np.testing.assert_allclose(got, want, rtol=tol, atol=tol * max(np.abs(want).max(), 1e-300))


def parts_of(solver: _core.Solver) -> list[NDArray[np.float64]]:
    """Return views of the core and of every factor."""
    return [solver.core, *(solver.factor(n) for n in range(solver.order))]


def assert_same_state(solver: _core.Solver, p: Problem, tol: float = 1e-10) -> None:
    """Compare elements, marks and counts of all parts with those of the reference."""
    for part, (got, want) in enumerate(zip(parts_of(solver), p.parts, strict=True)):
        assert_close(got, want, tol)
        np.testing.assert_array_equal(solver.pruned(part), p.pruned[part])
        assert not got[solver.pruned(part)].any()
        assert solver.n_pruned[part] == p.pruned[part].sum()
        assert solver.n_zeros[part] == np.sum(got == 0.0)
        assert solver.sizes[part] == want.size


def assert_same_measures(solver: _core.Solver, p: Problem) -> None:
    """Compare the error and every responsibility with those of the reference."""
    assert solver.error() == pytest.approx(reference.error(p), rel=1e-10)
    for part in range(solver.order + 1):
        got = solver.responsibilities(part)
        assert got.shape == p.parts[part].shape
        assert_close(got, reference.responsibilities(p, part))
        assert not got[p.pruned[part]].any()


def assert_same(got: vt.SparseTensor, want: vt.SparseTensor) -> None:
    """Compare all there is of two tensors, bit for bit; text may be held as it likes."""
    assert (got.shape, got.modes) == (want.shape, want.modes)
    assert got.coords.tobytes() == want.coords.tobytes()
    assert got.values.tobytes() == want.values.tobytes()
    assert (got.weights is None) == (want.weights is None)
    if got.weights is not None and want.weights is not None:
        assert got.weights.tobytes() == want.weights.tobytes()
    for theirs, mine in zip(got.labels, want.labels, strict=True):
        assert (theirs is None) == (mine is None)
        if theirs is not None and mine is not None:
            assert theirs.dtype.kind == mine.dtype.kind
            assert theirs.tolist() == mine.tolist()


def assert_names(error: BaseException, *fragments: object) -> None:
    """Want every fragment in the message of an error."""
    message = str(error)
    for fragment in fragments:
        assert str(fragment) in message, f"{fragment!r} is not in: {message}"
