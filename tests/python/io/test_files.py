"""Reading and writing: which format, what is told, and every hostile file with its named error."""

from __future__ import annotations

import gzip
import logging
import os
import pickle
import sys
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.errors import (
    ColumnError,
    DamagedFileError,
    DtypeError,
    DuplicateError,
    FileFormatError,
    LabelError,
    MissingPackageError,
    OptionError,
    ShapeError,
)
from vest_tucker.io.formats import FORMATS, FormatName

X = vt.SparseTensor([[0, 4, 1], [2, 0, 0], [1, 1, 1]], [3.0, 0.0, -4.5])
NAMES = [
    "x.tns", "x.TNS", "x.tns.gz", "x.tns.xz", "x.tns.bz2", "x.tns.zst", "x.sptensor",
    "x.sptensor.gz", "x.csv", "x.csv.zst", "x.tsv.xz", "x.parquet", "x.npz",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_round_trips(tmp_path: Path, name: str) -> None:
    vt.write(X, tmp_path / name)
    got, info = vt.read(tmp_path / name, return_info=True)
    assert got.shape == X.shape
    assert got.coords.tobytes() == X.coords.tobytes()
    assert got.values.tobytes() == X.values.tobytes()
    assert info.path == str(tmp_path / name)
    assert f".{info.format}" in name.lower()
    assert info.compression == (name.split(".")[2] if name.count(".") == 2 else None)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_known_without_its_name(tmp_path: Path, name: str) -> None:
    vt.write(X, tmp_path / name)
    (tmp_path / name).rename(tmp_path / "data")
    assert vt.read(tmp_path / "data").coords.tolist() == X.coords.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        vt.write(X, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_format_may_be_given(tmp_path: Path) -> None:
    assert set(get_args(FormatName)) == {form.name for form in FORMATS}
    for form in get_args(FormatName):
        vt.write(X, tmp_path / "data.bin", format=form)
        got, info = vt.read(tmp_path / "data.bin", format=form, return_info=True)
        assert info.format == form
        assert got.coords.tolist() == X.coords.tolist()


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("1 2 3\n", "tns"),
        ("# a, b\n1\t2\t3\n", "tns"),
        ("1,2,3\n", "tns"),
        ("sptensor\n2\n1 2\n1\n1 2 3\n", "sptensor"),
        ("a,b,v\n1,2,3\n", "csv"),
        ("a\tb\tv\n1\t2\t3\n", "tsv"),
    ],
)
def test_text_is_known_by_its_first_line(tmp_path: Path, text: str, form: str) -> None:
    (tmp_path / "data.txt").write_text(text)
    assert vt.read(tmp_path / "data.txt", return_info=True)[1].format == form


@pytest.mark.parametrize(("first", "base"), [("0 1 5", 0), ("1 1 5", 1)])
def test_the_index_base_found_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, first: str, base: int
) -> None:
    (tmp_path / "x.tns").write_text(f"{first}\n2 2 1\n")
    with caplog.at_level(logging.INFO, "vest_tucker.io"):
        X, info = vt.read(tmp_path / "x.tns", return_info=True)
    assert info.index_base == base
    assert X.shape == (3 - base, 3 - base)
    assert f"read as tns, 2 entries, indices count from {base}" in caplog.text


