"""The planted model: its zeros, the cells observed and the noise."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.base.checks import MAX_ORDER
from vest_tucker.datasets.observed_cells import Missing
from vest_tucker.datasets.synthetic import planted


def test_the_tensor_is_the_truth_plus_noise() -> None:
    X, truth = vt.datasets.synthetic((40, 30, 20), (3, 2, 2), nnz=5000, noise=0.2, seed=0)
    assert (X.shape, X.nnz, truth.ranks) == ((40, 30, 20), 5000, (3, 2, 2))
    signal = truth.predict(X.coords)
    deviations = X.values - signal
    rms = np.sqrt(np.mean(signal**2))
    assert np.std(deviations) == pytest.approx(0.2 * rms, rel=0.05)
    assert truth.error == pytest.approx(vt.relative_error(truth, X))


def test_without_noise_the_tensor_is_the_truth() -> None:
    X, truth = vt.datasets.synthetic((9, 8), 2, nnz=40, noise=0, seed=0)
    np.testing.assert_array_equal(X.values, truth.predict(X.coords))
    assert truth.error == 0.0


def test_a_seed_decides_everything() -> None:
    X, truth = vt.datasets.synthetic((9, 8, 7), 2, nnz=40, seed=6)
    Y, same = vt.datasets.synthetic((9, 8, 7), 2, nnz=40, seed=6)
    np.testing.assert_array_equal(X.coords, Y.coords)
    np.testing.assert_array_equal(X.values, Y.values)
    np.testing.assert_array_equal(truth.core, same.core)
    Z, _ = vt.datasets.synthetic((9, 8, 7), 2, nnz=40, seed=7)
    assert not np.array_equal(X.coords, Z.coords)


@pytest.mark.parametrize("shape", [(50, 4), (4, 3, 5), (3, 3), (2, 6, 2, 2)])
@pytest.mark.parametrize("sparsity", [0.0, 0.3, 0.6])
def test_planted_zeros_leave_no_slice_empty(
    shape: tuple[int, ...], sparsity: float, rng: np.random.Generator
) -> None:
    part = planted(shape, sparsity, rng)
    assert np.count_nonzero(part == 0.0) == round(sparsity * part.size)
    for mode in range(part.ndim):
        assert (np.moveaxis(part, mode, 0).reshape(shape[mode], -1) != 0.0).any(axis=1).all()


def test_too_few_elements_to_cover_every_slice_are_planted_all_the_same(
    rng: np.random.Generator,
) -> None:
    assert np.count_nonzero(planted((50, 4), 0.9, rng)) == 20
    assert np.count_nonzero(planted((2, 2), 0.99, rng)) == 1


def test_more_cells_than_64_bits_can_count() -> None:
    X, _ = vt.datasets.synthetic((2000,) * 8, 2, nnz=1000, seed=0)
    assert X.nnz == 1000
    assert X.coords.max() > 1900


@pytest.mark.parametrize("order", [33, MAX_ORDER])
def test_as_many_modes_as_a_tensor_may_have(order: int) -> None:
    if order > MAX_ORDER:
        pytest.skip("NumPy before 2.0")
    shape = (2,) * 3 + (1,) * (order - 4) + (5,)
    X, truth = vt.datasets.synthetic(shape, (2,) + (1,) * (order - 1), nnz=40, seed=0)
    assert (X.order, X.nnz, truth.order) == (order, 40, order)
    assert vt.fit(X, 1, lam=0, max_iter=2, seed=0, preset="paper").order == order


@pytest.mark.parametrize("nnz", [0, -1, 61, 2.5])
def test_no_more_entries_than_cells(nnz: int) -> None:
    with pytest.raises(vt.errors.OptionError, match=str(nnz)):
        vt.datasets.synthetic((5, 4, 3), 2, nnz=nnz)


def test_a_planted_sparsity_is_a_number() -> None:
    with pytest.raises(vt.errors.SparsityError, match="auto"):
        vt.datasets.synthetic((5, 4, 3), 2, nnz=9, sparsity="auto")  # type: ignore[arg-type]


def test_the_cells_observed_by_default_stay_what_they_were() -> None:
    X, truth = vt.datasets.synthetic((6, 5, 4), 2, nnz=5, seed=3)
    Y, _ = vt.datasets.synthetic((6, 5, 4), 2, nnz=5, missing="uniform", skew=2.0, seed=3)
    np.testing.assert_array_equal(X.values, Y.values)
    assert X.coords.tolist() == [[5, 0, 1], [3, 4, 3], [0, 3, 0], [2, 1, 0], [3, 2, 2]]
    assert X.values[0] == 0.8325619066242002
    assert truth.core[0, 0, 0] == 1.2345771514092145


@pytest.mark.parametrize("missing", ["skewed", "blocks"])
def test_the_pattern_changes_the_cells_and_not_the_planted_model(missing: Missing) -> None:
    X, truth = vt.datasets.synthetic((30, 20, 10), 2, nnz=900, seed=3)
    Y, same = vt.datasets.synthetic((30, 20, 10), 2, nnz=900, missing=missing, seed=3)
    np.testing.assert_array_equal(truth.core, same.core)
    assert Y.nnz == 900
    assert not np.array_equal(X.coords, Y.coords)
    assert vt.relative_error(same, Y) == pytest.approx(same.error)


@pytest.mark.parametrize("missing", ["random", None, "uniform "])
def test_an_unknown_pattern_is_named(missing: Missing) -> None:
    with pytest.raises(vt.errors.OptionError, match='choose one of "uniform", "skewed", "blocks"'):
        vt.datasets.synthetic((5, 4, 3), 2, nnz=9, missing=missing)


@pytest.mark.parametrize("skew", [-1.0, np.nan, np.inf])
def test_a_skew_is_a_number_of_at_least_zero(skew: float) -> None:
    with pytest.raises(vt.errors.OptionError, match="skew"):
        vt.datasets.synthetic((5, 4, 3), 2, nnz=9, missing="skewed", skew=skew)
