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


def test_an_offset_keeps_what_pruning_would_lose(movielens: vt.SparseTensor) -> None:
    train, test = vt.train_test_split(movielens, test=0.1, seed=0)
    errors = {}
    for offset in ("mean", "biases"):
        model = vt.fit(train, RANKS, loss="lf", sparsity=0.8, offset=offset, seed=1)
        assert model.offset is not None
        assert model.error == pytest.approx(vt.relative_error(model, train), rel=1e-9)
        assert model.error <= model.offset.error
        alone = np.linalg.norm(test.values - model.offset.values_at(test.coords)) / test.norm
        errors[offset] = (vt.relative_error(model, test), float(alone))
    assert errors["mean"][0] <= 0.29
    assert max(errors["biases"]) <= 0.246


def test_no_pruning_with_lf(movielens: vt.SparseTensor) -> None:
    model = vt.fit(movielens, RANKS, loss="lf", sparsity=0.0, tol=None, max_iter=100, seed=1)
    assert vt.relative_error(model, movielens) <= 0.226
