"""What tests share: a solver at the state of a problem, and when arrays or tensors agree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import vest_tucker as vt
from reference import Problem
from vest_tucker import _core
from vest_tucker.base.options import loss_kind
from vest_tucker.fitting import problem
from vest_tucker.fitting.options import FitOptions

LAM = 0.4


def problem_of(
    X: vt.SparseTensor, ranks: Any, options: dict[str, Any] | None = None, **constraints: Any
) -> problem.Problem:
    """Make the problem that a call of `fit` with these options solves."""
    return problem.check_and_make_problem(X, ranks, FitOptions(**(options or {})), **constraints)


def solver_of(
    p: Problem, loss: str = "lf", lam: float = LAM, threads: int = 1, isa: str = ""
) -> _core.Solver:
    """Make a solver that stands where the problem does, its marks included."""
    tensor = _core.SparseTensor(p.coords, p.values, p.shape)
    core, factors = p.core.copy(), [a.copy() for a in p.factors]  # the solver works in them
    solver = _core.Solver(
        tensor, core, factors, loss=loss_kind(loss).solver, lam=lam, threads=threads, isa=isa
    )
    for part, mask in enumerate(p.pruned):
        if mask.any():
            solver.set_pruned(part, mask)
    return solver


def assert_close(got: NDArray[np.float64], want: NDArray[np.float64], tol: float = 1e-10) -> None:
    """Relative to the largest element: small ones are differences of large ones."""
    np.testing.assert_allclose(got, want, rtol=tol, atol=tol * max(np.abs(want).max(), 1e-300))


def assert_same(got: vt.SparseTensor, want: vt.SparseTensor) -> None:
    """Compare all there is of two tensors, bit for bit; text may be held as it likes."""
    assert (got.shape, got.modes) == (want.shape, want.modes)
    assert got.coords.tobytes() == want.coords.tobytes()
    assert got.values.tobytes() == want.values.tobytes()
    for theirs, mine in zip(got.labels, want.labels, strict=True):
        assert (theirs is None) == (mine is None)
        if theirs is not None and mine is not None:
            assert theirs.dtype.kind == mine.dtype.kind
            assert theirs.tolist() == mine.tolist()