HOSTILE: dict[str, tuple[str, bytes, Any, type[Exception], tuple[object, ...]]] = {
    "binary": ("x.tns", bytes(range(256)) * 9, {}, FileFormatError, ("binary",)),
    "binary without zeros": ("x.tns", b"\x89PNG\xff\xfe" * 9, {}, FileFormatError, ("line 1",)),
    "empty": ("x.tns", b"", {}, FileFormatError, ("no entries",)),
    "empty csv": ("x.csv", b"", {}, FileFormatError, ("x.csv",)),
    "empty parquet": ("x.parquet", b"", {}, FileFormatError, ("not a Parquet",)),
    "empty npz": ("x.npz", b"", {}, FileFormatError, ("not a file that vest-tucker wrote",)),
    "empty, of no format": ("x", b"", {}, FileFormatError, ("no entries",)),
    "one column": ("x.tns", b"1\n2\n", {}, FileFormatError, ("line 1", "1 column")),
    "ragged": ("x.tns", b"1 1 1\n1 2 1\n1 3\n", {}, FileFormatError, ("line 3", "'1 3'")),
    "huge index": ("x.tns", b"1 1 1\n1 3000000000 1\n", {}, FileFormatError,
                   ("line 2", "3000000000", "beyond")),
    "negative index": ("x.tns", b"1 1 1\n1 -3 1\n", {}, FileFormatError, ("line 2", "-3")),
    "float index": ("x.tns", b"1 1 1\n1 2.5 1\n", {}, FileFormatError, ("line 2", "2.5")),
    "NaN": ("x.tns", b"1 1 1\n1 2 nan\n", {}, FileFormatError, ("line 2", "nan")),
    "infinity": ("x.tns", b"1 1 1\n1 2 -Inf\n", {}, FileFormatError, ("line 2", "-inf")),
    "too large a value": ("x.tns", b"1 1 1\n1 2 1e999\n", {}, FileFormatError, ("line 2",)),
    "byte order mark, then text": ("x.tns", b"\xef\xbb\xbfa b c\n", {}, FileFormatError,
                                   ("line 1", "'a'")),
    "CRLF, ragged": ("x.tns", b"1 1 1\r\n1 2\r\n", {}, FileFormatError, ("line 2", "'1 2'")),
    "duplicates": ("x.tns", b"1 1 1\n#\n1 1 2\n", {}, DuplicateError, ("lines 1", "and 3")),
    "truncated gz": ("x.tns.gz", gzip.compress(b"1 1 1\n" * 99)[:-9], {}, DamagedFileError,
                     ("gz",)),
    "text called npz": ("x.npz", b"1 1 1\n", {}, FileFormatError, ("vest-tucker wrote",)),
    "text called parquet": ("x.parquet", b"1 1 1\n", {}, FileFormatError, ("Parquet",)),
    "text called sptensor": ("x.sptensor", b"1 1 1\n", {}, FileFormatError, ("line 1",)),
    "zip called tns": ("x.tns", b"PK\x03\x04\x00\x00", {}, FileFormatError, ("binary",)),
    "a zero where there is none": ("x.tns", b"1 1 1\n1 0 1\n", {"index_base": 1},
                                   FileFormatError, ("line 2", "index 0")),
    "beyond the shape": ("x.tns", b"1 1 1\n1 9 1\n", {"shape": (3, 3)}, FileFormatError,
                         ("line 2", "index 9")),
}  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files(tmp_path: Path, hostile: Any) -> None:
    name, content, options, error, fragments = hostile
    (tmp_path / name).write_bytes(content)
    with pytest.raises(error) as caught:
        vt.read(tmp_path / name, **options)
    for fragment in (name, *fragments):
        assert fragment in str(caught.value)


def test_the_error_survives_a_process_boundary(tmp_path: Path) -> None:
    (tmp_path / "x.tns").write_text("1 1 1\n1 x 1\n")
    with pytest.raises(FileFormatError) as caught:
        vt.read(tmp_path / "x.tns")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.path, copy.line) == (str(caught.value), str(tmp_path / "x.tns"), 2)


