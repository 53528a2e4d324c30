"""The tensor: what it says of itself, what it borrows, what it does with duplicates."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt

COORDS = np.array([[0, 4, 1], [2, 0, 0], [1, 1, 1]], dtype=np.int32)
VALUES = np.array([3.0, 0.0, 4.0])


def test_what_it_says_of_itself() -> None:
    X = vt.SparseTensor(COORDS, VALUES)
    assert X.shape == (3, 5, 2)
    assert (X.order, X.nnz, len(X)) == (3, 3, 3)
    assert (X.density, X.norm, X.mean) == (0.1, 5.0, 7 / 3)
    assert repr(X) == "SparseTensor(shape=(3, 5, 2), nnz=3, density=0.1)"


def test_the_shape_may_be_larger_than_the_coordinates() -> None:
    assert vt.SparseTensor(COORDS, VALUES, shape=[10, 20, 30]).shape == (10, 20, 30)


def test_density_when_the_cells_outnumber_any_integer_type() -> None:
    X = vt.SparseTensor(np.zeros((1, 5), dtype=int), [1.0], shape=(10**9,) * 5)
    assert math.isclose(X.density, 1e-45)


def test_arrays_of_the_right_form_are_borrowed() -> None:
    X = vt.SparseTensor(COORDS, VALUES)
    assert np.shares_memory(X.coords, COORDS)
    assert np.shares_memory(X.values, VALUES)


def test_it_cannot_be_changed() -> None:
    X = vt.SparseTensor(COORDS.copy(), VALUES.copy())
    with pytest.raises(ValueError, match="read-only"):
        X.coords[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        X.values[0] = 1.0
    with pytest.raises(AttributeError):
        X.shape = (9, 9, 9)  # type: ignore[misc]


def test_borrowing_does_not_lock_the_callers_arrays() -> None:
    values = VALUES.copy()
    vt.SparseTensor(COORDS, values)
    values[0] = 7.0
    assert values[0] == 7.0


def test_read_only_arrays_will_do() -> None:
    coords, values = COORDS.copy(), VALUES.copy()
    coords.flags.writeable = values.flags.writeable = False
    assert vt.SparseTensor(coords, values).norm == 5.0


def test_it_outlives_the_names_of_its_arrays() -> None:
    X = vt.SparseTensor(COORDS.astype(np.int64), VALUES.astype(np.float32))
    assert X.coords.tolist() == COORDS.tolist()
    assert X.values.tolist() == VALUES.tolist()


def test_copies_and_pickles_are_the_same_tensor() -> None:
    X = vt.SparseTensor(COORDS, VALUES, shape=(9, 9, 9))
    for other in (pickle.loads(pickle.dumps(X)), copy.deepcopy(X)):
        assert other.shape == X.shape
        np.testing.assert_array_equal(other.coords, X.coords)
        np.testing.assert_array_equal(other.values, X.values)


def test_a_duplicate_is_named_with_both_values_and_the_ways_out() -> None:
    coords = [[5, 1], [0, 2], [5, 1]]
    with pytest.raises(vt.DuplicateError) as caught:
        vt.SparseTensor(coords, [1.5, 2.0, 2.5])
    for fragment in ("rows 0 and 2", "(5, 1)", "1.5 and 2.5", '"mean", "sum", "first" or "last"'):
        assert fragment in str(caught.value)


@pytest.mark.parametrize(
    ("policy", "values"),
    [
        ("mean", [3, 5, 2, 9]),
        ("sum", [9, 5, 4, 9]),
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
    with pytest.raises(vt.NonFiniteError, match=r"sum of the 3 duplicates of the cell \(2, 3\)"):
        vt.SparseTensor(coords, [1.0, 1e308, 2.0, 1e308, 1e308], duplicates="sum")


@pytest.mark.parametrize("policy", ["error", "mean", "sum", "first", "last"])
def test_without_duplicates_nothing_is_merged(policy: Any) -> None:
    X = vt.SparseTensor(COORDS, VALUES, duplicates=policy)
    assert np.shares_memory(X.coords, COORDS)
