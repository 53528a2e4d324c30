"""The tensors of the evaluation: the same each time, and split without overlap."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.sets.tensors import LIKE_RATINGS, SETS, digest, planted_ratings, planted_small


def test_planted_tensors_are_the_same_each_time() -> None:
    assert digest(planted_small(0.1)) == digest(planted_small(0.1))
    assert digest(planted_ratings(2_000)) != digest(planted_ratings(2_000, seed=1))


def test_planted_values_have_the_size_of_ratings() -> None:
    X = planted_small(0.1)
    assert (X.shape, X.nnz) == ((50, 50, 10), 2_500)
    assert np.sqrt(np.mean(X.values**2)) == pytest.approx(LIKE_RATINGS)


def test_made_up_stars_are_stars() -> None:
    X = planted_ratings(5_000)
    assert X.nnz == 5_000
    assert set(np.unique(2 * X.values)) <= set(range(1, 11))
    often = np.sort(np.bincount(X.coords[:, 0]))[::-1]
    assert often[:600].sum() > 0.3 * X.nnz  # a tenth of the users has far more than a tenth


def test_splits_share_nothing_and_lose_nothing() -> None:
    train, test = SETS["planted-s"].split(3)
    assert (train.nnz, test.nnz) == (2_250, 250)
    cells = {tuple(cell) for part in (train, test) for cell in part.coords.tolist()}
    assert len(cells) == 2_500
    other, _ = SETS["planted-s"].split(4)
    assert digest(other) != digest(train)
    assert digest(SETS["planted-s"].split(3)[0]) == digest(train)
