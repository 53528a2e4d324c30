"""The tensor: what it says of itself, what it borrows, what its rows are called."""

from __future__ import annotations

import copy
import math
import pickle
import tracemalloc
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt

COORDS = np.array([[0, 4, 1], [2, 0, 0], [1, 1, 1]], dtype=np.int32)
VALUES = np.array([3.0, 0.0, 4.0])


def test_properties_and_repr() -> None:
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


def test_building_takes_no_memory_beside_the_arrays() -> None:
    coords = np.stack([np.arange(1_000_000)] * 3, axis=1).astype(np.int32)
    values = np.ones(1_000_000)
    # Other threads of the process, as those that share the tests, take a little meanwhile.
    tracemalloc.start()
    X = vt.SparseTensor(coords, values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert X.nnz == 1_000_000
    assert peak < 0.01 * (coords.nbytes + values.nbytes)


def test_a_tensor_is_read_only() -> None:
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


def test_read_only_arrays_are_accepted() -> None:
    coords, values = COORDS.copy(), VALUES.copy()
    coords.flags.writeable = values.flags.writeable = False
    assert vt.SparseTensor(coords, values).norm == 5.0


def test_a_tensor_keeps_its_arrays_alive() -> None:
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
    with pytest.raises(vt.errors.DuplicateError) as caught:
        vt.SparseTensor(coords, [1.5, 2.0, 2.5])
    for fragment in (
        "rows 0 and 2",
        "(5, 1)",
        "1.5 and 2.5",
        '"mean", "median", "sum"',
        'or "last"',
    ):
        assert fragment in str(caught.value)


@pytest.mark.parametrize("policy", ["error", "mean", "sum", "first", "last"])
def test_without_duplicates_nothing_is_merged(policy: Any) -> None:
    X = vt.SparseTensor(COORDS, VALUES, duplicates=policy)
    assert np.shares_memory(X.coords, COORDS)


# --- Names and labels ----------------------------------------------------------------------------

NAMES = ["person", "dish", "day"]
LABELS: dict[str, Any] = {"dish": ["soup", "rice", "tea", "cake", "pie"], "person": [30, 10, 20]}


def labelled(**changes: Any) -> vt.SparseTensor:
    given: dict[str, Any] = {"modes": NAMES, "labels": LABELS, **changes}
    return vt.SparseTensor(COORDS, VALUES, **given)


def test_without_names_the_modes_are_numbered() -> None:
    X = vt.SparseTensor(COORDS, VALUES)
    assert X.modes == ("mode_0", "mode_1", "mode_2")
    assert X.labels == (None, None, None)


def test_names_and_labels_are_kept() -> None:
    X = labelled()
    assert X.modes == ("person", "dish", "day")
    person, dish, day = X.labels
    assert person is not None
    assert dish is not None
    assert (person.dtype.kind, person.tolist()) == ("i", [30, 10, 20])
    assert (dish.dtype.kind, dish.tolist()) == ("O", LABELS["dish"])
    assert day is None
    assert repr(X).endswith("density=0.1, modes=('person', 'dish', 'day'))")


def test_labels_decide_the_length_of_a_mode() -> None:
    assert labelled(labels={"day": range(9)}).shape == (3, 5, 9)
    with pytest.raises(vt.errors.LabelError, match="mode 'dish' has 5 labels but the dimension 6"):
        labelled(shape=(3, 6, 2))
    with pytest.raises(vt.errors.CoordinateError, match="entry 0"):
        labelled(labels={"dish": ["soup", "rice"]})


def test_labels_survive_pickling_and_copying() -> None:
    X = labelled()
    for other in (pickle.loads(pickle.dumps(X)), copy.deepcopy(X), copy.copy(X)):
        assert other.mode_labels == X.mode_labels


def test_labels_of_another_tensor_are_shared() -> None:
    X = labelled()
    assert vt.SparseTensor(COORDS, VALUES, labels=X.mode_labels).mode_labels is X.mode_labels


def test_errors_name_labels() -> None:
    with pytest.raises(
        vt.errors.DuplicateError, match=r"1 and 3 .*\(person=20, dish='soup', day=0\)"
    ):
        vt.SparseTensor([*COORDS, COORDS[1]], [*VALUES, 7.0], modes=NAMES, labels=LABELS)
    with pytest.raises(
        vt.errors.NonFiniteError, match=r"entry 2 .*\(person=10, dish='rice', day=1\)"
    ):
        vt.SparseTensor(COORDS, [1.0, 2.0, np.nan], modes=NAMES, labels=LABELS)
    with pytest.raises(vt.errors.NonFiniteError, match=r"2 dup.*\(person=20, dish='soup', day=0\)"):
        vt.SparseTensor(COORDS[[1, 1]], [1e308] * 2, modes=NAMES, labels=LABELS, duplicates="sum")


# --- Weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [0.0, -2.5, np.nan, np.inf])
def test_a_weight_that_is_not_positive_and_finite_is_named(bad: float) -> None:
    coords, values, weights = [[0, 1], [1, 0], [1, 1]], [1, 2, 3], [1.0, bad, bad]
    with pytest.raises(vt.errors.WeightError, match=rf"entry 1 has the weight {bad:g};.*leave out"):
        vt.SparseTensor(coords, values, weights=weights)
    names = {"modes": ["who", "dish"], "labels": {"dish": ["soup", "rice"]}}
    with pytest.raises(vt.errors.WeightError, match=r"cell.*soup"):
        vt.SparseTensor(coords, values, weights=weights, **names)  # type: ignore[arg-type]
    good = vt.SparseTensor(coords, values)
    assert good.weights is None
    with pytest.raises(vt.errors.WeightError):
        good.with_weights(weights)


def test_weights_are_one_real_number_per_entry() -> None:
    coords, values = [[0, 1], [1, 0]], [1, 2]
    for wrong in ([1.0], [[1.0, 2.0]], 3.0):
        with pytest.raises(vt.errors.ShapeError, match="2 entries; give one weight"):
            vt.SparseTensor(coords, values, weights=wrong)
    with pytest.raises(vt.errors.DtypeError, match="weights must be real"):
        vt.SparseTensor(coords, values, weights=["a", "b"])
    given = np.array([2.0, 3.0])
    X = vt.SparseTensor(coords, values, weights=given)
    assert X.weights is not None
    assert np.shares_memory(X.weights, given)
    assert vt.SparseTensor(coords, values, weights=[2, 3]).weights is not None
    assert (X.total_weight, X.mean) == (5.0, 1.6)
    assert X.norm == pytest.approx(np.sqrt(2 + 3 * 4))
