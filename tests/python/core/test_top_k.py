"""The best items of many queries: those that sorting all scores would give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers import threads_
from vest_tucker import _core

NONE: Any = np.empty(0)


def sorted_scores(scores: Any, k: int) -> tuple[Any, Any]:
    """Sort every row, stably; items whose score is minus infinity are left out."""
    items = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    best = np.take_along_axis(scores, items, axis=1)
    items = np.where(np.isneginf(best), -1, items)
    missing = ((0, 0), (0, k - items.shape[1]))
    return (
        np.pad(items, missing, constant_values=-1),
        np.pad(best, missing, constant_values=-np.inf),
    )


@threads_
@pytest.mark.parametrize(("n", "size", "rank", "k"), [(150, 700, 6, 10), (3, 5, 1, 8)])
@pytest.mark.parametrize("whole", [False, True], ids=["", "ties"])
def test_as_sorting_all_scores(
    n: int, size: int, rank: int, k: int, whole: bool, threads: int, rng: np.random.Generator
) -> None:
    queries, items, offsets = (
        rng.integers(-3, 4, shape).astype(float) if whole else rng.normal(size=shape)
        for shape in ((n, rank), (size, rank), size)
    )
    scores = queries @ items.T + offsets
    got_items, got_scores = _core.top_k(queries, items, offsets, k, threads=threads)
    want_items, want_scores = sorted_scores(scores, k)
    np.testing.assert_array_equal(got_items, want_items)
    np.testing.assert_allclose(got_scores, want_scores, rtol=1e-12, atol=1e-12)

    seen = rng.random(scores.shape) < 0.4
    seen[-1] = True  # nothing is left for the last query
    indptr = np.concatenate([[0], np.cumsum(seen.sum(axis=1))])
    excluded = np.nonzero(seen)[1].astype(np.int32)
    got_items, got_scores = _core.top_k(
        queries, items, offsets, k, indptr, excluded, threads=threads
    )
    want_items, want_scores = sorted_scores(np.where(seen, -np.inf, scores), k)
    np.testing.assert_array_equal(got_items, want_items)
    np.testing.assert_allclose(got_scores, want_scores, rtol=1e-12, atol=1e-12)


def test_offsets_may_be_left_out(rng: np.random.Generator) -> None:
    queries, items = rng.normal(size=(9, 4)), rng.normal(size=(20, 4))
    for got, want in zip(
        _core.top_k(queries, items, NONE, 5),
        _core.top_k(queries, items, np.zeros(20), 5),
        strict=True,
    ):
        np.testing.assert_array_equal(got, want)


def test_nothing_to_rank() -> None:
    items, scores = _core.top_k(np.empty((0, 3)), np.ones((4, 3)), NONE, 2)
    assert items.shape == scores.shape == (0, 2)
    items, scores = _core.top_k(np.ones((2, 3)), np.empty((0, 3)), NONE, 2)
    assert (items == -1).all()
    assert np.isneginf(scores).all()


def test_what_does_not_fit() -> None:
    two = np.ones((2, 3))
    lists = np.array([0, 1]), np.zeros(1, np.int32)  # one query's, of two
    wrong: list[tuple[Any, ...]] = [
        (two, np.ones((2, 4)), NONE, 1),
        (two[0], two, NONE, 1),
        (two, two, np.ones(3), 1),
        (two, two, NONE, -1),
        (two, two, NONE, 1, *lists),
    ]
    for arguments in wrong:
        with pytest.raises(ValueError):
            _core.top_k(*arguments)
