"""Problems out of the ordinary, which a fast solver may treat in a way of its own."""

from __future__ import annotations

import copy

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
)

# Name -> shape, ranks, entries.
SPECIAL: dict[str, tuple[tuple[int, ...], tuple[int, ...], int]] = {
    "rank 1 everywhere": ((8, 7, 6), (1, 1, 1), 150),
    "rank 1 in a matrix": ((20, 15), (1, 1), 120),
    "rank 1 in one mode": ((8, 7, 6), (3, 1, 2), 150),
    "a mode of dimension 1": ((10, 1, 8), (3, 1, 2), 60),
    "all modes but one of dimension 1": ((12, 1, 1), (2, 1, 1), 30),
    "rank 18": ((25, 9, 8), (18, 2, 3), 300),
    "rank 33": ((40, 8), (33, 3), 250),
    "ranks 9, 10, 11": ((12, 13, 14), (9, 10, 11), 300),
    "core of 2197 and few entries": ((15, 15, 15), (13, 13, 13), 50),
    "core of 4096, four modes": ((9, 9, 9, 9), (8, 8, 8, 8), 40),
    "ten modes": ((4,) * 10, (2, 3, 2, 2, 1, 2, 2, 3, 2, 2), 60),
    "tuples never repeat": ((300, 400, 500), (3, 2, 2), 200),
    "one entry": ((3, 4, 5), (2, 2, 2), 1),
}
special = pytest.mark.parametrize("name", SPECIAL)


@losses
@special
def test_special_problems(
    name: str, loss: str, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    shape, ranks, nnz = SPECIAL[name]
    order = len(shape)
    start = small_problem(order, rng, shape=shape, ranks=ranks, nnz=nnz, pruned=0.1)
    scores = [reference.responsibilities(start, part) for part in range(order + 1)]
    want = {mode: copy.deepcopy(start) for mode in (0, order // 2, order - 1)}
    for mode, p in want.items():
        reference.update_factor(p, mode, loss, LAM)
    swept = copy.deepcopy(start)
    reference.update_core(swept, loss, LAM)
    for threads in (1, 2, 7):
        solver = solver_of(start, loss, threads=threads)
        for part, score in enumerate(scores):
            assert_close(solver.responsibilities(part), score)
        solver.update_core()
        assert_same_state(solver, swept, tol=1e-9)
        assert solver.error() == pytest.approx(reference.error(swept), rel=1e-9)
        for mode, p in want.items():
            solver = solver_of(start, loss, threads=threads)
            solver.update_factor(mode)
            assert_same_state(solver, p)


@threads_
@losses
def test_zero_core_slices(
    loss: str, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(4, rng)
    p.core[1] = 0.0
    p.core[:, :, 0] = 0.0
    for mode in range(4):
        solver = solver_of(p, loss, threads=threads)
        want = copy.deepcopy(p)
        solver.update_factor(mode)
        reference.update_factor(want, mode, loss, LAM)
        assert_same_state(solver, want)
    assert_same_measures(solver_of(p, loss, threads=threads), p)


@losses
def test_a_core_of_zeros(loss: str, rng: np.random.Generator, small_problem: SmallProblem) -> None:
    p = small_problem(3, rng)
    p.core[...] = 0.0
    solver = solver_of(p, loss, threads=2)
    assert solver.error() == pytest.approx(1.0, rel=1e-15)
    assert not any(solver.responsibilities(part).any() for part in range(4))
    for mode in range(3):
        solver.update_factor(mode)
        assert not solver.factor(mode).any()
    solver.update_core()
    assert not solver.core.any()  # no feature is left; never a division by zero


@threads_
@losses
@orders
def test_without_a_penalty(
    order: int, loss: str, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(order, rng)
    solver = solver_of(p, loss, lam=0.0, threads=threads)
    solver.update_factor(0)
    reference.update_factor(p, 0, loss, 0.0)
    assert_same_state(solver, p)
    assert not solver.factor(0)[-1].any()  # the row without entries: 0, not 0 / 0
    solver.update_core()
    reference.update_core(p, loss, 0.0)
    assert_same_state(solver, p, tol=1e-9)


@threads_
@losses
def test_rows_longer_than_a_chunk_of_work(
    loss: str, threads: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(3, rng, shape=(3, 200, 120), ranks=(2, 3, 2), nnz=30_000, pruned=0.1)
    assert np.bincount(p.coords[:, 0]).max() > 10_000
    solver = solver_of(p, loss, threads=threads)
    assert_same_measures(solver, p)
    for mode in range(3):
        solver.update_factor(mode)
        reference.update_factor(p, mode, loss, LAM)
    solver.update_core()
    reference.update_core(p, loss, LAM)
    assert_same_state(solver, p)
    assert_same_measures(solver, p)


def test_ties_go_to_the_lower_index(rng: np.random.Generator, small_problem: SmallProblem) -> None:
    p = small_problem(3, rng)
    p.factors[1][...] = 0.0  # nothing is predicted: every responsibility is exactly zero
    solver = solver_of(p, threads=2)
    counts = [5, 7, 3, 0]
    solver.prune(counts)
    for part, count in enumerate(counts):
        np.testing.assert_array_equal(np.flatnonzero(solver.pruned(part)), np.arange(count))


def test_the_whole_of_a_part_can_be_pruned(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(3, rng)
    solver = solver_of(p, threads=2)
    solver.prune(solver.sizes)
    assert solver.n_pruned == solver.n_zeros == solver.sizes
    assert solver.error() == pytest.approx(1.0, rel=1e-14)  # only the order of the sum differs
    solver.update_factor(0)
    solver.update_core()
    assert solver.n_zeros == solver.sizes
    with pytest.raises(ValueError, match="1"):
        solver.prune([1, 0, 0, 0])
