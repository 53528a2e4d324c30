"""On the paper's MovieLens tensor: sparsity and error that the method is known to reach."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import vest_tucker as vt

RANKS = (6, 6, 2, 2)


@pytest.fixture(scope="module")
def movielens(vest_data: Path) -> vt.SparseTensor:
    table = np.loadtxt(vest_data / "ML_small.tns.gz")  # 1-based coordinates, then the rating
    return vt.SparseTensor(table[:, :-1].astype(np.int64) - 1, table[:, -1])


def test_automatic_pruning_with_l1(movielens: vt.SparseTensor) -> None:
    model = vt.fit(movielens, RANKS, loss="l1", sparsity="auto", seed=1)
    assert model.sparsity >= 0.70
    assert vt.relative_error(model, movielens) <= 0.29
    assert model.error == pytest.approx(vt.relative_error(model, movielens), rel=1e-9)


def test_no_pruning_with_lf(movielens: vt.SparseTensor) -> None:
    model = vt.fit(movielens, RANKS, loss="lf", sparsity=0.0, tol=None, max_iter=100, seed=1)
    assert vt.relative_error(model, movielens) <= 0.226