@pytest.mark.parametrize("name", NAMES)
def test_missing_files_are_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileNotFoundError, match="x"):
        vt.read(tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises((IsADirectoryError, PermissionError)):
        vt.read(tmp_path / name)
    with pytest.raises(IsADirectoryError):
        vt.write(X, tmp_path / name)
    with pytest.raises(FileNotFoundError):
        vt.write(X, tmp_path / "nowhere" / name)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do anything")
def test_files_without_permission_are_named(tmp_path: Path) -> None:
    vt.write(X, tmp_path / "x.tns")
    (tmp_path / "x.tns").chmod(0)
    with pytest.raises(PermissionError):
        vt.read(tmp_path / "x.tns")


def test_a_shape_of_any_kind(tmp_path: Path) -> None:
    vt.write(X, tmp_path / "x.tns")
    shape: Any = np.array([9, 9, 9])
    assert vt.read(tmp_path / "x.tns", shape=shape).shape == (9, 9, 9)
    with pytest.raises(ShapeError, match="whole numbers"):
        vt.read(tmp_path / "x.tns", shape=shape / 2)
    with pytest.raises(ShapeError, match="has 2 modes, but the file has 3"):
        vt.read(tmp_path / "x.tns", shape=(9, 9))


def test_options_that_a_format_does_not_take_are_refused(tmp_path: Path) -> None:
    vt.write(X, tmp_path / "x.tns")
    vt.write(X, tmp_path / "x.npz")
    bad: Any
    for bad in ({"index_base": 2}, {"format": "xls"}, {"value": "v"}, {"like": X}):
        with pytest.raises(OptionError, match=next(iter(bad))):
            vt.read(tmp_path / "x.tns", **bad)
    for bad in ({"index_base": 1}, {"shape": (9, 9, 9)}, {"modes": ["a", "b", "c"]}):
        with pytest.raises(OptionError, match=next(iter(bad))):
            vt.read(tmp_path / "x.npz", **bad)
    with pytest.raises(OptionError, match="duplicates"):
        vt.read(tmp_path / "x.tns", duplicates="maybe")  # type: ignore[call-overload]
    for name, bad in (
        ("x.tns", {"index_base": 2}), ("x.tns", {"value": "v"}), ("x.csv", {"index_base": 1}),
        ("x.npz", {"value": "v"}), ("x.tns", {"format": "xls"}), ("x.xls", {}), ("x", {}),
        ("x.npz.gz", {}), ("x.parquet.zst", {}),
    ):  # fmt: skip
        with pytest.raises(OptionError):
            vt.write(X, tmp_path / name, **bad)
    with pytest.raises(DtypeError, match="write needs a SparseTensor"):
        vt.write(np.zeros(3), tmp_path / "x.tns")  # type: ignore[arg-type]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.npz", "x.tns"]


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.parquet", "x.tns.zst"])
def test_without_arrow_the_way_to_get_it_is_named(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    vt.write(X, tmp_path / name)
    for module in ("pyarrow", "pyarrow.csv", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingPackageError, match=r"pip install 'vest-tucker\[io\]'"):
        vt.read(tmp_path / name)
    with pytest.raises(MissingPackageError, match=r"pip install 'vest-tucker\[io\]'"):
        vt.write(X, tmp_path / f"new {name}")
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["x.tns", "x.tns.gz", "x.sptensor.xz", "x.npz"])
def test_without_arrow_numbers_go_in_and_out(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("pyarrow", "pyarrow.csv", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    vt.write(X, tmp_path / name)
    assert vt.read(tmp_path / name).coords.tolist() == X.coords.tolist()


@pytest.mark.parametrize("name", ["ML_small.tns.gz", "movietweetings_train.tns.gz"])
def test_real_files(name: str) -> None:
    folder = os.environ.get("VEST_DATA")
    if not folder or not (Path(folder) / name).exists():
        pytest.skip("VEST_DATA names no folder with it")
    X, info = vt.read(Path(folder) / name, return_info=True)
    assert info.index_base == 1
    assert X.order == 4
    assert X.nnz in (40_029, 127_526)


@pytest.mark.parametrize("name", ["x.npz", "x.parquet", "x.csv", "x.tsv"])
@pytest.mark.parametrize("labels", [[7, "seven"], [2**70, 1], [(1, 2), (1, 3)], [1 + 2j, 3j]])
def test_labels_that_a_format_cannot_hold(tmp_path: Path, name: str, labels: Any) -> None:
    X = vt.SparseTensor([[0, 0], [1, 0]], [1, 2], modes=["a", "b"], labels=[labels, None])
    with pytest.raises(LabelError, match="cannot be written"):
        vt.write(X, tmp_path / name)
    assert not list(tmp_path.iterdir())


# --- Weights -------------------------------------------------------------------------------------

WEIGHTED = vt.SparseTensor(
    X.coords, X.values, X.shape, modes=["user", "film", "day"], weights=[2.0, 0.1, 1e-3]
)


@pytest.mark.parametrize("name", ["x.csv", "x.tsv.gz", "x.parquet", "x.npz"])
@pytest.mark.parametrize("tensor", [WEIGHTED, X.with_weights([3, 1, 2])], ids=["named", "plain"])
def test_weights_come_back(tmp_path: Path, name: str, tensor: vt.SparseTensor) -> None:
    vt.write(tensor, tmp_path / name)
    got = vt.read(tmp_path / name)
    assert got.weights is not None
    assert tensor.weights is not None
    assert got.weights.tobytes() == tensor.weights.tobytes()
    assert got.values.tobytes() == tensor.values.tobytes()
    assert got.modes == tensor.modes
    vt.write(tensor.with_weights(None), tmp_path / name)
    assert vt.read(tmp_path / name).weights is None


@pytest.mark.parametrize("name", ["x.csv", "x.parquet"])
def test_the_column_of_weights_can_be_named(tmp_path: Path, name: str) -> None:
    vt.write(WEIGHTED, tmp_path / name, value="late", weight="flights")
    got = vt.read(tmp_path / name, weight="flights")
    assert got.weights is not None
    assert got.weights.tolist() == [2.0, 0.1, 1e-3]
    assert got.modes == WEIGHTED.modes
    other = vt.read(tmp_path / name, modes=["user", "film"], value="flights")
    assert other.weights is None
    assert other.values.tolist() == [2.0, 0.1, 1e-3]
    again = vt.read(tmp_path / name, like=got, value="late", weight="flights")
    assert again.weights is not None
    assert again.weights.tolist() == [2.0, 0.1, 1e-3]
    with pytest.raises(ColumnError, match="no column 'w'"):
        vt.read(tmp_path / name, weight="w")


@pytest.mark.parametrize("name", ["x.tns", "x.sptensor.gz"])
def test_formats_without_weights_say_so(tmp_path: Path, name: str) -> None:
    with pytest.raises(OptionError, match=r"no place for the weights.*\.npz.*with_weights"):
        vt.write(WEIGHTED, tmp_path / name)
    assert not (tmp_path / name).exists()
    vt.write(WEIGHTED.with_weights(None), tmp_path / name)
    with pytest.raises(OptionError, match="weight is 'w', but means nothing"):
        vt.read(tmp_path / name, weight="w")


def test_a_bad_weight_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for modes in ("user,film", "mode_0,mode_1"):
        path.write_text(f"{modes},value,weight\n0,1,2.5,1\n1,0,2.0,-3\n")
        with pytest.raises(FileFormatError, match=r"line 3: the weight is -3.*leave out") as bad:
            vt.read(path)
        assert bad.value.line == 3
    path.write_text("user,film,value,weight\n0,1,2.5,\n")
    with pytest.raises(FileFormatError, match=r"line 2.*'weight'"):
        vt.read(path)


def test_repeated_lines_are_averaged_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    lines = "a,b,1\na,b,4\nb,b,5\n"
    path.write_text(f"user,film,late\n{lines}")
    got = vt.read(path, duplicates="mean", count_as_weight=True)
    assert got.weights is not None
    assert (got.values.tolist(), got.weights.tolist()) == ([2.5, 5.0], [2.0, 1.0])
    (tmp_path / "x.tns").write_text("1 1 3\n1 1 4\n2 1 9\n")
    got = vt.read(tmp_path / "x.tns", duplicates="median", count_as_weight=True)
    assert got.weights is not None
    assert (got.values.tolist(), got.weights.tolist()) == ([3.5, 9.0], [2.0, 1.0])
