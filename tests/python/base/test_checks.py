"""Arrays leave their check in one form (most of what is refused is in whole/test_bad_tensors)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vest_tucker.base import checks
from vest_tucker.base.errors import AllZeroError, CoordinateError, RankError, ScaleError, ShapeError


class Frame:
    """What a data frame is to us: something that turns into an array."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return self.array.astype(dtype) if dtype else self.array


def test_coordinates_and_values_of_the_right_form_are_not_copied() -> None:
    coords = np.zeros((4, 3), dtype=np.int32)
    values = np.ones(4)
    checked_coords, checked_values = checks.entries(coords, values)
    assert checked_coords is coords
    assert checked_values is values


@pytest.mark.parametrize("dtype", ["u1", "i8", "u8", ">i4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_other_coordinates_become_int32_rows(dtype: str, order: Any) -> None:
    given = np.array([[1, 2], [3, 4], [5, 6]], dtype=dtype, order=order)
    got = checks.coordinates(given)
    assert got.dtype == np.int32
    assert got.dtype.isnative
    assert got.flags.c_contiguous
    assert got.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_lists_and_frames_are_accepted_as_arrays() -> None:
    assert checks.coordinates([(1, 2), (3, 4)]).tolist() == [[1, 2], [3, 4]]
    assert checks.coordinates(Frame([[1, 2]])).tolist() == [[1, 2]]
    assert checks.real_values(Frame([1, 2])).tolist() == [1.0, 2.0]


def test_predicting_no_cells_is_allowed() -> None:
    assert checks.coordinates(np.empty((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", "i2", "u8", ">f8"])
def test_values_become_float64(dtype: str) -> None:
    got = checks.real_values(np.array([1, 2, 3], dtype=dtype))
    assert got.dtype == np.float64
    assert got.dtype.isnative
    assert got.tolist() == [1.0, 2.0, 3.0]


def test_a_missing_shape_is_just_large_enough() -> None:
    coords = np.array([[0, 7], [3, 2]], dtype=np.int32)
    assert checks.tensor_shape(None, coords) == (4, 8)
    assert checks.tensor_shape(np.array([5, 9]), coords) == (5, 9)


def test_arrays_that_are_not_aligned_are_copied() -> None:
    """The kernels read whole numbers at a time; records and buffers may put them anywhere."""
    memory = np.zeros(8 * 6 + 1, dtype=np.uint8)
    values = memory[1:].view(np.float64)
    coords = memory[1:].view(np.int32).reshape(6, 2)
    assert not values.flags.aligned
    assert not coords.flags.aligned
    for checked in checks.entries(coords, values):
        assert checked.flags.aligned
        assert checked.flags.c_contiguous
    core = memory[1:33].view(np.float64).reshape(2, 2)
    assert checks.tucker_parts(core, [np.eye(2), np.eye(2)])[0].flags.aligned


def test_a_masked_array_without_masked_elements_is_accepted() -> None:
    assert checks.real_values(np.ma.masked_less([1.0, 2.0], 0.0)).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("coords", "row", "value"),
    [
        ([[0, 2**31 - 1]], 0, 2**31 - 1),
        ([[0, 3], [7, 2**31 - 1]], 1, 2**31 - 1),
        ([[-1, 5], [-3, 2]], 0, -1),
    ],
)
def test_coordinates_too_large_for_any_shape_are_refused(coords: Any, row: int, value: int) -> None:
    with pytest.raises(CoordinateError, match=f"row {row} has the coordinate {value} in mode"):
        checks.tensor_shape(None, np.array(coords, dtype=np.int32))


def test_more_modes_than_the_core_can_have_are_refused() -> None:
    assert len(checks.dimensions([2] * checks.MAX_ORDER)) == checks.MAX_ORDER
    with pytest.raises(ShapeError, match=f"65 modes; at most {checks.MAX_ORDER}"):
        checks.dimensions([2] * 65)


def test_one_rank_stands_for_every_mode() -> None:
    assert checks.tucker_ranks(3, (9, 8, 5)) == (3, 3, 3)
    assert checks.tucker_ranks(np.array([3, 2, 5]), (9, 8, 5)) == (3, 2, 5)


def test_a_core_too_large_to_index_is_refused() -> None:
    assert checks.tucker_ranks((2**15, 2**15), (10**6, 10**6)) == (2**15, 2**15)
    with pytest.raises(RankError, match="2,147,483,648 elements"):
        checks.tucker_ranks((2**16, 2**15), (10**6, 10**6))
    with pytest.raises(RankError, match="lower some of them"):
        checks.tucker_ranks(10**6, (10**6,) * 12)  # beyond 64 bits too


def test_parts_are_converted_but_not_copied_without_need() -> None:
    core, factor = np.ones((1, 2)), np.ones((3, 1))
    checked, (first, second) = checks.tucker_parts(core, [factor, [[1, 2], [3, 4]]])
    assert checked is core
    assert first is factor
    assert second.dtype == np.float64


def test_shapes_of_parts_are_checked_without_their_values() -> None:
    core = np.array([[np.nan]])
    assert checks.matching_parts(core, [np.ones((2, 1)), np.ones((3, 1))])[0] is core


def test_finite_parts_whose_sum_overflows_are_finite() -> None:
    core = np.full((2, 2), 1e308)
    assert checks.tucker_parts(core, [np.eye(2), np.eye(2)])[0] is core


def test_a_norm_of_zero_or_infinity_is_refused() -> None:
    assert checks.norm(5.0, np.array([3.0, 4.0])) == 5.0
    with pytest.raises(AllZeroError, match="all 2 values are zero"):
        checks.norm(0.0, np.zeros(2))
    with pytest.raises(ScaleError, match="divide the values by 1e-200"):
        checks.norm(0.0, np.array([1e-200, 0.0]))
    with pytest.raises(ScaleError, match="norm inf"):
        checks.norm(np.inf, np.array([1e200, 0.0]))
