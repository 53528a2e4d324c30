"""The plain call on whatever tensor: it fails loudly or predicts well, never silently badly."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt

Shape = tuple[int, ...]


def cells(shape: Shape, nnz: int, rng: np.random.Generator) -> np.ndarray:
    found = rng.choice(int(np.prod(shape)), nnz, replace=False)
    return np.stack(np.unravel_index(found, shape), axis=1)


def check(model: vt.TuckerModel, X: vt.SparseTensor) -> np.ndarray:
    """Want all that a model says to be numbers, and to hold together; return its predictions."""
    predicted, std, low, high = model.predict(X, return_std=True, interval=0.9)
    for each in (predicted, std, low, high):
        assert np.isfinite(each).all()
    assert (low <= predicted).all()
    assert (predicted <= high).all()
    assert model.error == pytest.approx(vt.relative_error(model, X), rel=1e-6, abs=1e-9)
    assert "Tucker model" in str(model)
    assert (np.abs(predicted) <= 10.0 * np.abs(X.values).max()).all()
    return predicted


def rms(values: Any) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


# --- Units ----------------------------------------------------------------------------------------


def ratings() -> vt.SparseTensor:
    """Values with a mean, effects and pairs."""
    rng = np.random.default_rng(8)
    shape = (40, 30, 5)
    coords = cells(shape, 2500, rng)
    values = 3.5 + sum(0.5 * rng.normal(size=dim)[coords[:, n]] for n, dim in enumerate(shape))
    a, b = rng.normal(size=(40, 2)), rng.normal(size=(30, 2))
    values += 0.5 * np.sum(a[coords[:, 0]] * b[coords[:, 1]], axis=1)
    return vt.SparseTensor(coords, values + 0.3 * rng.normal(size=2500), shape)


@pytest.fixture(scope="module", params=["planted", "ratings"])
def hours(request: pytest.FixtureRequest) -> tuple[vt.SparseTensor, np.ndarray]:
    X = ratings()
    if request.param == "planted":
        X = vt.datasets.synthetic((20, 15, 10), 2, nnz=1500, noise=0.2, seed=4)[0]
    model = vt.fit(X, seed=0)
    assert model.constant == (request.param == "ratings")
    return X, check(model, X)


@pytest.mark.parametrize(
    "unit",
    [*(pytest.param(each, marks=pytest.mark.slow) for each in (1 / 60, 60_000.0)), 1e12, 1e-12],
)
def test_the_unit_of_the_values_does_not_matter(
    hours: tuple[vt.SparseTensor, np.ndarray], unit: float
) -> None:
    X, predicted = hours
    Y = vt.SparseTensor(X.coords, unit * X.values, X.shape)
    again = check(vt.fit(Y, seed=0), Y) / unit
    assert np.abs(again - predicted).max() <= 1e-6 * np.abs(predicted).max()


@pytest.mark.parametrize("shift", [-3.5, 100.0])
def test_centred_or_not_is_found_as_well(shift: float) -> None:
    X = ratings()
    train, test = vt.train_test_split(X, test=0.2, seed=0)
    errors = []
    for by in (0.0, shift):
        model = vt.fit(vt.SparseTensor(train.coords, train.values + by, X.shape), seed=0)
        errors.append(rms(model.predict(test.coords) - test.values - by))
    assert errors[1] <= 1.05 * errors[0]


# --- Values ---------------------------------------------------------------------------------------


def test_counts() -> None:
    rng = np.random.default_rng(0)
    shape = (30, 20, 8)
    coords = cells(shape, 3000, rng)
    rate = np.prod([rng.gamma(2.0, 0.5, dim)[coords[:, n]] for n, dim in enumerate(shape)], axis=0)
    X = vt.SparseTensor(coords, rng.poisson(rate).astype(float), shape)
    predicted = check(vt.fit(X, seed=0), X)
    assert rms(predicted - rate) < 0.5 * rms(rate - rate.mean())


@pytest.mark.parametrize("value", [3.0, 0.1, -7.3])
def test_equal_values(value: float) -> None:
    X = vt.SparseTensor(cells((9, 8, 7), 100, np.random.default_rng(0)), np.full(100, value))
    model = vt.fit(X, seed=0)
    np.testing.assert_allclose(check(model, X), value, rtol=1e-6)
    np.testing.assert_allclose(model.predict([[0, 0, 0]]), value, rtol=1e-6)


def test_two_distinct_values() -> None:
    rng = np.random.default_rng(0)
    coords = cells((20, 20), 300, rng)
    values = np.where(rng.random(20)[coords[:, 0]] < 0.5, 1.0, 5.0)
    X = vt.SparseTensor(coords, values, (20, 20))
    assert rms(check(vt.fit(X, seed=0), X) - values) < 0.2


def test_all_zero_but_one() -> None:
    values = np.zeros(120)
    values[7] = 2.0
    X = vt.SparseTensor(cells((10, 9, 8), 120, np.random.default_rng(0)), values)
    check(vt.fit(X, seed=0), X)


def test_all_zero_is_said() -> None:
    X = vt.SparseTensor(cells((10, 9), 20, np.random.default_rng(0)), np.zeros(20))
    with pytest.raises(vt.errors.AllZeroError):
        vt.fit(X)


# --- Shapes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("nnz", [1, 2, 9, 10, 12, 50, 200])
def test_few_entries(nnz: int) -> None:
    rng = np.random.default_rng(nnz)
    X = vt.SparseTensor(cells((12, 10, 8), nnz, rng), 3.0 + rng.normal(size=nnz), (12, 10, 8))
    check(vt.fit(X, seed=0), X)


@pytest.mark.parametrize("order", [2, 3, 4, 5, 6])
def test_orders(order: int) -> None:
    rng = np.random.default_rng(order)
    shape = (9, 8, 5, 4, 3, 2)[:order]
    coords = cells(shape, min(400, int(np.prod(shape)) - 5), rng)
    values = np.prod([(1 + rng.random(d))[coords[:, n]] for n, d in enumerate(shape)], axis=0)
    X = vt.SparseTensor(coords, values + 0.01 * rng.normal(size=len(values)), shape)
    predicted = check(vt.fit(X, seed=0), X)
    assert rms(predicted - values) <= 0.1 * rms(values)


@pytest.mark.parametrize("shape", [(1, 1), (1, 1, 1), (1, 40), (30, 1, 20), (20, 2, 15), (2, 2, 2)])
def test_short_modes(shape: Shape) -> None:
    rng = np.random.default_rng(0)
    coords = np.argwhere(np.ones(shape))
    values = 2.0 + sum(rng.normal(size=dim)[coords[:, n]] for n, dim in enumerate(shape))
    X = vt.SparseTensor(coords, values + 0.1 * rng.normal(size=len(coords)), shape)
    check(vt.fit(X, seed=0), X)


@pytest.mark.slow
def test_the_fuzz() -> None:
    """Random shapes and values, many of them degenerate."""
    for case in range(40):
        rng = np.random.default_rng(case)
        shape = tuple(rng.integers(1, 8, rng.integers(2, 7)).tolist())
        nnz = int(min(np.prod(shape), rng.choice([1, 3, 10, 11, 30, 90])))
        values = [
            rng.normal(size=nnz), np.full(nnz, 0.1), np.where(rng.random(nnz) < 0.5, 1.0, 5.0),
            rng.poisson(0.5, nnz) + (np.arange(nnz) == 0.0),
        ][case % 4]  # fmt: skip
        weights = rng.uniform(0.1, 9.0, nnz) if case % 3 == 0 else None
        X = vt.SparseTensor(cells(shape, nnz, rng), values, shape, weights=weights)
        check(vt.fit(X, seed=case, threads=1), X)


# --- Never worse than nothing ---------------------------------------------------------------------


def test_exact_values_are_found_exactly() -> None:
    X, truth = vt.datasets.synthetic((20, 15, 10), 2, nnz=1500, noise=0.0, seed=0)
    model = vt.fit(X, seed=0)
    assert model.ranks == (2, 2, 2)
    fresh = np.argwhere(np.ones(X.shape))
    assert rms(model.predict(fresh) - truth.predict(fresh)) <= 1e-3 * rms(truth.predict(fresh))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_noise_alone_is_not_believed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    coords = cells((40, 30, 20), 4000, rng)
    values = 1.0 + rng.normal(size=4000)
    train, test = slice(0, 3000), slice(3000, 4000)
    X = vt.SparseTensor(coords[train], values[train], (40, 30, 20))
    model = vt.fit(X, seed=seed)
    alone = rms(values[test] - values[train].mean())
    assert rms(values[test] - model.predict(coords[test])) <= 1.01 * alone


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_biases_alone_are_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (60, 40, 10)
    coords = cells(shape, 5000, rng)
    values = 3.0 + sum(rng.normal(size=dim)[coords[:, n]] for n, dim in enumerate(shape))
    values += rng.normal(size=5000)
    train, test = slice(0, 4000), slice(4000, 5000)
    X = vt.SparseTensor(coords[train], values[train], shape)
    baseline = vt.fit(
        X, 1, loss="lf", offset="biases", sparsity=0.0, max_iter=1, lam=1e9, seed=0
    ).offset
    assert baseline is not None
    alone = rms(values[test] - baseline.values_at(coords[test]))
    model = vt.fit(X, seed=seed)
    assert rms(values[test] - model.predict(coords[test])) <= 1.01 * alone


# --- What is planted is found ---------------------------------------------------------------------


@pytest.mark.parametrize("seed", [2, 3])
def test_a_planted_model_is_found(seed: int) -> None:
    X, truth = vt.datasets.synthetic(
        (60, 50, 40), 3, nnz=20_000, noise=0.2, sparsity=0.6, seed=seed
    )
    model = vt.fit(X, seed=0)
    assert model.ranks == (3, 3, 3)
    fresh = np.random.default_rng(0).integers(0, X.shape, (20_000, 3))
    true = truth.predict(fresh)
    assert rms(model.predict(fresh) - true) <= 0.045 * rms(true)
    size = rms(X.values - truth.predict(X))
    assert np.sqrt(model.noise) == pytest.approx(size, rel=0.05)
    # Fresh values lie in their intervals as often as they should.
    values = true + size * np.random.default_rng(1).normal(size=len(true))
    _, low, high = model.predict(fresh, interval=0.9)
    assert 0.86 <= np.mean((low <= values) & (values <= high)) <= 0.94


def test_meals() -> None:
    model = vt.fit(vt.datasets.demo(), seed=0)
    assert model.validation_error <= 0.245
    assert model.validation_error < 0.5 * model.validation_mean


# --- Labels, files --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def labelled() -> vt.SparseTensor:
    X = ratings()
    modes = ("user", "film", "hour")
    labels = [[f"{name} {i}" for i in range(dim)] for name, dim in zip(modes, X.shape, strict=True)]
    return vt.SparseTensor(X.coords, X.values, X.shape, modes=modes, labels=labels)


def test_labels_that_the_fit_has_not_seen(labelled: vt.SparseTensor) -> None:
    model = vt.fit(labelled, seed=0)
    assert model.constant
    known, user, nobody = model.predict(
        [("user 3", "film 5", "hour 1"), ("new", "film 5", "hour 1"), ("new", "new", "new")]
    )
    assert np.isfinite([known, user]).all()
    assert nobody == pytest.approx(model.core[0, 0, 0])
    std = model.predict(
        [("user 3", "film 5", "hour 1"), ("new", "new", "new")], return_std=True
    )[1]  # fmt: skip
    assert std[0] < std[1]
    with pytest.raises(vt.errors.LabelError):
        model.predict([("new", "film 5", "hour 1")], unseen="error")


@pytest.mark.parametrize("how", ["file", "pickle"])
@pytest.mark.parametrize("offset", ["auto", "mean"])
def test_a_model_comes_back_as_it_was(
    labelled: vt.SparseTensor, tmp_path: Path, how: str, offset: Any
) -> None:
    model = vt.fit(labelled, offset=offset, seed=0)
    if how == "file":
        model.save(tmp_path / "model.npz")
        back = vt.TuckerModel.load(tmp_path / "model.npz")
    else:
        back = pickle.loads(pickle.dumps(model))
    assert isinstance(back, vt.TuckerModel)
    assert back.made == model.made
    assert (back.constant, back.shares, back.noise) == (model.constant, model.shares, model.noise)
    assert back.validation_mean == model.validation_mean
    assert back.validation_entries == model.validation_entries
    assert str(back) == str(model)
    for mine, theirs in zip(
        back.predict(labelled, interval=0.5), model.predict(labelled, interval=0.5), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)


# --- Real ratings ---------------------------------------------------------------------------------


def test_movielens(vest_data: Path) -> None:
    table = np.loadtxt(vest_data / "ML_small.tns.gz")
    X = vt.SparseTensor(table[:, :-1].astype(np.int64) - 1, table[:, -1])
    train, test = vt.train_test_split(X, test=0.1, seed=0)
    model = vt.fit(train, seed=0)
    assert vt.relative_error(model, test) <= 0.238
    assert model.sparsity >= 0.7


@pytest.mark.slow
def test_movietweetings(vest_data: Path) -> None:
    train, test = (
        vt.read(vest_data / f"movietweetings_{part}.tns.gz") for part in ("train", "test")
    )
    shape = tuple(max(dims) for dims in zip(train.shape, test.shape, strict=True))
    model = vt.fit(vt.SparseTensor(train.coords, train.values, shape), seed=0)
    assert vt.relative_error(model, vt.SparseTensor(test.coords, test.values, shape)) <= 0.1996
