"""Data frames of three libraries: one tensor from all of them, errors that name row and column."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vest_tucker as vt
from vest_tucker.data.frames import make_frame

pa = pytest.importorskip("pyarrow")

LIBRARIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas with objects": lambda data: pd.DataFrame(data).astype(
        {name: object for name, column in data.items() if isinstance(column[0], str)}
    ),
    "pandas on Arrow": lambda data: pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda data: pl.DataFrame(data, strict=False),
    "polars, lazy": lambda data: pl.LazyFrame(data, strict=False),
    "Arrow": pa.table,
}
MEALS: dict[str, Any] = {
    "who": ["eve", "bob", "eve", "ann"],
    "dish": [7, 3, 3, 7],
    "day": [dt.date(2021, 5, 2), dt.date(2021, 5, 1), dt.date(2021, 5, 1), dt.date(2021, 5, 3)],
    "stars": [4, 2, 5, 0],
}
MODES = ["who", "dish", "day"]


@pytest.fixture(params=LIBRARIES)
def frame(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Makes the meals, some columns changed, a frame of each library in turn."""
    return lambda **changes: LIBRARIES[request.param]({**MEALS, **changes})


def test_the_same_tensor_from_every_library(frame: Callable[..., Any]) -> None:
    X = vt.SparseTensor.from_frame(frame(), modes=MODES, value="stars")
    assert X.coords.tolist() == [[2, 1, 1], [1, 0, 0], [2, 0, 0], [0, 1, 2]]
    assert X.values.tolist() == [4.0, 2.0, 5.0, 0.0]
    assert (X.shape, X.modes) == ((3, 2, 3), ("who", "dish", "day"))
    who, dish, day = X.labels
    assert who is not None
    assert dish is not None
    assert day is not None
    assert (who.dtype.kind, who.tolist()) == ("O", ["ann", "bob", "eve"])
    assert (dish.dtype.kind, dish.tolist()) == ("i", [3, 7])
    assert (day.dtype.kind, day.astype("M8[D]").tolist()) == ("M", sorted(set(MEALS["day"])))


def test_the_order_of_rows_does_not_matter_to_labels(frame: Callable[..., Any]) -> None:
    reverse = {name: column[::-1] for name, column in MEALS.items()}
    X, Y = (
        vt.SparseTensor.from_frame(each, modes=MODES, value="stars")
        for each in (frame(), frame(**reverse))
    )
    assert X.mode_labels == Y.mode_labels
    assert X.coords.tolist() == Y.coords.tolist()[::-1]


def test_a_test_frame_with_the_labels_of_training(frame: Callable[..., Any]) -> None:
    train = vt.SparseTensor.from_frame(frame(), modes=MODES, value="stars")
    test = vt.SparseTensor.from_frame(
        frame(
            who=["bob"] * 4, dish=[3, 7, 3, 7], day=[MEALS["day"][0]] * 2 + [MEALS["day"][1]] * 2
        ),
        value="stars",
        like=train,
    )
    assert test.shape == train.shape
    assert test.mode_labels is train.mode_labels
    assert test.coords.tolist() == [[1, 0, 1], [1, 1, 1], [1, 0, 0], [1, 1, 0]]


def test_labels_given_for_some_modes(frame: Callable[..., Any]) -> None:
    names = ["zoe", "eve", "bob", "ann"]
    X = vt.SparseTensor.from_frame(frame(), MODES, "stars", labels={"who": names})
    assert X.coords[:, 0].tolist() == [1, 2, 1, 3]
    assert X.shape == (4, 2, 3)


def test_a_mode_without_labels_has_indices(frame: Callable[..., Any]) -> None:
    train = vt.SparseTensor([[0, 9]], [1.0], modes=["who", "dish"], labels={"who": ["eve"]})
    X = vt.SparseTensor.from_frame(
        frame(who=["eve"] * 4, dish=[3, 5, 9, 0]), None, "stars", like=train
    )
    assert X.coords[:, 1].tolist() == [3, 5, 9, 0]
    with pytest.raises(vt.LabelError, match=r"row 1 of the column 'dish' has -5"):
        vt.SparseTensor.from_frame(
            frame(who=["eve"] * 4, dish=[3, -5, 9, 0]), None, "stars", like=train
        )


