"""Parquet: labels with their types, there and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import vest_tucker as vt
from helpers import assert_same

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

X = vt.SparseTensor(
    [[0, 1, 0], [2, 0, 1], [1, 1, 1]],
    [0.1 + 0.2, -0.0, 5e-324],
    modes=["user", "film", "day"],
    labels=[["07", "1", "x"], [10, 20], np.array(["2020-02-29", "2021-01-01"], dtype="M8[D]")],
)


def test_round_trip(tmp_path: Path) -> None:
    vt.write(X, tmp_path / "x.parquet")
    assert_same(vt.read(tmp_path / "x.parquet"), X)


def test_numbers_round_trip(tmp_path: Path) -> None:
    Y = vt.SparseTensor([[0, 4], [2, 0]], [1.5, 2.0])
    vt.write(Y, tmp_path / "x.parquet")
    got, info = vt.read(tmp_path / "x.parquet", return_info=True)
    assert_same(got, Y)
    assert info.index_base == 0
    assert vt.read(tmp_path / "x.parquet", shape=(9, 9)).shape == (9, 9)
    assert vt.read(tmp_path / "x.parquet", index_base=0).shape == (3, 5)


def test_the_file_says_which_modes_have_labels(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    for modes in (None, ["user", "film", "hour"]):
        Y = vt.SparseTensor(
            [[0, 4, 1], [1, 0, 1]], [1.5, 2.0], (2, 9, 7),
            modes=modes, labels=[[3, 5], None, None],
        )  # fmt: skip
        vt.write(Y, path)
        assert_same(vt.read(path), Y)
    got = vt.read(path, modes=["hour", "user"], value="film", duplicates="first")
    assert got.labels[0] is None
    assert got.shape == (7, 2)
    with pytest.raises(vt.errors.OptionError, match="hold labels"):
        vt.read(path, shape=(9, 9, 9))


@pytest.mark.parametrize(
    "note", ["", "[]", "{}", '{"rows": 3}', '{"rows": {"a": "x", "b": 1}}', '{"rows": {"a": true}}']
)
def test_a_damaged_note_is_named(tmp_path: Path, note: str) -> None:
    table = pa.table({"a": [1, 2], "b": [1, 2], "v": [1.0, 2.0]})
    pq.write_table(table.replace_schema_metadata({"vest-tucker": note}), tmp_path / "x.parquet")
    with pytest.raises(vt.errors.DamagedFileError):
        vt.read(tmp_path / "x.parquet")


@pytest.mark.parametrize("column", [[1, 2], [-1, 0], ["x", "y"]])
def test_indices_beyond_the_note_are_named(tmp_path: Path, column: list[object]) -> None:
    table = pa.table({"a": column, "b": [1, 2], "v": [1.0, 2.0]})
    note = {"vest-tucker": '{"rows": {"a": 2, "b": null}}'}
    pq.write_table(table.replace_schema_metadata(note), tmp_path / "x.parquet")
    with pytest.raises(vt.errors.DamagedFileError, match="indices from 0 to 1"):
        vt.read(tmp_path / "x.parquet")


def test_the_index_of_a_pandas_frame_is_not_read_as_a_column(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    path = tmp_path / "x.parquet"
    frame = pd.DataFrame({"a": ["x", "y", "x"], "b": [1, 2, 3], "v": [1.0, 2.0, 3.0]})
    frame[frame.v != 2].to_parquet(path)
    got = vt.read(path)
    assert (got.modes, got.values.tolist()) == (("a", "b"), [1.0, 3.0])
    frame.set_index(["a", "b"]).to_parquet(path)
    assert vt.read(path, modes=["a", "b"]).shape == (2, 3)
    broken = pa.table({"a": [1, 2], "b": [1, 2], "v": [1.0, 2.0]})
    pq.write_table(broken.replace_schema_metadata({"pandas": "{"}), path)
    assert vt.read(path).modes == ("a", "b")


def test_files_of_other_programs(tmp_path: Path) -> None:
    table = pa.table(
        {
            "note": ["x", "y", "z"],
            "film": pa.array(["b", "a", "b"]).dictionary_encode(),
            "stars": pa.array([5, 3, 1], pa.int8()),
            "at": pa.array([0, 10**9, 2 * 10**9], pa.timestamp("s")),
        }
    )
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=1)
    got = vt.read(tmp_path / "x.parquet", modes=["film", "at"], value="stars")
    assert got.shape == (2, 3)
    assert got.values.tolist() == [5.0, 3.0, 1.0]
    assert got.labels[0] is not None
    assert got.labels[0].tolist() == ["a", "b"]


def test_damaged_and_foreign_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    vt.write(X, path)
    whole = path.read_bytes()
    for length in (10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(vt.errors.DamagedFileError, match="cut short"):
            vt.read(path)
    for content in (b"", b"1 1 1\n", bytes(100)):
        path.write_bytes(content)
        with pytest.raises(vt.errors.FileFormatError, match="not a Parquet file"):
            vt.read(path)
    vt.write(X, path)
    with pytest.raises(vt.errors.ColumnError, match="no column 'stars'"):
        vt.read(path, value="stars")
    table = pa.table({"a": [1, 2, 1], "b": [1, 2, 1], "v": [1.0, 2.0, 3.0]})
    pq.write_table(table, path)
    with pytest.raises(vt.errors.DuplicateError, match="rows 0 and 2"):
        vt.read(path)


def test_rows_with_gaps_are_dropped_if_asked(tmp_path: Path) -> None:
    columns = {"who": ["ann", None, "bob"], "hour": [1.0, 2.0, np.nan], "value": [1.0, 2.0, 3.0]}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    with pytest.raises(vt.errors.FileFormatError, match=r'row 1: .*\'who\'.*missing="drop"'):
        vt.read(tmp_path / "x.parquet")
    with pytest.warns(UserWarning, match=r"2 of 3 .*'who' \(first in row 1\), .*'hour' \(first in"):
        assert vt.read(tmp_path / "x.parquet", missing="drop").values.tolist() == [1.0]
