"""Rows with variances that learn from new entries."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.learning.noisy import noisy_penalties


@pytest.fixture(scope="module")
def planted() -> tuple[vt.SparseTensor, vt.TuckerModel]:
    return vt.datasets.synthetic((40, 30, 20), 2, nnz=8000, noise=0.2, sparsity=0.5, seed=0)


def error_to_truth(model: vt.TuckerModel, truth: vt.TuckerModel, X: vt.SparseTensor) -> float:
    want = truth.predict(X.coords)
    return float(np.linalg.norm(model.predict(X) - want) / np.linalg.norm(want))


def test_a_prior_in_units_of_the_noise_is_a_penalty() -> None:
    model = vt.TuckerModel(
        np.ones((1, 1)), [np.array([[3.0], [1.0], [0.0]]), np.ones((1, 1))], loss="bayes",
        noise=0.5, core_variance=np.full((1, 1), 0.1),
        factor_variances=[np.array([[0.5], [0.5], [0.0]]), np.zeros((1, 1))],
    )  # fmt: skip
    penalties = noisy_penalties(model, None)
    assert penalties[0].lam.tolist() == [pytest.approx(0.5 * 2 / 11)]
    assert penalties[1].lam[0] > 1e200  # the column has no element that is not known exactly


def test_new_rows_are_learned_as_well_as_in_a_fit(
    planted: tuple[vt.SparseTensor, vt.TuckerModel],
) -> None:
    X, truth = planted
    old = X.subset(X.coords[:, 0] < 32)
    old = vt.SparseTensor(old.coords, old.values, (32, 30, 20))
    new = X.subset(X.coords[:, 0] >= 32)
    model = vt.fit(old, 3, seed=0)
    learned = model.fold_in(0, new)
    assert learned.shape == X.shape
    assert error_to_truth(learned, truth, new) < 0.1
    assert learned.factor_variances is not None
    assert np.array_equal(learned.factor_variances[1], model.factor_variances[1])  # type: ignore[index]
    assert (learned.factor_variances[0][32:] > 0.0).all()
    _, low, high = learned.predict(new, interval=0.9)
    assert 0.8 < np.mean((new.values >= low) & (new.values <= high)) < 0.97


def test_old_rows_move_as_far_as_they_are_unsure(
    planted: tuple[vt.SparseTensor, vt.TuckerModel],
) -> None:
    X, truth = planted
    first = np.arange(X.nnz) % 4 == 0
    model = vt.fit(X.subset(first), 3, seed=0)
    learned = model.update(X.subset(~first))
    assert error_to_truth(learned, truth, X) < error_to_truth(model, truth, X)
    assert learned.factor_variances is not None
    assert model.factor_variances is not None
    for before, after in zip(model.factor_variances, learned.factor_variances, strict=True):
        assert (after <= before + 1e-15).all()  # new entries make surer
    sure = dataclasses.replace(
        model, factor_variances=[1e-12 * each for each in model.factor_variances]
    )
    still = sure.update(X.subset(~first))
    for before, after in zip(model.factors, still.factors, strict=True):
        assert np.allclose(before, after, atol=1e-6)


def test_a_constant_column_stays() -> None:
    rng = np.random.default_rng(0)
    coords = np.argwhere(rng.random((40, 30, 6)) < 0.5).astype(np.int32)
    effects = [rng.normal(size=dim) for dim in (40, 30, 6)]
    values = 3.0 + sum(e[coords[:, n]] for n, e in enumerate(effects))
    values = values + 0.3 * rng.standard_normal(len(coords))
    X = vt.SparseTensor(coords, values, (40, 30, 6))
    old = X.subset(coords[:, 0] < 30)
    model = vt.fit(vt.SparseTensor(old.coords, old.values, (30, 30, 6)), seed=0)
    assert model.constant
    learned = model.fold_in(0, X.subset(coords[:, 0] >= 30))
    assert (learned.factors[0][:, 0] == 1.0).all()
    found = learned.predict(np.array([[row, 0, 0] for row in range(30, 40)]))
    assert np.corrcoef(found, effects[0][30:])[0, 1] > 0.95
    updated = model.update(old)
    assert all((factor[:, 0] == 1.0).all() for factor in updated.factors)


def test_a_row_of_little_evidence_is_not_frozen() -> None:
    rng = np.random.default_rng(1)
    coords = np.argwhere(rng.random((30, 25)) < 0.8).astype(np.int32)
    values = rng.normal(size=30)[coords[:, 0]] + rng.normal(size=25)[coords[:, 1]]
    X = vt.SparseTensor(coords, values + 0.3 * rng.standard_normal(len(coords)), (30, 25))
    model = vt.fit(X, seed=0)
    first = vt.SparseTensor([[30, 0]], model.predict([[0, 0]]) * 0.0 + X.mean, (31, 25))
    once = model.fold_in(0, first)
    many = np.array([[30, column] for column in range(1, 25)], dtype=np.int32)
    level = X.mean + 3.0
    later = once.update(vt.SparseTensor(many, np.full(24, level), (31, 25)))
    assert later.predict([[30, 5]])[0] - once.predict([[30, 5]])[0] > 1.0


def test_without_variances_nothing_can_be_weighed(
    planted: tuple[vt.SparseTensor, vt.TuckerModel],
) -> None:
    X, _ = planted
    model = dataclasses.replace(vt.fit(X, 2, seed=0), factor_variances=None)
    with pytest.raises(vt.errors.VarianceError, match="fit again"):
        model.update(X)
