"""V and b of chosen rows, against plain loops over the entries."""

from __future__ import annotations

import numpy as np
import pytest

import reference_update as slow
from conftest import SmallProblem
from helpers import LAM, assert_close, losses, orders, solver_of, threads_, weighted_
from vest_tucker import _core
from vest_tucker.base.options import penalty_kind


@orders
@threads_
@weighted_
def test_sums_over_the_entries_of_rows(
    order: int,
    threads: int,
    weighted: bool,
    rng: np.random.Generator,
    small_problem: SmallProblem,
) -> None:
    p = small_problem(order, rng, nnz=80, pruned=0.2, weighted=weighted)
    solver = solver_of(p, threads=threads)
    for mode, dim in enumerate(p.shape):
        rows = np.arange(0, dim, 2, dtype=np.int32)
        V, b = solver.row_sums(mode, rows)
        assert V.shape == (len(rows), *2 * p.core.shape[mode : mode + 1])
        for i, row in enumerate(rows):
            here = np.flatnonzero(p.coords[:, mode] == row)
            rank = p.core.shape[mode]
            want = np.zeros((len(here), rank))
            for k, entry in enumerate(here):
                want[k] = slow.delta(p.core, p.factors, p.coords[entry].tolist(), mode)
            want[:, p.pruned[mode + 1][row]] = 0.0
            assert_close(V[i], want.T @ (p.w[here, None] * want))
            assert_close(b[i], want.T @ (p.w[here] * p.values[here]))
    one = solver_of(p).row_sums(0, np.arange(p.shape[0], dtype=np.int32))
    many = solver.row_sums(0, np.arange(p.shape[0], dtype=np.int32))
    for mine, other in zip(one, many, strict=True):
        np.testing.assert_array_equal(mine, other)


@losses
def test_sums_and_one_sweep_are_the_row_update(
    loss: str, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(3, rng)
    solver = solver_of(p, loss)
    for mode, dim in enumerate(p.shape):
        rows, start = np.arange(dim, dtype=np.int32), solver.factor(mode).copy()
        V, b = solver.row_sums(mode, rows)
        start[np.einsum("ijj->ij", V) == 0.0] = 0.0  # no entry feels these elements
        got = _core.solve_rows(
            V, b, start, np.ones(start.shape, bool), kind=penalty_kind(loss).penalty,
            lam=np.full(start.shape[1], LAM), sweeps=1,
        )  # fmt: skip
        solver.update_factor(mode)
        assert_close(got, solver.factor(mode))


def test_sums_follow_the_model_as_it_changes(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(3, rng)
    solver = solver_of(p)
    rows = np.arange(4, dtype=np.int32)
    before = solver.row_sums(0, rows)[0].copy()
    solver.update_factor(0)
    np.testing.assert_array_equal(solver.row_sums(0, rows)[0], before)  # deltas hold no such row
    solver.update_factor(1)
    assert not np.array_equal(solver.row_sums(0, rows)[0], before)


def test_rows_that_are_not_there_are_named(
    rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    solver = solver_of(small_problem(3, rng, shape=(6, 5, 4)))
    V, b = solver.row_sums(0, np.empty(0, np.int32))
    assert (len(V), len(b)) == (0, 0)
    for rows in ([6], [-1], [2, 2], [3, 1]):
        with pytest.raises(ValueError, match="is not one of its 6 or not above the one before"):
            solver.row_sums(0, np.array(rows, np.int32))
    with pytest.raises(IndexError, match="no mode 3"):
        solver.row_sums(3, np.zeros(1, np.int32))
    with pytest.raises(TypeError):
        solver.row_sums(0, np.zeros(1, np.int64))
