"""Cells observed twice: what is kept, in which order, and what does not overflow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.data.duplicates import MERGES


@pytest.mark.parametrize(
    ("policy", "values"),
    [
        ("mean", [3, 5, 2, 9]),
        ("median", [2, 5, 2, 9]),
        ("sum", [9, 5, 4, 9]),
        ("count", [3, 1, 2, 1]),
        ("min", [1, 5, 1, 9]),
        ("max", [6, 5, 3, 9]),
        ("first", [1, 5, 3, 9]),
        ("last", [6, 5, 1, 9]),
    ],
)
def test_merged_cells_keep_the_order_of_their_first_appearance(
    policy: Any, values: list[float]
) -> None:
    coords = [[7, 1], [0, 2], [3, 3], [7, 1], [3, 3], [0, 0], [7, 1]]
    X = vt.SparseTensor(coords, [1, 5, 3, 2, 1, 9, 6], duplicates=policy)
    assert X.coords.tolist() == [[7, 1], [0, 2], [3, 3], [0, 0]]
    assert X.values.tolist() == values
    assert X.shape == (8, 4)
    assert X.norm == pytest.approx(np.linalg.norm(values))


def test_the_mean_of_huge_values_is_finite() -> None:
    largest = np.finfo(float).max
    coords = [[0, 0], [0, 0], [1, 1], [1, 1], [1, 1], [2, 2], [2, 2], [2, 2]]
    values = [1.6e308, 1.2e308, largest, largest, largest, 0.1, 0.1, 0.1]
    X = vt.SparseTensor(coords, values, duplicates="mean")
    np.testing.assert_allclose(X.values, [1.4e308, largest, 0.1], rtol=1e-15)


def test_a_sum_that_overflows_is_named_with_its_cell() -> None:
    coords = [[4, 1], [2, 3], [4, 1], [2, 3], [2, 3]]
    with pytest.raises(
        vt.errors.NonFiniteError, match=r"sum of the 3 duplicates of the cell \(2, 3\)"
    ):
        vt.SparseTensor(coords, [1.0, 1e308, 2.0, 1e308, 1e308], duplicates="sum")


def test_cells_of_more_modes_than_fit_a_number(rng: np.random.Generator) -> None:
    coords = rng.integers(0, 2, (300, 6)) * (2**31 - 2)
    X = vt.SparseTensor(coords, np.ones(300), duplicates="sum")
    assert X.coords.tolist() == [list(cell) for cell in dict.fromkeys(map(tuple, coords.tolist()))]
    assert X.values.sum() == 300


# --- Weights -------------------------------------------------------------------------------------

COORDS = [[1, 1], [0, 0], [1, 1], [1, 1], [0, 0]]
VALUES = [4.0, 1.0, 8.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("policy", "values", "weights"),
    [
        ("mean", [3.0, 1.75], [8.0, 4.0]),
        ("median", [2.0, 2.0], [8.0, 4.0]),
        ("sum", [14.0, 3.0], [8.0, 4.0]),
        ("count", [3.0, 2.0], [8.0, 4.0]),
        ("min", [2.0, 1.0], [8.0, 4.0]),
        ("max", [8.0, 2.0], [8.0, 4.0]),
        ("first", [4.0, 1.0], [2.0, 1.0]),
        ("last", [2.0, 2.0], [5.5, 3.0]),
    ],
)
def test_weights_are_merged_with_values(policy: Any, values: Any, weights: Any) -> None:
    X = vt.SparseTensor(COORDS, VALUES, weights=[2, 1, 0.5, 5.5, 3], duplicates=policy)
    assert X.weights is not None
    if policy == "mean":
        values = [(2 * 4 + 0.5 * 8 + 5.5 * 2) / 8, (1 + 3 * 2) / 4]
    assert (X.values.tolist(), X.weights.tolist()) == (values, weights)


def test_averages_are_those_of_entries_repeated_as_often_as_they_weigh(
    rng: np.random.Generator,
) -> None:
    coords, values = rng.integers(0, 4, (200, 2)), rng.integers(0, 9, 200) + 0.5
    times = rng.integers(1, 5, 200)
    for policy in ("mean", "median"):
        got = vt.SparseTensor(coords, values, weights=times, duplicates=policy)
        many = vt.SparseTensor(
            np.repeat(coords, times, axis=0), np.repeat(values, times), duplicates=policy,
            count_as_weight=True,
        )  # fmt: skip
        assert got.weights is not None
        assert many.weights is not None
        assert got.weights.tolist() == many.weights.tolist()
        np.testing.assert_allclose(got.values, many.values, rtol=1e-14)
        for cell, value in zip(got.coords, got.values, strict=True):
            here = np.repeat(values, times * (coords == cell).all(axis=1))
            assert value == pytest.approx(getattr(np, policy)(here), rel=1e-14)


def test_the_number_averaged_can_be_the_weight() -> None:
    X = vt.SparseTensor(COORDS, VALUES, duplicates="mean", count_as_weight=True)
    assert X.weights is not None
    assert X.weights.tolist() == [3.0, 2.0]
    assert vt.SparseTensor(COORDS, VALUES, duplicates="mean").weights is None
    once = vt.SparseTensor([[0, 1], [1, 0]], [1, 2], duplicates="mean", count_as_weight=True)
    assert once.weights is not None
    assert once.weights.tolist() == [1.0, 1.0]
    for policy in ("error", "sum", "first"):
        with pytest.raises(vt.errors.OptionError, match=f"count_as_weight.*'{policy}'.*\"mean\""):
            vt.SparseTensor(COORDS, VALUES, duplicates=policy, count_as_weight=True)
    with pytest.raises(vt.errors.OptionError, match="count_as_weight is 1"):
        vt.SparseTensor(COORDS, VALUES, duplicates="mean", count_as_weight=1)  # type: ignore[arg-type]


def test_the_weighted_mean_of_huge_values_is_finite() -> None:
    X = vt.SparseTensor([[0, 0]] * 2, [1.6e308, 1.2e308], weights=[3, 1], duplicates="mean")
    np.testing.assert_allclose(X.values, [1.5e308], rtol=1e-15)


def test_weights_that_overflow_when_added_are_named() -> None:
    with pytest.raises(vt.errors.WeightError, match=r"2 weights of the cell \(0, 0\) is inf"):
        vt.SparseTensor([[0, 0]] * 2, [1, 2], weights=[1.6e308] * 2, duplicates="mean")


def test_a_median_of_hardly_any_weight_is_of_its_own_entries() -> None:
    """Sums of weights do not grow by what is too small for them."""
    coords = [[0, 0], [1, 0], [1, 0], [2, 0]]
    weights = [1.0, 1e-20, 1e-20, 1.0]
    X = vt.SparseTensor(
        np.array(coords), np.array([5.0, 7.0, 7.0, 9.0]), weights=weights, duplicates="median"
    )
    assert X.values.tolist() == [5.0, 7.0, 9.0]


def test_the_error_names_every_way_to_merge() -> None:
    with pytest.raises(vt.errors.DuplicateError) as caught:
        vt.SparseTensor(np.zeros((2, 2), dtype=np.int64), np.ones(2))
    for way in MERGES:
        assert f'"{way}"' in str(caught.value)
