"""On real ratings: sparsity and error that the method is known to reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt

RANKS = (6, 6, 2, 2)


@pytest.fixture(scope="module")
def movielens(vest_data: Path) -> vt.SparseTensor:
    table = np.loadtxt(vest_data / "ML_small.tns.gz")  # 1-based coordinates, then the rating
    return vt.SparseTensor(table[:, :-1].astype(np.int64) - 1, table[:, -1])


@pytest.fixture(scope="module")
def movietweetings(vest_data: Path) -> tuple[vt.SparseTensor, vt.SparseTensor]:
    train, test = (
        vt.read(vest_data / f"movietweetings_{part}.tns.gz") for part in ("train", "test")
    )
    shape = tuple(max(dims) for dims in zip(train.shape, test.shape, strict=True))
    return (
        vt.SparseTensor(train.coords, train.values, shape),
        vt.SparseTensor(test.coords, test.values, shape),
    )


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
    assert max(errors["biases"]) <= 0.25


def test_no_pruning_with_lf(movielens: vt.SparseTensor) -> None:
    model = vt.fit(movielens, RANKS, loss="lf", sparsity=0.0, tol=None, max_iter=100, seed=1)
    assert vt.relative_error(model, movielens) <= 0.226


@pytest.mark.parametrize(("offset", "most"), [("mean", 0.23), ("biases", 0.21)])
def test_sparse_and_still_far_better_than_the_mean(
    movielens: vt.SparseTensor, offset: Any, most: float
) -> None:
    models = [
        vt.fit(
            movielens, RANKS, loss="lf", sparsity=0.8, allocation="global", offset=offset, seed=seed
        )
        for seed in range(5)
    ]
    assert np.mean([model.error for model in models]) <= most
    assert min(model.sparsity for model in models) >= 0.8
    assert models[0].baseline_error == pytest.approx(0.297, abs=5e-4)


def test_a_searched_penalty_predicts_unseen_entries(
    movietweetings: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    train, test = movietweetings
    model = vt.fit(
        train, RANKS, loss="lf", sparsity=0.8, allocation="global", offset="biases", lam="auto",
        seed=0,
    )  # fmt: skip
    assert model.sparsity >= 0.8
    assert vt.relative_error(model, test) <= 0.204
