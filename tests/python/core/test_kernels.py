"""Every kernel of the solver against the slow transcription of the paper in reference.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import reference
from conftest import SmallProblem
from helpers import (
    LAM,
    assert_close,
    assert_same_measures,
    assert_same_state,
    losses,
    orders,
    solver_of,
    threads_,
    weighted_,
)
from reference import Problem
from vest_tucker import _core

# --- One kernel at a time ------------------------------------------------------------------------


@weighted_
@threads_
@losses
@orders
def test_update_factor(
    order: int,
    loss: str,
    threads: int,
    weighted: bool,
    rng: np.random.Generator,
    small_problem: SmallProblem,
) -> None:
    for mode in range(order):
        p = small_problem(order, rng, pruned=0.25, weighted=weighted)
        solver = solver_of(p, loss, threads=threads)
        solver.update_factor(mode)
        reference.update_factor(p, mode, loss, LAM)
        assert_same_state(solver, p)
        assert not solver.factor(0)[-1].any() or mode != 0  # no entry feels the empty row


@weighted_
@threads_
@losses
@orders
def test_update_core(
    order: int,
    loss: str,
    threads: int,
    weighted: bool,
    rng: np.random.Generator,
    small_problem: SmallProblem,
) -> None:
    for pruned in (0.0, 0.4):
        p = small_problem(order, rng, pruned=pruned, weighted=weighted)
        solver = solver_of(p, loss, threads=threads)
        solver.update_core()
        reference.update_core(p, loss, LAM)
        assert_same_state(solver, p)


@weighted_
@threads_
@orders
def test_error_and_responsibilities(
    order: int,
    threads: int,
    weighted: bool,
    rng: np.random.Generator,
    small_problem: SmallProblem,
) -> None:
    for pruned in (0.0, 0.3):
        p = small_problem(order, rng, pruned=pruned, weighted=weighted)
        assert_same_measures(solver_of(p, threads=threads), p)


@weighted_
@threads_
@orders
def test_prune_and_revive(
    order: int,
    threads: int,
    weighted: bool,
    rng: np.random.Generator,
    small_problem: SmallProblem,
) -> None:
    p = small_problem(order, rng, pruned=0.2, weighted=weighted)
    solver = solver_of(p, threads=threads)
    before = [mask.copy() for mask in p.pruned]
    counts = [int(rng.integers(0, np.sum(~mask) + 1)) for mask in p.pruned]
    solver.prune(counts)
    reference.prune(p, counts)
    assert_same_state(solver, p)
    assert_same_measures(solver, p)
    assert solver.revive() == reference.revive(p) == sum(counts)
    assert_same_state(solver, p)  # values stay zero until the next update
    for part, mask in enumerate(before):
        np.testing.assert_array_equal(solver.pruned(part), mask)
    assert solver.revive() == 0


@threads_
@orders
def test_predict(
    order: int, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(order, rng, pruned=0.2)
    everywhere = np.stack([rng.integers(0, dim, 400) for dim in p.shape], axis=1, dtype=np.int32)
    want = reference.predict(Problem(everywhere, np.zeros(400), p.core, p.factors))
    got = _core.predict(p.core, p.factors, everywhere, threads=threads)
    assert_close(got, want, tol=1e-12)


def test_predict_of_nothing(rng: np.random.Generator, small_problem: SmallProblem) -> None:
    p = small_problem(3, rng)
    assert _core.predict(p.core, p.factors, np.empty((0, 3), dtype=np.int32)).shape == (0,)


@threads_
@orders
def test_predict_variances(
    order: int, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(order, rng, pruned=0.3)
    variances = [rng.random(part.shape) * (rng.random(part.shape) < 0.7) for part in p.parts]
    got = _core.predict_variances(
        p.core, p.factors, variances[0], variances[1:], p.coords, threads=threads
    )
    assert_close(got, reference.variance(p, variances), tol=1e-12)


def test_predict_variances_need_the_shapes_of_the_parts(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p, q = (small_problem(3, rng, ranks=ranks) for ranks in ((2, 2, 2), (2, 2, 3)))
    with pytest.raises(ValueError, match="the shapes of the core and the factors"):
        _core.predict_variances(p.core, p.factors, q.core, q.factors, p.coords)
    with pytest.raises(ValueError, match="one column per mode"):
        _core.predict_variances(p.core, p.factors, p.core, p.factors, p.coords[:, :2].copy())


# --- Any order of steps --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(16))
def test_any_sequence_of_steps(seed: int, small_problem: SmallProblem) -> None:
    """Sums a solver keeps between steps must never be stale, whatever the step before."""
    rng = np.random.default_rng(seed)
    order = 2 + seed % 4
    loss = ("lf", "l1")[seed // 4 % 2]
    p = small_problem(order, rng, weighted=seed >= 12)
    solver = solver_of(p, loss, threads=1 + seed % 3)

    def factor() -> None:
        mode = int(rng.integers(order))
        solver.update_factor(mode)
        reference.update_factor(p, mode, loss, LAM)

    def core() -> None:
        solver.update_core()
        reference.update_core(p, loss, LAM)

    def prune() -> None:
        counts = [int(rng.integers(0, 2 + np.sum(~mask) // 8)) for mask in p.pruned]
        solver.prune(counts)
        reference.prune(p, counts)

    def revive() -> None:
        assert solver.revive() == reference.revive(p)

    def mark() -> None:
        part = int(rng.integers(order + 1))
        revive()  # so that no mark is both of the last batch and set by hand
        p.pruned[part] = rng.random(p.parts[part].shape) < 0.2
        p.parts[part][p.pruned[part]] = 0.0
        solver.set_pruned(part, p.pruned[part])

    steps: list[Callable[[], None]] = [factor, core, prune, revive, mark]
    for pick in rng.choice(5, size=14, p=[0.35, 0.25, 0.2, 0.1, 0.1]):
        steps[pick]()
        if rng.random() < 0.5:
            assert_same_measures(solver, p)
        assert_same_state(solver, p, tol=1e-8)


# --- The builds for different processors ---------------------------------------------------------


@pytest.mark.parametrize("isa", _core.isas())
@orders
def test_every_build_of_the_kernels_agrees(
    isa: str, order: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(order, rng)
    solver = solver_of(p, isa=isa, threads=2)
    assert solver.isa == isa
    for mode in range(order):
        solver.update_factor(mode)
        reference.update_factor(p, mode, "lf", LAM)
    solver.update_core()
    reference.update_core(p, "lf", LAM)
    assert_same_state(solver, p)
    assert_same_measures(solver, p)


def test_a_build_that_is_not_here_is_refused(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    with pytest.raises(ValueError, match=r"sse9.*base"):
        solver_of(small_problem(3, rng), isa="sse9")
