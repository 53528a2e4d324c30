"""Endless lines and very wide tables: named at once, before memory or patience are used up."""

from __future__ import annotations

import gzip
import io
import time
import tracemalloc
from pathlib import Path

import pytest

import vest_tucker as vt
from vest_tucker.io.blocks import text_blocks
from vest_tucker.io.formats import parquet
from vest_tucker.io.safety import limits
from vest_tucker.io.safety.limits import LONGEST_LINE, MOST_COLUMNS, lines_of, require_memory

MB = 1 << 20
HEADS = {
    "x.tns.gz": b"1 1 1.0\n",
    "x.csv.gz": b"a,b,value\nx,y,1\n",
    "x.sptensor.gz": b"sptensor\n2\n2 2\n1\n1 1 1\n",
}


def bomb(path: Path, head: bytes, unit: bytes, size: int = 300 * MB) -> Path:
    """Write a small file that holds one very long line."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head)
        for _ in range(size // MB):
            file.write(unit * MB)
    return path


@pytest.mark.parametrize("unit", [b"\0", b" ", b"1", b'"'])
@pytest.mark.parametrize("name", HEADS)
def test_a_line_without_end_is_noticed_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, unit: bytes
) -> None:
    for head in (HEADS[name], b""):
        path = bomb(tmp_path / name, head, unit, 64 * MB)
        monkeypatch.setattr(limits, "LONGEST_LINE", MB)
        with pytest.raises(vt.errors.FileFormatError):
            vt.read(path)


def test_little_of_it_is_read(tmp_path: Path) -> None:
    path = bomb(tmp_path / "x.tns.gz", b"1 1 1.0\n", b" ")
    tracemalloc.start()
    began = time.process_time()
    with pytest.raises(vt.errors.FileFormatError, match="a line of more than 16 MiB"):
        vt.read(path)
    assert tracemalloc.get_traced_memory()[1] < 150 * MB
    tracemalloc.stop()
    assert time.process_time() - began < 10.0


def test_lines_up_to_the_limit_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LONGEST_LINE", 10)
    assert list(lines_of(io.StringIO("a\n123456789\n1234567890"), "x")) == [
        "a\n", "123456789\n", "1234567890",
    ]  # fmt: skip
    with pytest.raises(vt.errors.FileFormatError, match="x, line 2: has a line of more than"):
        list(lines_of(io.StringIO("a\n1234567890\n"), "x"))


def test_a_label_of_megabytes_is_read_from_a_table(tmp_path: Path) -> None:
    label = "x" * (6 * MB)
    (tmp_path / "x.csv").write_text(f"dish,hour,value\n{label},1,2\nsoup,2,3\n")
    assert vt.read(tmp_path / "x.csv").labels[0].tolist() == ["soup", label]  # type: ignore[union-attr]


@pytest.mark.parametrize(("name", "between"), [("x.tns", " "), ("x.csv", ","), ("x.tsv", "\t")])
def test_more_columns_than_a_tensor_has_modes(tmp_path: Path, name: str, between: str) -> None:
    names = "" if name == "x.tns" else between.join(f"c{k}" for k in range(30_000)) + "\n"
    (tmp_path / name).write_text(names + between.join(["1"] * 30_000) + "\n")
    began = time.process_time()
    with pytest.raises(vt.errors.FileFormatError, match="29,999 columns beside the value"):
        vt.read(tmp_path / name)
    assert time.process_time() - began < 5.0
    if names:
        chosen = vt.read(tmp_path / name, modes=["c1", "c2"], value="c29999")
        assert (chosen.modes, chosen.nnz) == (("c1", "c2"), 1)


def test_more_columns_than_are_looked_at(tmp_path: Path) -> None:
    line = ",".join(f"c{k}" for k in range(MOST_COLUMNS + 1)) + "\n"
    (tmp_path / "x.csv").write_text(line + line)
    with pytest.raises(vt.errors.FileFormatError, match="100,001 columns, more than"):
        vt.read(tmp_path / "x.csv", modes=["c1", "c2"])
    with pytest.raises(vt.errors.FileFormatError, match="100,001 columns, more than"):
        next(text_blocks(io.BytesIO(line.encode()), "x"))


def test_names_in_quotes_without_end() -> None:
    stream = io.BytesIO(b'a,"' + b"\nx" * (LONGEST_LINE // 2 + 2))
    with pytest.raises(vt.errors.FileFormatError):
        next(text_blocks(stream, "x"))


def test_a_table_that_claims_more_rows_than_fit_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_memory(10, 3, "x")
    with pytest.raises(vt.errors.NotEnoughMemoryError, match=r"x: 1,152,\S+ rows of 3 columns"):
        require_memory(2**60 // 1000, 3, "x")
    X = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0])
    vt.write(X, tmp_path / "x.parquet")

    def refuse(rows: int, columns: int, path: object) -> None:
        raise vt.errors.NotEnoughMemoryError(f"{rows} {columns}")

    monkeypatch.setattr(parquet, "require_memory", refuse)
    with pytest.raises(vt.errors.NotEnoughMemoryError, match="2 3"):
        vt.read(tmp_path / "x.parquet")
