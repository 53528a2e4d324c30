"""Labels of every kind: the array they become, what is null, what is equal, what comes first."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from vest_tucker.base.errors import LabelError
from vest_tucker.data.label_arrays import Lookup, first_repeat, in_order, label_array, nulls

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

pa = pytest.importorskip("pyarrow")
BERLIN = ZoneInfo("Europe/Berlin")

KINDS: dict[str, tuple[Any, Any, list[Any]]] = {
    "text": (["b", "a"], object, ["b", "a"]),
    "fixed-width text": (np.array(["b", "a"]), object, ["b", "a"]),
    "numpy's str": ([np.str_("b"), "a"], object, ["b", "a"]),
    "whole numbers": ([3, -1], np.int64, [3, -1]),
    "small whole numbers": (np.array([3, 1], np.uint8), np.int64, [3, 1]),
    "large whole numbers": (np.array([2**64 - 1], np.uint64), np.uint64, [2**64 - 1]),
    "huge whole numbers": ([2**70, 1], object, [2**70, 1]),
    "whole floats": ([2.0, 1.0], np.float64, [2.0, 1.0]),
    "numbers of both kinds": ([2, 1.5], np.float64, [2.0, 1.5]),
    "numbers that no float holds": ([2**53 + 1, 0.5], object, [2**53 + 1, 0.5]),
    "truth values": ([True, np.False_], np.bool_, [True, False]),
    "truth values and numbers": ([True, 2], object, [True, 2]),
    "text and numbers": (["7", 7], object, ["7", 7]),
    "tuples": ([(1, 2), (1, 3)], object, [(1, 2), (1, 3)]),
    "dates": ([dt.date(2021, 5, 1)], "datetime64[D]", [dt.date(2021, 5, 1)]),
    "times": ([dt.datetime(2021, 5, 1, 9)], "datetime64[us]", [dt.datetime(2021, 5, 1, 9)]),
    "months": (np.array(["2021-05"], "datetime64[M]"), "datetime64[M]", [dt.date(2021, 5, 1)]),
    "moments of a time zone": (
        [dt.datetime(2021, 5, 1, 9, tzinfo=BERLIN)], "datetime64[us]",
        [dt.datetime(2021, 5, 1, 7)]),
    "pandas' timestamps": (
        [pd.Timestamp("2021-05-01 09:00:00.000000001", tz="Europe/Berlin")], "datetime64[ns]",
        [1619852400000000001]),
    "durations": ([dt.timedelta(minutes=1)], "timedelta64[us]", [dt.timedelta(minutes=1)]),
    "numpy's durations": ([np.timedelta64(3, "D")], "timedelta64[D]", [dt.timedelta(days=3)]),
    "numpy's dates": ([np.datetime64("2021-05-01")], "datetime64[D]", [dt.date(2021, 5, 1)]),
    "pandas' months": (
        pd.period_range("2021-05", periods=2, freq="M"), "datetime64[M]",
        [dt.date(2021, 5, 1), dt.date(2021, 6, 1)]),
    "pandas' years": ([pd.Period("2021", "Y")], "datetime64[Y]", [dt.date(2021, 1, 1)]),
    "pandas' quarters": ([pd.Period("2021Q2")], object, [pd.Period("2021Q2")]),
    "months and years": (
        [pd.Period("2021", "Y"), pd.Period("2021-01", "M")], object,
        [pd.Period("2021", "Y"), pd.Period("2021-01", "M")]),
    "decimals": ([decimal.Decimal("0.1")], object, [decimal.Decimal("0.1")]),
    "a pandas series": (pd.Series(["b", "a"]), object, ["b", "a"]),
    "a pandas series with NA": (pd.Series([2, 1], dtype="Int64"), np.int64, [2, 1]),
    "pandas categories": (pd.Categorical(["b", "a", "b"]), object, ["b", "a", "b"]),
    "a polars series": (pl.Series(["b", "a"]), object, ["b", "a"]),
    "an arrow array": (pa.array(["b", "a"]), object, ["b", "a"]),
    "an iterator": (iter("ba"), object, ["b", "a"]),
    "a range": (range(2), np.int64, [0, 1]),
    "nothing": ([], object, []),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_the_array_of_each_kind(kind: str) -> None:
    given, dtype, expected = KINDS[kind]
    array = label_array(given)
    assert array.dtype == np.dtype(dtype)
    assert array.tolist() == expected
    assert all(type(a) is type(b) for a, b in zip(array.tolist(), expected, strict=True))


@pytest.mark.parametrize("given", ["abc", 7, None, np.zeros((2, 2))])
def test_objects_that_are_not_lists_of_labels_are_refused(given: Any) -> None:
    with pytest.raises(LabelError, match="labels must be"):
        label_array(given)


@pytest.mark.parametrize("null", [None, np.nan, pd.NA, pd.NaT, np.datetime64("NaT", "s")])
def test_nulls_are_found_among_anything(null: Any) -> None:
    for others in (["a", "b"], [1, 2], [0.5, 1.5], [dt.date(2021, 1, 1), "b"]):
        array = label_array([others[0], null, others[1]])
        assert nulls(array).tolist() == [False, True, False]
    assert nulls(label_array([null])).tolist() == [True]


def test_masked_elements_are_nulls() -> None:
    assert nulls(label_array(np.ma.masked_equal([1, 2, 3], 2))).tolist() == [False, True, False]


@pytest.mark.parametrize(
    "labels", [[4, 7, 5, 7, 4], ["d", "g", "e", "g", "d"], [0.4, 0.7, 0.5, 0.7, 0.4]]
)
def test_the_first_repeated_label_is_found(labels: list[Any]) -> None:
    assert first_repeat(label_array(labels)) == (1, 3)
    assert first_repeat(label_array(labels[:3])) is None


def test_labels_are_sorted_by_kind_and_value() -> None:
    assert in_order(label_array(["b", "ä", "a", "b", "Z"])).tolist() == ["Z", "a", "b", "ä"]
    assert in_order(label_array([2.5, -1.0, 2.5])).tolist() == [-1.0, 2.5]
    assert in_order(label_array([True, False, True])).tolist() == [False, True]
    mixed = [("x",), "b", 3, (2,), "a", 1, None]
    for labels in (mixed, mixed[::-1]):
        assert in_order(label_array(labels)).tolist() == [None, 1, 3, "a", "b", ("x",), (2,)]


FOUND: dict[str, tuple[Any, Any, list[int]]] = {
    "text": (["b", "a"], ["a", "c", "b", None, 1], [1, -1, 0, -1, -1]),
    "whole numbers as floats": ([30, 10], [10.0, 30.0, 10.5, np.nan, 1e300], [1, 0, -1, -1, -1]),
    "floats as whole numbers": ([2.0, 0.5], [2, 0, 1], [0, -1, -1]),
    "floats near a whole number": ([2.0**53], [2**53, 2**53 + 1], [0, -1]),
    "signs": (np.array([2**64 - 1, 3], np.uint64), [-1, 3], [-1, 1]),
    "text is no number": ([1, 2], ["1", "2"], [-1, -1]),
    "numbers are no truth values": ([True, False], [1, 0], [-1, -1]),
    "some of another kind": ([1, 2], ["1", 2, None, [1]], [-1, 1, -1, -1]),
    "unhashable": (["a", "b"], ["b", ["a"], {}], [1, -1, -1]),
    "dates of other units": (
        np.array(["2021-05-01", "2021-06-01"], "datetime64[D]"),
        np.array(["2021-06", "2021-07"], "datetime64[M]"), [1, -1]),
    "dates in finer units": (
        np.array(["2021-05", "2021-06"], "datetime64[M]"),
        np.array(["2021-06-01", "2021-06-02", "NaT"], "datetime64[ns]"), [1, -1, -1]),
    "dates that a finer unit cannot hold": (
        np.array(["2021-05-01"], "datetime64[ns]"),
        np.array(["2021-05-01", "9999-01-01"], "datetime64[D]"), [0, -1]),
    "objects among dates": (
        np.array(["2021-05-01"], "datetime64[ns]"), [dt.date(2021, 5, 1), "never", None],
        [0, -1, -1]),
    "NumPy's dates among none": (
        np.array(["2021-05-01"], "datetime64[D]"), [np.datetime64("2021-05-01"), None], [0, -1]),
    "numbers among mixed labels": ([1, "a"], [1, 2], [0, -1]),
    "of no labels": ([], [1, 2], [-1, -1]),
    "nothing": ([1, 2], [], []),
}  # fmt: skip


@pytest.mark.parametrize("what", FOUND)
def test_lookup_finds_labels_and_says_minus_one_for_others(what: str) -> None:
    labels, wanted, expected = FOUND[what]
    found = Lookup(label_array(labels)).find(label_array(wanted))
    assert found.dtype == np.int32
    assert found.tolist() == expected
