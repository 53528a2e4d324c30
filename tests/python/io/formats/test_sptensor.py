"""The Tensor Toolbox's text: what we write pyttb reads, and the other way round."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import vest_tucker as vt
from helpers import assert_same

X = vt.SparseTensor([[0, 4, 1], [2, 0, 0], [1, 1, 1]], [0.1 + 0.2, -2.0, 1e-300], (4, 5, 6))
HEADER = "sptensor\n3\n4 5 6\n2\n"


def test_what_is_written(tmp_path: Path) -> None:
    vt.write(X, tmp_path / "x.sptensor")
    text = (tmp_path / "x.sptensor").read_text()
    assert text.startswith("sptensor\n3\n4 5 6\n3\n1 5 2 0.30000000000000004\n")


@pytest.mark.parametrize("index_base", [0, 1])
def test_round_trip(tmp_path: Path, index_base: int) -> None:
    vt.write(X, tmp_path / "x.sptensor", index_base=index_base)
    got, info = vt.read(tmp_path / "x.sptensor", return_info=True)
    assert info.index_base == index_base
    assert_same(got, X)


def test_pyttb_reads_it(tmp_path: Path) -> None:
    pyttb = pytest.importorskip("pyttb")
    vt.write(X, tmp_path / "x.sptensor")
    theirs = pyttb.import_data(str(tmp_path / "x.sptensor"))
    assert theirs.shape == X.shape
    np.testing.assert_array_equal(theirs.subs, X.coords)
    np.testing.assert_array_equal(theirs.vals[:, 0], X.values)


@pytest.mark.parametrize("name", ["x.sptensor", "x.txt"])
def test_a_file_written_by_pyttb_is_read(tmp_path: Path, name: str) -> None:
    pyttb = pytest.importorskip("pyttb")
    theirs = pyttb.sptensor(X.coords.astype(np.int64), X.values[:, None], X.shape)
    pyttb.export_data(theirs, str(tmp_path / name))
    got = vt.read(tmp_path / name)
    assert got.shape == X.shape
    np.testing.assert_array_equal(got.coords, X.coords)
    np.testing.assert_array_equal(got.values, X.values)


def test_comments_and_spaces_and_mac_or_windows_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.sptensor"
    path.write_bytes(
        b"\xef\xbb\xbf# ours\r\nsptensor \r\n\r\n3\r\n4  5 6\r\n1\r\n 1 2  3 -1e-3\r\n"
    )
    got = vt.read(path)
    assert got.shape == (4, 5, 6)
    assert got.coords.tolist() == [[0, 1, 2]]


BAD = {
    "another word": ("tensor\n3\n4 5 6\n1 1 1 1\n", 1, "expected the word sptensor"),
    "no order": ("sptensor\nthree\n4 5 6\n2\n1 1 1 1\n", 2, "expected the number of modes"),
    "two orders": ("sptensor\n3 3\n4 5 6\n2\n1 1 1 1\n", 2, "expected the number of modes"),
    "no shape": ("sptensor\n3\n4 x 6\n2\n1 1 1 1\n", 3, "expected the shape"),
    "another order": ("sptensor\n3\n4 5\n2\n1 1 1 1\n", 3, "has 3 modes but the shape"),
    "no rows": ("sptensor\n3\n4 0 6\n1\n1 1 1 1\n", 3, "the dimension 0, but"),
    "too many rows": ("sptensor\n2\n4 2147483648\n1\n1 1 1\n", 3, "dimension 2147483648, but"),
    "a negative side": ("sptensor\n2\n4 -5\n1\n1 1 1\n", 3, "expected the shape"),
    "endless digits": (f"sptensor\n2\n4 {'9' * 5000}\n1\n1 1 1\n", 3, "expected the shape"),
    "endless entries": (f"sptensor\n2\n4 5\n{'9' * 5000}\n1 1 1\n", 4, "expected the number of"),
    "a line that looks blank": ("sptensor\n\u00a0\n4 5\n1\n1 1 1\n", 2, "expected the number of"),
    "no count": ("sptensor\n3\n4 5 6\n1 1 1 1.5\n", 4, "expected the number of entries"),
    "only the header": (HEADER, None, "no entries"),
    "half the header": ("sptensor\n3\n", None, "ends before the shape"),
    "empty": ("", None, "ends before the word sptensor"),
    "fewer entries": (HEADER + "1 1 1 1\n", None, "promises 2 entries but has 1"),
    "more entries": (HEADER + "1 1 1 1\n" * 3, None, "promises 2 entries but has 3"),
    "fewer indices": (HEADER + "1 1 1\n1 2 1\n", None, "2 indices per line but the shape"),
    "a bad line": (HEADER + "1 1 1 1\n1 x 2 1\n", 6, "column 2 is 'x'"),
    "a large index": (HEADER + "1 1 1 1\n1 9 2 1\n", 6, "index 9 in column 2"),
    "binary": ("sptensor\n\0", None, "binary"),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_bad_files(tmp_path: Path, bad: tuple[str, int | None, str]) -> None:
    content, line, said = bad
    path = tmp_path / "x.sptensor"
    path.write_text(content, "utf-8")
    with pytest.raises(vt.errors.FileFormatError) as caught:
        vt.read(path)
    assert caught.value.line == line
    assert said in str(caught.value)
