"""Pairs that are worth most, judged by trying all of them, and by SciPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from vest_tucker.studies.stability.assignment import best_pairs


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 5), (5, 2), (4, 6), (1, 4), (5, 5)])
def test_no_other_pairs_are_worth_more(shape: tuple[int, int], rng: np.random.Generator) -> None:
    for tie in (False, True):
        for _ in range(20):
            worth = rng.integers(0, 3, shape).astype(float) if tie else rng.normal(size=shape)
            rows, columns = best_pairs(worth)
            assert len(rows) == len(set(columns.tolist())) == min(shape)
            assert rows.tolist() == sorted(set(rows.tolist()))
            wide = worth if shape[0] <= shape[1] else worth.T
            every = itertools.permutations(range(wide.shape[1]), wide.shape[0])
            most = max(sum(wide[row, each] for row, each in enumerate(way)) for way in every)
            assert worth[rows, columns].sum() == pytest.approx(most, abs=1e-12)


def test_large_tables_are_worth_what_scipy_finds(rng: np.random.Generator) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    for shape in ((60, 60), (30, 80), (80, 30)):
        worth = np.abs(rng.normal(size=shape))
        rows, columns = best_pairs(worth)
        theirs = optimize.linear_sum_assignment(worth, maximize=True)
        assert rows.tolist() == theirs[0].tolist()
        assert columns.tolist() == theirs[1].tolist()


def test_where_there_is_nothing_there_are_no_pairs() -> None:
    for shape in ((0, 3), (3, 0), (0, 0)):
        rows, columns = best_pairs(np.zeros(shape))
        assert (len(rows), len(columns)) == (0, 0)