def test_duplicates(frame: Callable[..., Any]) -> None:
    repeated = frame(who=["eve"] * 4)
    with pytest.raises(vt.DuplicateError, match=r"rows 1 and 2 .*who='eve', dish=3"):
        vt.SparseTensor.from_frame(repeated, modes=["who", "dish"], value="stars")
    X = vt.SparseTensor.from_frame(repeated, ["who", "dish"], "stars", duplicates="mean")
    assert X.values.tolist() == [2.0, 3.5]


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


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("item", [[1], {"x": 1}])
def test_what_can_be_no_label(make: Any, item: Any) -> None:
    frame = make({"a": [item, item], "b": [0, 1], "value": [1.0, 2.0]})
    with pytest.raises(vt.LabelError, match="column 'a' does not hold labels"):
        vt.SparseTensor.from_frame(frame, ["a", "b"])


def test_the_index_of_pandas_is_of_no_interest() -> None:
    frame = pd.DataFrame(MEALS, index=[5, 5, 1, 0])
    X = vt.SparseTensor.from_frame(frame, MODES, "stars")
    assert X.coords[:, 0].tolist() == [2, 1, 2, 0]


# What is wrong: (changed columns, options, error, what the message names).
BAD: dict[str, tuple[dict[str, Any], dict[str, Any], type[Exception], tuple[str, ...]]] = {
    "no such mode": (
        {}, {"modes": ["whom", "dish"]}, vt.ColumnError,
        ("'whom'", "'who', 'dish', 'day', 'stars'")),
    "no such value": ({}, {"value": "rating"}, vt.ColumnError, ("'rating'", "'stars'")),
    "a mode twice": ({}, {"modes": ["who", "who"]}, vt.ColumnError, ("'who'", "twice")),
    "the value as a mode": ({}, {"modes": ["who", "stars"]}, vt.ColumnError, ("'stars'", "twice")),
    "one text for modes": ({}, {"modes": "who"}, vt.OptionError, ("'who'", "modes=[")),
    "no modes": ({}, {"modes": None}, vt.OptionError, ("None",)),
    "a single mode": ({}, {"modes": ["who"]}, vt.ShapeError, ("at least 2 modes",)),
    "a label missing": (
        {"who": ["eve", "bob", None, "ann"]}, {}, vt.LabelError, ("row 2", "'who'")),
    "a number missing among labels": (
        {"dish": [1.0, 2.0, 3.0, None]}, {}, vt.LabelError, ("row 3", "'dish'")),
    "a date missing": (
        {"day": [None, *MEALS["day"][1:]]}, {}, vt.LabelError, ("row 0", "'day'")),
    "a value missing": (
        {"stars": [4.0, None, 5.0, None]}, {}, vt.NonFiniteError, ("row 1", "'stars'")),
    "no value at all": ({"stars": [None] * 4}, {}, vt.NonFiniteError, ("row 0", "'stars'")),
    "an infinite value": (
        {"stars": [4.0, 1.0, np.inf, 1.0]}, {}, vt.NonFiniteError, ("2", "inf", "who='eve'")),
    "text as values": (
        {"stars": ["4", "2", "good", "1"]}, {}, vt.DtypeError, ("'stars'", "String", "'4'")),
    "dates as values": ({}, {"value": "day", "modes": ["who", "dish"]}, vt.DtypeError, ("'day'",)),
    "unseen labels": (
        {}, {"labels": {"who": ["eve", "zoe"]}}, vt.LabelError,
        ("'who'", "2 labels", "'ann', 'bob'", "row", "among the 2 given")),
    "unseen numbers": (
        {}, {"labels": {"dish": [7, 8]}}, vt.LabelError, ("'dish'", "1 labels", ": 3", "row 1")),
    "labels of another kind": (
        {}, {"labels": {"dish": ["7", "3"]}}, vt.LabelError, ("such as '7'", ": 3, 7", "row 0")),
    "labels of an unknown mode": ({}, {"labels": {"dishes": [3]}}, vt.ModeError, ("'dishes'",)),
    "an unknown policy": ({}, {"duplicates": "max"}, vt.OptionError, ("'max'",)),
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
    with pytest.raises(vt.LabelError, match=r"row 1 .*'dish'"):
        vt.SparseTensor.from_frame(frame, MODES, "stars")


def test_an_empty_frame(frame: Callable[..., Any]) -> None:
    empty = frame()
    empty = empty.head(0) if hasattr(empty, "head") else empty.slice(0, 0)
    with pytest.raises(vt.EmptyTensorError):
        vt.SparseTensor.from_frame(empty, MODES, "stars")


def test_labels_and_like_at_once() -> None:
    X = vt.SparseTensor.from_frame(pd.DataFrame(MEALS), MODES, "stars")
    with pytest.raises(vt.OptionError, match="labels and like"):
        vt.SparseTensor.from_frame(pd.DataFrame(MEALS), MODES, "stars", like=X, labels={})
    with pytest.raises(vt.DtypeError, match="like must be a SparseTensor, but is a str"):
        vt.SparseTensor.from_frame(pd.DataFrame(MEALS), MODES, "stars", like="X")  # type: ignore[arg-type]
    with pytest.raises(vt.OptionError, match=r"'dish' are not those .*'dish', 'day'"):
        vt.SparseTensor.from_frame(pd.DataFrame(MEALS), MODES[:2], "stars", like=X)


@pytest.mark.parametrize("what", [[1, 2], {"a": [1]}, None, np.zeros((2, 2))])
def test_what_is_no_frame(what: Any) -> None:
    with pytest.raises(vt.DtypeError, match=type(what).__name__):
        vt.SparseTensor.from_frame(what, MODES)


def test_columns_that_are_numbered() -> None:
    with pytest.raises(vt.ColumnError, match="column 0 must be named by a text"):
        vt.SparseTensor.from_frame(pd.DataFrame([[1, 2, 3.0]]), [0, 1], 2)  # type: ignore[list-item, arg-type]


def test_column_names_that_repeat() -> None:
    frame = pd.DataFrame([[1, 2, 3.0]], columns=["a", "a", "value"])
    with pytest.raises(vt.DtypeError, match="repeat"):
        vt.SparseTensor.from_frame(frame, ["a", "value"])


def test_without_narwhals_the_way_to_get_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "narwhals", None)
    for call in (
        lambda: vt.SparseTensor.from_frame(pd.DataFrame(MEALS), MODES, "stars"),
        lambda: vt.SparseTensor([[0, 0]], [1.0]).to_frame(),
    ):
        with pytest.raises(vt.MissingPackageError, match=r"narwhals.*vest-tucker\[frame\]"):
            call()


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


