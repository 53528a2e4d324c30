"""Entries that make no tensor: each has its named error, which says what is wrong and where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import assert_names
from small import COORDS, SHAPE, VALUES, changed
from vest_tucker.errors import (
    CoordinateError,
    DtypeError,
    DuplicateError,
    EmptyTensorError,
    NonFiniteError,
    OptionError,
    ShapeError,
)

# What is wrong: (coords, values, shape, error, what the message names).
BAD_TENSORS: dict[str, tuple[Any, Any, Any, type[Exception], tuple[object, ...]]] = {
    "negative coordinate": (
        changed(COORDS, (2, 1), -5), VALUES, SHAPE, CoordinateError, (2, 1, -5)),
    "negative coordinate, no shape": (
        changed(COORDS, (2, 1), -5), VALUES, None, CoordinateError, (2, 1, -5)),
    "coordinate equal to the dimension": (
        changed(COORDS, (3, 0), 4), VALUES, SHAPE, CoordinateError, (3, 0, 4)),
    "coordinate far too large": (
        changed(COORDS, (4, 2), 12345), VALUES, SHAPE, CoordinateError, (4, 2, 12345)),
    "coordinate beyond 32 bits": (
        changed(COORDS, (1, 2), 2**31 + 7), VALUES, None, CoordinateError, (1, 2**31 + 7)),
    "the largest 32-bit coordinate": (
        changed(COORDS, (1, 2), 2**31), VALUES, None, CoordinateError, (1, 2**31)),
    "coordinate far below 32 bits": (
        changed(COORDS, (1, 2), -(2**40)), VALUES, None, CoordinateError, (1, -(2**40))),
    "uint64 coordinate that would wrap to a small one": (
        changed(COORDS, (3, 0), 2**64 - 1, np.uint64), VALUES, None,
        CoordinateError, (3, 2**64 - 1)),
    "uint64 coordinate that would wrap in 32 bits": (
        changed(COORDS, (3, 0), 2**32 + 1, np.uint64), VALUES, SHAPE,
        CoordinateError, (3, 2**32 + 1)),
    "NaN": (COORDS, changed(VALUES, 3, np.nan), SHAPE, NonFiniteError, (3, "nan")),
    "infinity": (COORDS, changed(VALUES, 4, np.inf), SHAPE, NonFiniteError, (4, "inf")),
    "minus infinity": (COORDS, changed(VALUES, 1, -np.inf), None, NonFiniteError, (1, "-inf")),
    "duplicate": (
        changed(COORDS, 4, COORDS[1]), VALUES, SHAPE, DuplicateError, (1, 4, "(1, 2, 1)", 2, 3)),
    "float coordinates": (COORDS + 0.5, VALUES, SHAPE, DtypeError, ("row 0", 0.5)),
    "whole float coordinates": (COORDS * 1.0, VALUES, SHAPE, DtypeError, ("float64", "astype")),
    "whole float coordinates beyond 32 bits": (
        changed(COORDS, (2, 1), 1e19, float), VALUES, SHAPE, CoordinateError, (2, 1, 1e19)),
    "NaN coordinates": (changed(COORDS, (2, 0), np.nan, float), VALUES, SHAPE,
        DtypeError, ("row 2", "nan")),
    "text coordinates": (COORDS.astype(str), VALUES, SHAPE, DtypeError, ("<U",)),
    "object coordinates": (COORDS.astype(object), VALUES, SHAPE, DtypeError, ("object",)),
    "bool coordinates": (COORDS.astype(bool), VALUES, SHAPE, DtypeError, ("bool",)),
    "complex coordinates": (COORDS * 1j, VALUES, SHAPE, DtypeError, ("complex",)),
    "complex values": (COORDS, VALUES + 1j, SHAPE, DtypeError, ("complex128", "1j")),
    "text values": (COORDS, VALUES.astype(str), SHAPE, DtypeError, ("<U", "1.0")),
    "object values": (COORDS, VALUES.astype(object), SHAPE, DtypeError, ("object",)),
    "fewer values than coordinates": (COORDS, VALUES[:4], SHAPE, ShapeError, (5, 4)),
    "transposed coordinates": (COORDS.T, VALUES, SHAPE, ShapeError, (3, 5, "coords.T")),
    "flat coordinates": (COORDS.ravel(), VALUES, SHAPE, ShapeError, ("(15,)",)),
    "coordinates in three dimensions": (COORDS[None], VALUES, SHAPE, ShapeError, ("(1, 5, 3)",)),
    "values in two dimensions": (COORDS, VALUES[:, None], SHAPE, ShapeError, ("(5, 1)",)),
    "shape of another order": (COORDS, VALUES, (4, 3), ShapeError, ("(4, 3)", 3)),
    "dimension 0": (COORDS, VALUES, (4, 3, 0), ShapeError, ("mode 2", 0)),
    "negative dimension": (COORDS, VALUES, (4, -3, 2), ShapeError, ("mode 1", -3)),
    "dimension beyond 32 bits": (COORDS, VALUES, (4, 2**40, 2), ShapeError, ("mode 1", 2**40)),
    "dimension that is no integer": (COORDS, VALUES, (4, 3.0, 2), ShapeError, (3.0,)),
    "a single mode": (COORDS[:, :1], VALUES, None, ShapeError, (2,)),
    "only negative coordinates in a mode, no shape": (
        COORDS - [0, 9, 0], VALUES, None, CoordinateError, ("row 0", "mode 1", -9)),
    "coordinate without a dimension, no shape": (
        changed(COORDS, (1, 2), 2**31 - 1), VALUES, None, CoordinateError, ("row 1", 2**31 - 1)),
    "masked values": (
        COORDS, np.ma.masked_less(VALUES, 0.7), SHAPE,
        DtypeError, ("values", "2 elements", "row 2", "values.compressed()")),
    "masked coordinates": (
        np.ma.masked_equal(COORDS, 3), VALUES, SHAPE, DtypeError, ("coordinates", "row 2")),
    "ragged coordinates": (
        [[0, 0, 0], [1, 2, 1], [3, 1], [2, 0, 1], [0]], VALUES, SHAPE,
        ShapeError, ("row 2", "length 2", 3)),
    "ragged values": (COORDS, [1.0, 2.0, [3.0], 4.0, [5.0, 6.0]], SHAPE,
        ShapeError, ("values", "row 4")),
    "65 modes": (
        np.zeros((5, 65), dtype=int), VALUES, None, ShapeError, ("65 modes", "at most")),
    "no entry": (COORDS[:0], VALUES[:0], SHAPE, EmptyTensorError, ()),
    "no entry, from lists": ([], [], None, EmptyTensorError, ()),
    "no mode": (COORDS[:, :0], VALUES, None, EmptyTensorError, ()),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD_TENSORS)
def test_bad_tensor(what: str) -> None:
    coords, values, shape, error, fragments = BAD_TENSORS[what]
    with pytest.raises(error) as caught:
        vt.SparseTensor(coords, values, shape)
    assert caught.type is error
    assert_names(caught.value, *fragments)


def test_the_first_bad_row_is_named_whatever_follows() -> None:
    coords = np.zeros((200_000, 2), dtype=np.int32)
    coords[:, 0] = np.arange(200_000)
    coords[[70_123, 170_000], 1] = 9
    with pytest.raises(CoordinateError) as caught:
        vt.SparseTensor(coords, np.ones(200_000), (200_000, 3))
    assert_names(caught.value, 70123, 9)
    values = np.ones(200_000)
    values[[60_321, 170_001]] = np.nan
    coords[:, 1] = 0
    with pytest.raises(NonFiniteError) as caught_value:
        vt.SparseTensor(coords, values)
    assert_names(caught_value.value, 60321, "nan")


@pytest.mark.parametrize(
    ("policy", "value"),
    [
        ("mean", 4.0), ("median", 2.0), ("sum", 12.0), ("count", 3.0), ("min", 1.0), ("max", 9.0),
        ("first", 2.0), ("last", 9.0),
    ],
)  # fmt: skip
def test_duplicates_are_merged_by_each_policy(policy: Any, value: float) -> None:
    coords = np.array([[1, 2], [0, 0], [1, 2], [3, 1], [1, 2], [0, 0]])
    values = np.array([2.0, 5.0, 1.0, 7.0, 9.0, 5.0])
    merged = vt.SparseTensor(coords, values, duplicates=policy)
    cells = {tuple(c): v for c, v in zip(merged.coords.tolist(), merged.values, strict=True)}
    twice, once = {"sum": (10.0, 7.0), "count": (2.0, 1.0)}.get(policy, (5.0, 7.0))
    assert cells == {(1, 2): value, (0, 0): twice, (3, 1): once}
    assert merged.nnz == 3


@pytest.mark.parametrize("policy", ["mode", "", None, 3])
def test_unknown_policy_for_duplicates(policy: Any) -> None:
    with pytest.raises(OptionError) as caught:
        vt.SparseTensor(COORDS, VALUES, duplicates=policy)
    assert_names(caught.value, repr(policy), "mean")


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">i8"])
def test_any_integer_dtype_is_accepted(dtype: str) -> None:
    made = vt.SparseTensor(COORDS.astype(dtype), VALUES.astype("f4"), SHAPE)
    np.testing.assert_array_equal(made.coords, COORDS)
    np.testing.assert_array_equal(made.values, VALUES)


def test_any_memory_layout_is_accepted() -> None:
    wide = np.repeat(COORDS, 2, axis=1)[:, ::2]
    made = vt.SparseTensor(np.asfortranarray(wide), np.repeat(VALUES, 3)[::3], SHAPE)
    np.testing.assert_array_equal(made.coords, COORDS)
    np.testing.assert_array_equal(made.values, VALUES)
