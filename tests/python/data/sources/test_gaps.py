"""Rows with gaps, in frames of every library: refused, or dropped and counted."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.data.sources.gaps import rows_without_gaps

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

DAYS = [dt.date(2021, 5, 3), dt.date(2021, 5, 5), None, dt.date(2021, 5, 3), dt.date(2021, 5, 6)]
COLUMNS: dict[str, Any] = {
    "who": ["ann", None, "bob", "bob", "ann"],
    "day": DAYS,
    "stars": [1.0, 2.0, 3.0, None, 5.0],
    "n": [1.0, 1.0, 1.0, 1.0, 2.0],
}
FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas with categories": lambda data: pd.DataFrame(data).astype({"who": "category"}),
    "pandas on Arrow": lambda data: pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "polars, lazy": pl.LazyFrame,
    "polars with NaN": lambda data: pl.DataFrame(data).with_columns(
        pl.col("stars").fill_null(np.nan)
    ),
    "Arrow": pa.table,
}


@pytest.mark.parametrize("library", FRAMES)
def test_rows_with_gaps_are_dropped_and_counted(library: str) -> None:
    frame = FRAMES[library](COLUMNS)
    with pytest.warns(UserWarning, match="dropped") as caught:
        X = vt.SparseTensor.from_frame(frame, ["who", "day"], "stars", weight="n", missing="drop")
    assert (X.shape, X.values.tolist(), X.total_weight) == ((1, 2), [1.0, 5.0], 3.0)
    (warning,) = caught
    assert warning.filename == __file__
    assert str(warning.message) == (
        "3 of 5 rows were dropped for gaps: 1 in the column 'who' (first in row 1), "
        "1 in the column 'day' (first in row 2), 1 in the column 'stars' (first in row 3)"
    )


@pytest.mark.parametrize("library", FRAMES)
def test_they_are_errors_by_default_that_say_what_to_do(library: str) -> None:
    with pytest.raises(vt.errors.LabelError, match=r'row 1 has no label .*missing="drop"'):
        vt.SparseTensor.from_frame(FRAMES[library](COLUMNS), ["who", "day"], "stars")


def test_without_gaps_nothing_is_dropped_or_said() -> None:
    whole = pd.DataFrame(COLUMNS).dropna()
    X = vt.SparseTensor.from_frame(whole, ["who", "day"], "stars", missing="drop")
    assert X.nnz == 2
    assert rows_without_gaps({"who": np.zeros(3, dtype=bool)}) is None


def test_nothing_left_and_infinities_are_errors() -> None:
    gone = pd.DataFrame({"a": ["x", None], "b": [1, 2], "value": [np.nan, 1.0]})
    with pytest.raises(
        vt.errors.EmptyTensorError, match=r"each of the 2 rows has a gap: 1 in .*'a'"
    ):
        vt.SparseTensor.from_frame(gone, ["a", "b"], missing="drop")
    infinite = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], "value": [np.inf, 1.0]})
    with pytest.raises(vt.errors.NonFiniteError):
        vt.SparseTensor.from_frame(infinite, ["a", "b"], missing="drop")
    with pytest.raises(vt.errors.OptionError, match=r"missing is 'skip'"):
        vt.SparseTensor.from_frame(infinite, ["a", "b"], missing="skip")  # type: ignore[arg-type]


def test_errors_name_rows_as_given_after_others_were_dropped() -> None:
    frame = pd.DataFrame({"who": ["a", None, "b", "a"], "dish": "x", "stars": [1.0, 2.0, 3.0, 4.0]})
    options: Any = {"modes": ["who", "dish"], "value": "stars", "missing": "drop"}
    with (
        pytest.warns(vt.errors.GapsWarning),
        pytest.raises(vt.errors.DuplicateError, match=r"^rows 0 and 3 are both"),
    ):
        vt.SparseTensor.from_frame(frame, **options)
    frame["stars"] = [1.0, 2.0, np.inf, 4.0]
    with (
        pytest.warns(vt.errors.GapsWarning),
        pytest.raises(vt.errors.NonFiniteError, match=r"^row 2 has the value inf"),
    ):
        vt.SparseTensor.from_frame(frame[:3], **options)
    with (
        pytest.warns(vt.errors.GapsWarning),
        pytest.raises(vt.errors.LabelError, match="first in row 2;"),
    ):
        vt.SparseTensor.from_frame(frame, labels={"who": ["a"]}, **options)


@pytest.mark.parametrize(
    ("column", "cells", "told"),
    [
        ("stars", ["1", "2", "3", "bad"], r"the first that is none is 'bad', in row 3\)"),
        ("who", ["a", "b", "a", ["l"]], r"does not hold labels: row 3 has \['l'\];"),
    ],
)
def test_odd_cells_are_in_rows_as_given_after_others_were_dropped(
    column: str, cells: list[Any], told: str
) -> None:
    frame = pd.DataFrame({"who": "a", "dish": ["x", None, "y", "z"], "stars": 1.0, column: cells})
    with (
        pytest.warns(vt.errors.GapsWarning),
        pytest.raises((vt.errors.DtypeError, vt.errors.LabelError), match=told),
    ):
        vt.SparseTensor.from_frame(frame, ["who", "dish"], "stars", missing="drop")
