"""Frames that make no tensor, and tensors that make no frame: errors name row and column."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from meals import MEALS, MODES
from vest_tucker.data.frames import make_frame
from vest_tucker.errors import (
    ColumnError,
    DtypeError,
    EmptyTensorError,
    LabelError,
    MissingPackageError,
    ModeError,
    NonFiniteError,
    OptionError,
    ShapeError,
)

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("item", [[1], {"x": 1}])
def test_lists_and_dicts_are_refused_as_labels(make: Any, item: Any) -> None:
    frame = make({"a": [item, item], "b": [0, 1], "value": [1.0, 2.0]})
    with pytest.raises(LabelError, match="column 'a' does not hold labels"):
        vt.SparseTensor.from_frame(frame, ["a", "b"])


# What is wrong: (changed columns, options, error, what the message names).
BAD: dict[str, tuple[dict[str, Any], dict[str, Any], type[Exception], tuple[str, ...]]] = {
    "no such mode": (
        {}, {"modes": ["whom", "dish"]}, ColumnError,
        ("'whom'", "'who', 'dish', 'day', 'stars'")),
    "no such value": ({}, {"value": "rating"}, ColumnError, ("'rating'", "'stars'")),
    "a mode twice": ({}, {"modes": ["who", "who"]}, ColumnError, ("'who'", "twice")),
    "the value as a mode": ({}, {"modes": ["who", "stars"]}, ColumnError, ("'stars'", "twice")),
    "one text for modes": ({}, {"modes": "who"}, OptionError, ("'who'", "modes=[")),
    "no modes": ({}, {"modes": None}, OptionError, ("None",)),
    "a single mode": ({}, {"modes": ["who"]}, ShapeError, ("at least 2 modes",)),
    "a label missing": (
        {"who": ["eve", "bob", None, "ann"]}, {}, LabelError, ("row 2", "'who'")),
    "a number missing among labels": (
        {"dish": [1.0, 2.0, 3.0, None]}, {}, LabelError, ("row 3", "'dish'")),
    "a date missing": (
        {"day": [None, *MEALS["day"][1:]]}, {}, LabelError, ("row 0", "'day'")),
    "a value missing": (
        {"stars": [4.0, None, 5.0, None]}, {}, NonFiniteError, ("row 1", "'stars'")),
    "no value at all": ({"stars": [None] * 4}, {}, NonFiniteError, ("row 0", "'stars'")),
    "an infinite value": (
        {"stars": [4.0, 1.0, np.inf, 1.0]}, {}, NonFiniteError, ("2", "inf", "who='eve'")),
    "text as values": (
        {"stars": ["4", "2", "good", "1"]}, {}, DtypeError,
        ("'stars'", "String", "'good', in row 2")),
    "dates as values": ({}, {"value": "day", "modes": ["who", "dish"]}, DtypeError, ("'day'",)),
    "unseen labels": (
        {}, {"labels": {"who": ["eve", "zoe"]}}, LabelError,
        ("'who'", "2 labels", "'ann', 'bob'", "row", "among the 2 given")),
    "unseen numbers": (
        {}, {"labels": {"dish": [7, 8]}}, LabelError, ("'dish'", "1 labels", ": 3", "row 1")),
    "labels of another kind": (
        {}, {"labels": {"dish": ["7", "3"]}}, LabelError, ("such as '7'", ": 3, 7", "row 0")),
    "labels of an unknown mode": ({}, {"labels": {"dishes": [3]}}, ModeError, ("'dishes'",)),
    "an unknown policy": ({}, {"duplicates": "mode"}, OptionError, ("'mode'",)),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_frames(frame: Callable[..., Any], what: str) -> None:
    changes, options, error, fragments = BAD[what]
    with pytest.raises(error) as caught:
        vt.SparseTensor.from_frame(
            frame(**changes), **{"modes": MODES, "value": "stars", **options}
        )
    for fragment in fragments:
        assert fragment in str(caught.value), str(caught.value)


def test_nan_among_the_labels_of_polars() -> None:
    frame = pl.DataFrame({**MEALS, "dish": [1.0, np.nan, 2.0, 3.0]})
    with pytest.raises(LabelError, match=r"row 1 .*'dish'"):
        vt.SparseTensor.from_frame(frame, MODES, "stars")


def test_an_empty_frame(frame: Callable[..., Any]) -> None:
    empty = frame()
    empty = empty.head(0) if hasattr(empty, "head") else empty.slice(0, 0)
    with pytest.raises(EmptyTensorError):
        vt.SparseTensor.from_frame(empty, MODES, "stars")


def test_labels_and_like_together_are_refused() -> None:
    X = vt.SparseTensor.from_frame(pd.DataFrame(MEALS), MODES, "stars")
    with pytest.raises(OptionError, match="labels and like"):
        vt.SparseTensor.from_frame(pd.DataFrame(MEALS), MODES, "stars", like=X, labels={})
    with pytest.raises(DtypeError, match="like must be a SparseTensor, but is a str"):
        vt.SparseTensor.from_frame(pd.DataFrame(MEALS), MODES, "stars", like="X")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"'dish' are not those .*'dish', 'day'"):
        vt.SparseTensor.from_frame(pd.DataFrame(MEALS), MODES[:2], "stars", like=X)


@pytest.mark.parametrize("what", [[1, 2], {"a": [1]}, None, np.zeros((2, 2))])
def test_objects_that_are_not_frames_are_refused(what: Any) -> None:
    with pytest.raises(DtypeError, match=type(what).__name__):
        vt.SparseTensor.from_frame(what, MODES)


def test_columns_named_by_numbers_are_refused() -> None:
    with pytest.raises(ColumnError, match="column 0 must be named by a text"):
        vt.SparseTensor.from_frame(pd.DataFrame([[1, 2, 3.0]]), [0, 1], 2)  # type: ignore[list-item, arg-type]


def test_repeated_column_names_are_refused() -> None:
    frame = pd.DataFrame([[1, 2, 3.0]], columns=["a", "a", "value"])
    with pytest.raises(DtypeError, match="repeat"):
        vt.SparseTensor.from_frame(frame, ["a", "value"])


def test_without_narwhals_the_way_to_get_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "narwhals", None)
    for call in (
        lambda: vt.SparseTensor.from_frame(pd.DataFrame(MEALS), MODES, "stars"),
        lambda: vt.SparseTensor([[0, 0]], [1.0]).to_frame(),
    ):
        with pytest.raises(MissingPackageError, match=r"narwhals.*vest-tucker\[frame\]"):
            call()


def test_to_frame_refuses_bad_names_and_unknown_or_missing_libraries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = vt.SparseTensor([[0, 0]], [1.0], modes=["value", "b"])
    with pytest.raises(ColumnError, match="'value' already"):
        X.to_frame()
    with pytest.raises(OptionError, match="'excel'"):
        X.to_frame(value="x", backend="excel")  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingPackageError, match="pip install polars"):
        make_frame({"a": np.zeros(1)}, "polars")


def test_the_first_text_that_is_no_number_is_told() -> None:
    frame = pd.DataFrame({"who": ["a", "b", "c"], "dish": "x", "stars": ["1", "2.5", "3,5"]})
    with pytest.raises(DtypeError, match="first that is none is '3,5', in row 2"):
        vt.SparseTensor.from_frame(frame, ["who", "dish"], "stars")


def test_a_list_as_a_label_is_told_with_its_row() -> None:
    frame = pd.DataFrame({"who": ["a", ["b"]], "dish": "x", "value": [1.0, 2.0]})
    with pytest.raises(LabelError, match="row 1 has \\['b'\\]"):
        vt.SparseTensor.from_frame(frame, ["who", "dish"])
