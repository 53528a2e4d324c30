"""Tables with named columns: which column is what."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.errors import (
    ColumnError,
    DtypeError,
    DuplicateError,
    FileFormatError,
    LabelError,
    ModesWarning,
    OptionError,
)
from vest_tucker.io.columns import choose, tensor_from_table
from vest_tucker.io.indexed import Place
from vest_tucker.io.read_options import Request

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")

NAMES = ["user", "film", "rating", "when"]


@pytest.mark.parametrize(
    ("options", "modes", "value"),
    [
        ({}, ("user", "film", "rating"), "when"),
        ({"value": "rating"}, ("user", "film", "when"), "rating"),
        ({"modes": ["film", "user"]}, ("film", "user"), "when"),
        ({"modes": ["when", "user"]}, ("when", "user"), "rating"),
        ({"modes": ["when", "user"], "value": "film"}, ("when", "user"), "film"),
    ],
)
def test_which_columns_are_modes_and_which_is_the_value(
    options: Any, modes: tuple[str, ...], value: str
) -> None:
    assert choose(NAMES, "x", Request(**options))[:5] == (modes, value, None, None, None)


def test_default_names_hold_indices() -> None:
    assert choose(["mode_0", "mode_1", "v"], "x", Request()).index_base == 0
    assert choose(["mode_1", "mode_0", "v"], "x", Request()).index_base is None
    assert choose(NAMES, "x", Request(index_base=1)).index_base == 1


def test_bad_choices() -> None:
    with pytest.raises(ColumnError, match="no column 'movie'; there are 'user', 'film'"):
        choose(NAMES, "x", Request(modes=["user", "movie"]))
    with pytest.raises(ColumnError, match="no column 'stars'"):
        choose(NAMES, "x", Request(value="stars"))
    with pytest.raises(ColumnError, match="none is left for the value"):
        choose(NAMES, "x", Request(modes=NAMES))
    with pytest.raises(ColumnError, match="x: the column 'film' is asked for twice"):
        choose(NAMES, "x", Request(modes=["user", "film"], value="film"))
    with pytest.raises(ColumnError, match="'user' is asked for twice"):
        choose(NAMES, "x", Request(modes=["user", "user", "film"]))
    with pytest.raises(FileFormatError, match="empty"):
        choose([], "x", Request())
    with pytest.raises(FileFormatError, match=r"without a name.*modes=\['a', 'b'\]"):
        choose(["", "a", "b", "v"], "x", Request())
    with pytest.raises(FileFormatError, match="two columns called 'a'"):
        choose(["a", "b", "a"], "x", Request())
    with pytest.raises(FileFormatError, match="two modes or more"):
        choose(["a", "b"], "x", Request())
    with pytest.raises(OptionError, match="modes is 'user'"):
        choose(NAMES, "x", Request(modes="user"))
    with pytest.raises(OptionError, match=r"shape is given.*index_base"):
        choose(NAMES, "x", Request(shape=(3, 3)))


def made(columns: dict[str, Any], **options: Any) -> Any:
    request = Request(**options)
    chosen = choose(list(columns), "x", request)
    return tensor_from_table(pa.table(columns), chosen, "x", Place, request)


def test_labels_and_indices() -> None:
    columns = {"i": [10, 20], "j": [3, 1], "v": [1, 2]}
    tensor, base = made(columns)
    assert base is None
    assert [own.tolist() for own in tensor.labels] == [[10, 20], [1, 3]]
    tensor, base = made(columns, index_base=1, shape=(20, 5))
    assert base == 1
    assert (tensor.shape, tensor.modes) == ((20, 5), ("i", "j"))
    assert tensor.coords.tolist() == [[9, 2], [19, 0]]


def test_labels_of_another_tensor() -> None:
    train, _ = made({"i": ["b", "a", "c"], "j": ["x", "y", "x"], "v": [1, 2, 3]})
    test, _ = made({"j": ["y"], "v": [5.0], "i": ["c"]}, like=train)
    assert (test.shape, test.coords.tolist()) == (train.shape, [[2, 1]])
    with pytest.raises(LabelError, match="'z'"):
        made({"i": ["z"], "j": ["y"], "v": [5.0]}, like=train)


def test_indices_of_another_tensor() -> None:
    train, _ = made({"i": ["b", "a", "c"], "j": ["x", "y", "x"], "v": [1, 2, 3]})
    test, base = made({"j": [1], "v": [5.0], "i": [3]}, like=train, index_base=1)
    assert (test.shape, test.coords.tolist(), base) == (train.shape, [[2, 0]], 1)
    assert test.mode_labels == train.mode_labels
    with pytest.raises(FileFormatError, match="go from 1 to 2"):
        made({"i": [1], "j": [3], "v": [5.0]}, like=train, index_base=1)
    with pytest.raises(OptionError, match=r"\(9, 9\), but that of the other"):
        made({"i": [1], "j": [2], "v": [5.0]}, like=train, index_base=1, shape=(9, 9))


@pytest.mark.parametrize(
    ("columns", "options", "error", "said"),
    [
        ({"i": [1, None], "j": [1, 2], "v": [1, 2]}, {}, FileFormatError, "row 1: .*column 'i'"),
        ({"i": [1, 2], "j": [1, 2], "v": [None, 2]}, {}, FileFormatError, "row 0: .*column 'v'"),
        ({"i": [1, 2], "j": [1, 2], "v": ["a", "b"]}, {}, DtypeError, "real numbers"),
        ({"i": [5, 5, 5], "j": ["a", "b", "a"], "v": [1, 2, 3]}, {}, DuplicateError, "0 and 2"),
        ({"i": [1.5, 2], "j": [1, 2], "v": [1, 2]}, {"index_base": 1},
         FileFormatError, "'i' does not hold whole numbers"),
        ({"i": [1, 2], "j": [1, 2], "v": ["a", "b"]}, {"index_base": 1}, DtypeError, "real"),
        ({"i": [0, 2], "j": [1, 2**40], "v": [1, 2]}, {"index_base": 0},
         FileFormatError, "row 1: index 1099511627776"),
        ({"i": [], "j": [], "v": []}, {}, FileFormatError, "no entries"),
    ],
)  # fmt: skip
def test_bad_tables(columns: Any, options: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        made(columns, **options)


def shop(**columns: Any) -> Any:
    n = 200
    who = [f"user {each % 20}" for each in range(n)]
    day = [f"day {each // 20}" for each in range(n)]
    return pa.table({"who": who, "day": day, **columns, "stars": np.arange(n) / 7})


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"id": range(200)}, "'id' has 200 labels for 200 entries"),
        ({"price": [each % 60 / 4 + 0.05 for each in range(200)]}, "'price' has 60 different num"),
    ],
)
def test_a_column_that_hardly_is_a_mode_is_told(tmp_path: Path, columns: Any, said: str) -> None:
    for suffix in (".csv", ".parquet"):
        path = tmp_path / f"shop{suffix}"
        (pa.csv.write_csv if suffix == ".csv" else pa.parquet.write_table)(shop(**columns), path)
        with pytest.warns(ModesWarning, match=rf"{said}.* as modes=\['who', 'day'\]"):
            vt.read(path)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            vt.read(path, modes=["who", "day", *columns])  # who says so means it
            vt.read(path, modes=["who", "day"])


def test_columns_that_may_well_be_modes_are_not_told(tmp_path: Path) -> None:
    pa.parquet.write_table(shop(hour=[each % 24 + 0.5 for each in range(200)]), tmp_path / "a")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vt.read(tmp_path / "a", format="parquet")
