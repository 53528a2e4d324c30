"""Columns of frames as labels: categories, moments, months, and whatever else comes back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vest_tucker as vt
from meals import MEALS, MODES

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

COLUMNS: dict[str, tuple[list[Any], list[Any]]] = {
    "truth values": ([True, False, True, True], [False, True]),
    "whole floats": ([3.0, 1.0, 3.0, 2.0], [1.0, 2.0, 3.0]),
    "moments": ([dt.datetime(2021, 5, d, 7) for d in (2, 1, 2, 3)],
        [dt.datetime(2021, 5, d, 7) for d in (1, 2, 3)]),
    "accents": (["é", "z", "e", "a"], ["a", "e", "z", "é"]),
    "empty text": (["", "a", " ", "a"], ["", " ", "a"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_any_kind(frame: Callable[..., Any], kind: str) -> None:
    column, expected = COLUMNS[kind]
    X = vt.SparseTensor.from_frame(frame(who=column), MODES, "stars")
    labels = X.labels[0]
    assert labels is not None
    if labels.dtype.kind == "M":
        labels = labels.astype("M8[us]")
    assert labels.tolist() == expected
    assert labels[X.coords[:, 0]].tolist() == column


def test_ordered_categories_keep_their_order_and_unused_ones_are_left_out() -> None:
    sizes = ["small", "tiny", "large", "huge"]
    column = ["large", "small", "large", "huge"]
    of_pandas = pd.DataFrame(MEALS).assign(who=pd.Categorical(column, sizes, ordered=True))
    of_polars = pl.DataFrame(MEALS).with_columns(who=pl.Series(column, dtype=pl.Enum(sizes)))
    for frame in (of_pandas, of_polars):
        X = vt.SparseTensor.from_frame(frame, MODES, "stars")
        assert X.labels[0] is not None
        assert X.labels[0].tolist() == ["small", "large", "huge"]
        assert X.coords[:, 0].tolist() == [1, 0, 1, 2]
        kept = vt.SparseTensor.from_frame(frame, MODES, "stars", labels={"who": sizes})
        assert kept.shape[0] == 4


@pytest.mark.parametrize(
    "categories",
    [
        [30, 4, 100],
        [pd.Timestamp("2021-05-01"), pd.Timestamp("2020-05-01"), pd.Timestamp("2022-05-01")],
        list(pd.interval_range(0, 3))[::-1],
    ],
)
def test_ordered_categories_of_other_things_than_text(categories: list[Any]) -> None:
    column = pd.Categorical([categories[2], categories[0]], categories, ordered=True)
    frame = pd.DataFrame({"a": column, "b": [0, 1], "value": [1.0, 2.0]})
    X = vt.SparseTensor.from_frame(frame, ["a", "b"])
    assert X.coords[:, 0].tolist() == [1, 0]
    assert X.labels[0] is not None
    assert [str(pd.Index([each])[0]) for each in X.labels[0]] == [
        str(each) for each in (categories[0], categories[2])
    ]


def test_other_categories_are_sorted() -> None:
    column = ["b", "c", "b", "a"]
    frames = (
        pd.DataFrame(MEALS).assign(who=pd.Categorical(column, ["z", "c", "b", "a"])),
        pl.DataFrame(MEALS).with_columns(who=pl.Series(column, dtype=pl.Categorical)),
        pa.table({**MEALS, "who": pa.array(column).dictionary_encode()}),
    )
    for frame in frames:
        X = vt.SparseTensor.from_frame(frame, MODES, "stars")
        assert X.labels[0] is not None
        assert X.labels[0].tolist() == ["a", "b", "c"]
    numbers = pd.DataFrame(MEALS).assign(who=pd.Categorical([30, 4, 30, 100]))
    X = vt.SparseTensor.from_frame(numbers, MODES, "stars")
    assert X.labels[0] is not None
    assert X.labels[0].tolist() == [4, 30, 100]


def test_moments_of_a_time_zone_become_those_of_utc() -> None:
    # Two moments with the same local time, when the clock is set back.
    utc = np.array(["2021-10-31T00:30", "2021-10-31T01:30"], dtype="M8[us]")
    local = pd.DataFrame({"when": utc, "who": ["a", "b"], "value": [1.0, 2.0]})
    local["when"] = local["when"].dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin")
    for frame in (local, pl.from_pandas(local), pa.Table.from_pandas(local)):
        X = vt.SparseTensor.from_frame(frame, ["when", "who"])
        assert X.labels[0] is not None
        np.testing.assert_array_equal(X.labels[0], utc)


def test_mixed_labels_in_a_pandas_column() -> None:
    frame = pd.DataFrame({"a": pd.Series(["x", 10, 9, "x"], dtype=object), "b": [0, 1, 2, 3]})
    X = vt.SparseTensor.from_frame(frame.assign(value=1.0), ["a", "b"])
    assert X.labels[0] is not None
    assert X.labels[0].tolist() == [9, 10, "x"]


def test_months_of_pandas() -> None:
    days = pd.to_datetime(["2021-06-30", "2021-05-01", "2021-06-01"])
    frame = pd.DataFrame({"month": days.to_period("M"), "who": [0, 1, 2], "value": [1.0, 2.0, 3.0]})
    X = vt.SparseTensor.from_frame(frame, ["month", "who"])
    assert X.coords[:, 0].tolist() == [1, 0, 1]
    assert X.labels[0] is not None
    np.testing.assert_array_equal(X.labels[0], np.array(["2021-05", "2021-06"], "M8[M]"))


@given(
    rows=st.lists(
        st.tuples(st.text(max_size=3), st.integers(-5, 2**62), st.booleans()),
        min_size=1,
        max_size=30,
        unique=True,
    )
)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_any_labels_come_back(make: Any, rows: list[tuple[str, int, bool]]) -> None:
    text, numbers, flags = (list(column) for column in zip(*rows, strict=True))
    frame = make({"text": text, "number": numbers, "flag": flags, "value": [1.0] * len(rows)})
    X = vt.SparseTensor.from_frame(frame, ["text", "number", "flag"])
    columns = [X.mode_labels.decode(mode, X.coords[:, mode]).tolist() for mode in range(3)]
    assert columns == [text, numbers, flags]
    for labels in X.labels:
        assert labels is not None
        assert labels.tolist() == sorted(set(labels.tolist()))


def test_a_column_of_weights_comes_and_goes(frame: Callable[..., Any]) -> None:
    table = frame(flights=[200, 1, 3, 40])
    X = vt.SparseTensor.from_frame(table, MODES, "stars", weight="flights")
    assert X.weights is not None
    assert X.weights.tolist() == [200, 1, 3, 40]
    back = X.to_frame(value="stars", weight="flights", backend="pandas")
    assert back.columns.tolist() == [*MODES, "stars", "flights"]
    assert back["flights"].tolist() == [200, 1, 3, 40]
    again = vt.SparseTensor.from_frame(back, value="stars", weight="flights", like=X)
    assert again.weights is not None
    assert again.weights.tobytes() == X.weights.tobytes()
    by_dish = vt.SparseTensor.from_frame(
        table, ["who", "dish"], "stars", weight="flights", duplicates="mean"
    )
    assert by_dish.total_weight == 244
    with pytest.raises(vt.errors.ColumnError, match="'stars' is asked for twice"):
        vt.SparseTensor.from_frame(table, MODES, "stars", weight="stars")
    with pytest.raises(vt.errors.ColumnError, match=r"called 'who' already.*weight="):
        X.to_frame(weight="who")


def test_a_weight_that_is_missing_or_no_number_is_named(frame: Callable[..., Any]) -> None:
    with pytest.raises(vt.errors.WeightError, match="row 2"):
        vt.SparseTensor.from_frame(frame(w=[1.0, 2.0, None, 1.0]), MODES, "stars", weight="w")
    with pytest.raises(vt.errors.DtypeError, match="the weights must be real numbers"):
        vt.SparseTensor.from_frame(frame(w=["a"] * 4), MODES, "stars", weight="w")
    with pytest.raises(vt.errors.WeightError, match=r"entry 3 has the weight 0;.*cell"):
        vt.SparseTensor.from_frame(frame(w=[1, 2, 3, 0]), MODES, "stars", weight="w")


def test_a_column_that_is_misspelt_is_asked_for() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"store": ["a", "b"], "prodduct": ["c", "d"], "value": [1.0, 2.0]})
    with pytest.raises(vt.errors.ColumnError, match=r"'product' \(did you mean 'prodduct'\?\)"):
        vt.SparseTensor.from_frame(frame, ["store", "product"])
    named = frame.rename(columns={"prodduct": "product"})
    X = vt.SparseTensor.from_frame(named, ["store", "product"])
    model = vt.fit(X, ranks=1, preset="paper", lam=0.0, max_iter=2, seed=0)
    with pytest.raises(vt.errors.ColumnError, match=r"mean 'prodduct'\?\); there are .*; average="):
        model.predict(frame)
    with pytest.raises(vt.errors.ModeError, match=r"mean 'product'\?\)"):
        model.predict(named, average="prodduct")
