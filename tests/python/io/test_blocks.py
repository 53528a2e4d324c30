"""Tables of any length, a block at a time."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import Failing
from vest_tucker.io import arrow as arrow_module
from vest_tucker.io import blocks
from vest_tucker.io.blocks import (
    parquet_blocks,
    text_blocks,
    with_columns,
    write_parquet_blocks,
    write_text_blocks,
)

pa: Any = pytest.importorskip("pyarrow")


def rows(text: str, **options: Any) -> list[dict[str, str]]:
    tables = text_blocks(io.BytesIO(text.encode()), "cells.csv", **options)
    return [row for table in tables for row in table.to_pylist()]


def test_texts_stay_as_they_are() -> None:
    found = rows('who,n\n"ann, b",007\nNA,\n"two\nlines",1e5\n')
    assert found == [
        {"who": "ann, b", "n": "007"}, {"who": "NA", "n": ""}, {"who": "two\nlines", "n": "1e5"},
    ]  # fmt: skip


def test_the_delimiter_is_recognised_or_given() -> None:
    assert rows("a\tb,c\n1\t2\n") == [{"a": "1", "b,c": "2"}]
    assert rows("a;b\n1;2\n", delimiter=";") == [{"a": "1", "b": "2"}]


def test_marks_quotes_and_ends_of_lines() -> None:
    assert rows('\ufeff"a",b\r\n1,2\r\n') == [{"a": "1", "b": "2"}]
    assert rows('"a\nb",c\n1,2\n') == [{"a\nb": "1", "c": "2"}]


def test_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 100)
    text = "a,b\n" + "".join(f"{k},x\n" for k in range(500))
    tables = list(text_blocks(io.BytesIO(text.encode()), "cells.csv"))
    assert len(tables) > 5
    assert [row["a"] for table in tables for row in table.to_pylist()] == [*map(str, range(500))]


class Slow(io.BytesIO):
    """A file that tells whether somebody is reading it, which takes a while but the first time."""

    began = reading = 0

    def read(self, size: int | None = -1) -> bytes:
        self.began, self.reading = self.began + 1, 1
        time.sleep(0.2 if self.began > 1 else 0.0)
        self.reading = 0
        return super().read(size)


def test_nobody_reads_on_after_a_bad_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 100)
    monkeypatch.setattr(arrow_module, "PATIENCE", 60.0)  # of a machine that has much else to do
    file = Slow(b"a,b\n1,2,3\n" + b"1,2\n" * 1000)
    with pytest.raises(vt.errors.FileFormatError):
        list(text_blocks(file, "cells.csv"))
    began = file.began
    assert not file.reading
    time.sleep(0.3)
    assert file.began == began < 5


def test_errors_of_the_file_come_after_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 100)
    tables = text_blocks(Failing(b"a,b\n" + b"1,2\n" * 1000, 500), "cells.csv")
    assert next(tables).num_rows > 0
    with pytest.raises(OSError, match="the disk is gone"):
        list(tables)


def test_a_table_without_rows_still_has_names() -> None:
    (table,) = text_blocks(io.BytesIO(b"a,b\n"), "cells.csv")
    assert (table.column_names, table.num_rows) == (["a", "b"], 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no line with the names"),
        ("a,a\n1,2\n", "several columns 'a'"),
        (
            "a,b\n1,2\n1,2,3\n",
            "row 2 below the names has 3 columns, but .* 2: '1,2,3'",
        ),
    ],
)
def test_what_is_no_table_is_refused(text: str, said: str) -> None:
    with pytest.raises(vt.errors.FileFormatError, match=said):
        rows(text)


def test_parquet_there_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "ROWS", 2)
    table = pa.table({"a": [1, 2, 3]})
    path = tmp_path / "cells.parquet"
    with path.open("wb") as file:
        write_parquet_blocks(file, iter([table, table]), table.schema)
    found = list(parquet_blocks(path))
    assert len(found) >= 3
    assert pa.concat_tables(found).column("a").to_pylist() == [1, 2, 3, 1, 2, 3]
    with path.open("wb") as file:
        write_parquet_blocks(file, iter([table[:0]]), table.schema)
    assert [each.num_rows for each in parquet_blocks(path)] == [0]
    path.write_bytes(b"PAR1 no")
    with pytest.raises(vt.errors.FileFormatError, match="not a Parquet file"):
        list(parquet_blocks(path))


def test_quotes_are_written_where_they_are_needed() -> None:
    tables = [pa.table({"a": ["x", "y"], "n": [1.5, 2.0]}), pa.table({"a": ["x,y"], "n": [3.0]})]
    file = io.BytesIO()
    write_text_blocks(file, iter(tables), ["a", "n"], ",")
    assert file.getvalue() == b'a,n\nx,1.5\ny,2\n"x,y",3\n'


def test_a_column_is_not_written_twice() -> None:
    table = pa.table({"a": [1]})
    assert with_columns(table, {"b": [2.0]}).column_names == ["a", "b"]
    with pytest.raises(vt.errors.ColumnError, match="a column 'a' already"):
        with_columns(table, {"a": [2.0]})


def test_columns_that_text_cannot_hold_are_named() -> None:
    nested = pa.table({"a": ["x"], "tags": [[1, 2]], "n": [1.5], "pair": [{"b": 1}]})
    with pytest.raises(
        vt.errors.FileFormatError, match=r"hold the column 'tags' \(list.*, 'pair' \(str"
    ):
        write_text_blocks(io.BytesIO(), iter([nested]), nested.column_names, ",")


def test_times_have_no_needless_zeros_unless_other_blocks_may_need_them() -> None:
    days = pa.table({"week": np.array(["2024-07-01"], dtype="M8[us]"), "predicted": [1.0]})
    file = io.BytesIO()
    write_text_blocks(file, iter([days]), days.column_names, ",")
    assert file.getvalue() == b"week,predicted\n2024-07-01,1\n"
    file = io.BytesIO()
    write_text_blocks(file, iter([days, days]), days.column_names, ",")
    assert file.getvalue().count(b"2024-07-01 00:00:00.000000") == 2