@pytest.mark.parametrize("library", ["pandas", "polars", "Arrow"])
def test_many_rows(library: str, rng: np.random.Generator) -> None:
    n = 50_000
    users, movies = (
        np.array([f"{kind} {i}" for i in range(size)], dtype=object)[rng.integers(0, size, n)]
        for kind, size in (("user", 5_000), ("movie", 1_000))
    )
    frame = LIBRARIES[library](
        {"user": users, "movie": movies, "row": np.arange(n), "value": rng.random(n)}
    )
    X = vt.SparseTensor.from_frame(frame, ["user", "movie", "row"])
    users_back = X.mode_labels.decode("user", X.coords[:, 0])
    assert (users_back == users).all()


# --- And back ------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_there_and_back(backend: Any) -> None:
    X = vt.SparseTensor.from_frame(pl.DataFrame(MEALS), MODES, "stars")
    back = X.to_frame(value="stars", backend=backend)
    assert type(back).__module__.startswith(backend)
    again = vt.SparseTensor.from_frame(back, MODES, "stars")
    np.testing.assert_array_equal(again.coords, X.coords)
    np.testing.assert_array_equal(again.values, X.values)
    assert again.mode_labels == X.mode_labels or backend == "pandas"  # whose dates have seconds


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("unit", ["Y", "M", "D", "h", "s", "ms", "us", "ns"])
def test_dates_of_any_unit_come_back(backend: Any, unit: str) -> None:
    months = np.array(["2021-05-01", "2022-01-01"], dtype="M8[D]").astype(f"M8[{unit}]")
    X = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], labels=[months, None])
    again = vt.SparseTensor.from_frame(X.to_frame(backend=backend), X.modes)
    assert again.labels[0] is not None
    np.testing.assert_array_equal(again.labels[0], months)


def test_frames_of_other_labels() -> None:
    mixed = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], labels=[["x", 7], [True, False]])
    assert mixed.to_frame()["mode_0"].tolist() == ["x", 7]
    with pytest.raises(vt.DtypeError, match="polars"):
        mixed.to_frame(backend="polars")


def test_bad_ways_back(monkeypatch: pytest.MonkeyPatch) -> None:
    X = vt.SparseTensor([[0, 0]], [1.0], modes=["value", "b"])
    with pytest.raises(vt.ColumnError, match="'value' already"):
        X.to_frame()
    with pytest.raises(vt.OptionError, match="'excel'"):
        X.to_frame(value="x", backend="excel")  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(vt.MissingPackageError, match="pip install polars"):
        make_frame({"a": np.zeros(1)}, "polars")


def test_a_record_batch_is_a_table_too() -> None:
    pa = pytest.importorskip("pyarrow")
    data = {"a": ["x", "y"], "b": [1, 2], "v": [1.0, 2.0]}
    X = vt.SparseTensor.from_frame(pa.RecordBatch.from_pydict(data), ["a", "b"], "v")
    assert X.mode_labels == vt.SparseTensor.from_frame(pa.table(data), ["a", "b"], "v").mode_labels
