"""Tables of text: rows, their lines, and what is wrong with them."""

from __future__ import annotations

import csv
import io

import pytest

from vest_tucker.base.errors import FileFormatError
from vest_tucker.io.text_tables import Layout, rows_of, why_bad

NAMES = ["a", "b", "note", "v"]
LAYOUT = Layout({"a": "int64", "b": "string", "v": "float64"}, ",", header=True, quoted=True)


def test_rows_know_the_line_where_they_begin() -> None:
    content = b'\xef\xbb\xbfa,b\r\n"1\n2",3\r\n\r\n4,5'
    rows = [(line, fields) for line, fields, _ in rows_of(io.BytesIO(content), LAYOUT, "x.csv")]
    assert rows == [(1, ["a", "b"]), (2, ["1\n2", "3"]), (5, ["4", "5"])]
    too_long = b"a\n" + b"x" * (csv.field_size_limit() + 1)
    with pytest.raises(FileFormatError, match=r"x\.csv, line 2: is not a table"):
        list(rows_of(io.BytesIO(too_long), LAYOUT, "x.csv"))


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        (["1", "x", "?", "2.5"], None),
        ([" -1", "x", "", "1e3 "], None),
        (["1", "x", "\udcff", "2"], None),  # bytes of a column that is not needed
        (["1", "x", "2.5"], "has 3 columns, but there should be 4: a, b, note, v"),
        (["1.5", "x", "", "2"], "the column 'a' has '1.5', which is not a whole number"),
        (["1", "", "", "2"], "the column 'b' has '', which is not a text"),
        (["1", "x", "", "inf"], "the column 'v' has 'inf', which is not a finite number"),
        (["1", "\udcff", "", "2"], "which is not valid UTF-8; save the file as UTF-8"),
    ],
)
def test_what_is_wrong_with_a_row(fields: list[str], complaint: str | None) -> None:
    said = why_bad(fields, NAMES, LAYOUT)
    assert said is None if complaint is None else said is not None and complaint in said


def test_an_empty_field_may_be_text() -> None:
    empty = ["1", "", "", "2"]
    assert why_bad(empty, NAMES, LAYOUT._replace(empty_text=True)) is None
