"""Which line is to blame, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from vest_tucker.io.diagnose import (
    LineLayout,
    data_lines,
    first_bad_line,
    line_of,
    shown,
    why_bad,
)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("1 2 5", None),
        ("0 7 -1e-3", None),
        ("+1 2 +.5", None),
        ("2147483647 1 1", None),
        ("1 2", "has 2 columns, but the first line has 3"),
        ("1 2 3 4", "has 4 columns, but the first line has 3"),
        ("1.5 2 5", "column 1 is 1.5, but an index is a whole number"),
        ("1e3 2 5", "column 1 is 1e3, but an index is a whole number"),
        ("1 two 5", "column 2 is 'two', which is not an index; are these column names, or labels?"),
        ("1 -2 5", "column 2 is -2, but an index is not negative"),
        ("2147483648 2 5", "column 1 is 2147483648, beyond the largest index 2147483647"),
        ("1 2 five", "the value is 'five', which is not a number"),
        ("1 2 3,5", "the value is '3,5', which is not a number"),
        ("1 2 1_0", "the value is '1_0', which is not a number"),
        ("1 2 1e999", "the value is 1e999, beyond the range of double precision"),
        ("1 2 NaN", "the value is NaN, but values must be finite; leave the line out if nothing "
                    "was observed"),
        ("1 2 -inf", "the value is -inf, but values must be finite; leave the line out if nothing "
                     "was observed"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_line(line: str, complaint: str | None) -> None:
    assert why_bad(LineLayout(3, " ").fields(line), 3) == complaint


def test_an_index_of_thousands_of_digits() -> None:
    complaint = why_bad(["9" * 9999, "1", "1"], 3)
    assert complaint is not None
    assert "beyond the largest index" in complaint
    assert len(complaint) < 200
    assert why_bad(["0" * 9999 + "7", "1", "1"], 3) is None


@pytest.mark.parametrize(
    ("columns", "said"), [(1, "has 1 column; an entry needs"), (2, "has 2 columns; an entry needs")]
)
def test_too_few_columns_everywhere(columns: int, said: str) -> None:
    complaint = why_bad(["1"] * columns, columns)
    assert complaint is not None
    assert complaint.startswith(said)


def test_lines_are_counted_as_an_editor_does(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"\xef\xbb\xbf# names\r\n\r\n1 1 1\r2 2 2\n  \n # so\n3 3 3 # here\n4 4 4")
    assert list(data_lines(path)) == [(3, "1 1 1"), (4, "2 2 2"), (7, "3 3 3 # here"), (8, "4 4 4")]
    assert line_of(path, 2) == (7, "3 3 3 # here")


@pytest.mark.parametrize("delimiter", [" ", ","])
def test_the_first_bad_line_is_found_among_good_ones(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "x"
    lines = ["1 1 1", "2 2 -2.5", "3 3 +3e-7", "4 x 4", "5 y 5"]
    path.write_text("\n".join(lines).replace(" ", delimiter))
    for skip, line in ((0, 4), (3, 4), (4, 5)):
        error = first_bad_line(path, LineLayout(3, delimiter), skip, "")
        assert (error.path, error.line) == (str(path), line)


def test_long_lines_are_shown_in_part() -> None:
    assert shown("x" * 80) == repr("x" * 80)
    assert shown("x" * 81) == repr("x" * 80 + "…")
