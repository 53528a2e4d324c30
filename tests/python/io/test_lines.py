"""Lines of numbers: every way to write them down, by Arrow and by NumPy alike."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vest_tucker as vt
from vest_tucker.io import lines
from vest_tucker.io.lines import RawEntries, read_lines, tidied

INDICES = [[1, 2, 3], [10, 20, 30], [7, 1, 2147483647]]
VALUES = [5.0, -0.25, 1e-7]

SAME_ENTRIES = {
    "plain": b"1 2 3 5\n10 20 30 -0.25\n7 1 2147483647 1e-7\n",
    "no last newline": b"1 2 3 5\n10 20 30 -0.25\n7 1 2147483647 1e-7",
    "tabs": b"1\t2\t3\t5\n10\t20\t30\t-.25\n7\t1\t2147483647\t1E-7\n",
    "several spaces": b"1  2   3 5\n10 20 30 -0.25\n7 1 2147483647    1e-7\n",
    "columns in line": b"   1  2          3   5   \n  10 20         30 -0.25\n"
                       b"   7  1 2147483647  1e-7\n",
    "spaces and tabs": b"1 \t2\t 3\t\t5\n10 20 30 -0.25\n7\t1 2147483647 1e-7\t\n",
    "commas": b"1,2,3,5\n10,20,30,-0.25\n7,1,2147483647,1e-7\n",
    "commas and spaces": b"1, 2, 3,\t5\n 10 ,20,30,-0.25 \n7,1,2147483647,1e-7\n",
    "CRLF": b"1 2 3 5\r\n10 20 30 -0.25\r\n7 1 2147483647 1e-7\r\n",
    "CR": b"1 2 3 5\r10 20 30 -0.25\r7 1 2147483647 1e-7\r",
    "CRLF and more spaces": b"1 2 3  5 \r\n10 20 30 -0.25\r\n7 1 2147483647 1e-7\r\n",
    "byte order mark": b"\xef\xbb\xbf1 2 3 5\n10 20 30 -0.25\n7 1 2147483647 1e-7\n",
    "comments": b"# a b c\n1 2 3 5 # five\n#\n10 20 30 -0.25\n  # 1 1 1 1\n7 1 2147483647 1e-7 #",
    "comments with commas": b"#a,b\n1,2,3,5\n#c,d\n10,20,30,-0.25\n7,1,2147483647,1e-7#",
    "blank lines": b"\n\n1 2 3 5\n\n10 20 30 -0.25\n   \n\t\n7 1 2147483647 1e-7\n\n\n",
    "signs of plus": b"+1 2 3 +5\n10 +20 30 -0.25\n7 1 2147483647 +1e-07\n",
    "signs of plus and commas": b"+1,2,3,+5\n10,+20,30,-0.25\n7,1,2147483647,+1e-07\n",
    "many digits": b"01 002 3 5.0000000000000000000\n10 20 30 -2.5e-01\n7 1 2147483647 0.0000001\n",
}  # fmt: skip


@pytest.fixture(params=["arrow", "numpy"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "numpy":
        monkeypatch.setattr(lines, "arrow_or_none", lambda: None)


def parsed(content: bytes, path: Path = Path("x")) -> RawEntries:
    return read_lines(io.BytesIO(content), path)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("content", SAME_ENTRIES.values(), ids=SAME_ENTRIES)
def test_spaces_tabs_comments_and_line_ends_make_no_difference(content: bytes) -> None:
    indices, values = parsed(content)
    assert indices.dtype == np.int32
    assert values.dtype == np.float64
    assert indices.flags.c_contiguous
    assert values.flags.c_contiguous
    assert indices.tolist() == INDICES
    assert values.tolist() == VALUES


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("content", SAME_ENTRIES.values(), ids=SAME_ENTRIES)
def test_blocks_of_any_size_give_the_same(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    for size in (4, 9, 17):
        monkeypatch.setattr(lines, "BLOCK", size)
        assert parsed(content).indices.tolist() == INDICES


@pytest.mark.usefixtures("parser")
def test_a_block_of_comments_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK", 8)
    indices, values = parsed(b"1 1  1\n# nothing here\n# nor here\n\n\n2 2 2\n# the end\n")
    assert indices.tolist() == [[1, 1], [2, 2]]
    assert values.tolist() == [1, 2]


BAD_CONTENT: dict[str, tuple[bytes, int | None, str]] = {
    "ragged, too few": (b"1 1 1\n2 2\n", 2, "2 columns, but the first line has 3: '2 2'"),
    "ragged, too many": (b"1 1 1\n2 2 2 2\n", 2, "4 columns, but the first line has 3"),
    "a comma too many": (b"1,1,1\n2,,2,2\n", 2, "4 columns"),
    "an empty column": (b"1,1,1\n2,,2\n", 2, "column 2 is '', which is not an index"),
    "a comma at the end": (b"1,1,1\n2,2,2,\n", 2, "4 columns"),
    "text": (b"# ok\n1 1 1\n2 b 2\n", 3, "column 2 is 'b'"),
    "names of columns": (b"user item rating\n1 1 5\n", 1, "column names"),
    "float index": (b"1 1 1\n1.0 2 2\n", 2, "column 1 is 1.0, but an index is a whole number"),
    "index beyond 32 bits": (b"1 1 1\n2 2147483648 2\n", 2, "beyond the largest index"),
    "index beyond 64 bits": (b"1 1 1\n2 99999999999999999999 2\n", 2, "beyond the largest index"),
    "no number": (b"1 1 1\n2 2 2.5.1\n", 2, "the value is '2.5.1', which is not a number"),
    "decimal comma": (b"1 1 1,5\n2 2 2,5\n", 1, "the value is '1,5', which is not a number"),
    "a hexadecimal index": (b"1 1 1\n0x10 1 2\n", 2, "column 1 is '0x10', which is not an index"),
    "another one": (b"1,1,1\n1,0X10,2\n", 2, "column 2 is '0X10', which is not an index"),
    "a hexadecimal value": (b"1 1 1\n1 2 0x10\n", 2, "the value is '0x10'"),
    "a line that looks blank": ("1 1 1\n\u00a0\n1 2 1\n".encode(), 2, "1 column, but"),
    "a space that does not break": ("1 1 1\n1\u00a02 1\n".encode(), 2, "2 columns, but"),
    "one next to a space": ("1 1 1\n1 \u00a02 1\n".encode(), 2, "column 2 is "),
    "one in latin-1": (b"1 1 1\n1 \xa02 1\n", 2, "column 2 is "),
    "one column": (b"1\n2\n3\n", 1, "1 column; an entry needs two indices or more"),
    "two columns": (b"1 2\n2 3\n", 1, "2 columns; an entry needs two indices or more"),
    "rubbish": (b"\x89PNG\r\n\x1a\x0a more of it\n", 1, "PNG"),
    "binary": (b"1 1 1\n\x00\x01\x02", None, "binary, not text"),
    "UTF-16": ("1 1 1\n".encode("utf-16"), None, "UTF-16"),
    "empty": (b"", None, "no entries"),
    "blank": (b"\n \n\n", None, "no entries"),
    "nothing but comments": (b"# 1 1 1\n#\n", None, "no entries"),
}


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("bad", BAD_CONTENT.values(), ids=BAD_CONTENT)
def test_bad_content(tmp_path: Path, bad: tuple[bytes, int | None, str]) -> None:
    content, line, said = bad
    path = tmp_path / "x.tns"
    path.write_bytes(content)
    with pytest.raises(vt.errors.FileFormatError) as caught:
        parsed(content, path)
    assert caught.value.path == str(path)
    assert caught.value.line == line
    assert said in str(caught.value)
    assert "x.tns" in str(caught.value)


@pytest.mark.usefixtures("parser")
def test_a_bad_line_far_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK", 100)
    good = b"".join(b"%d 1 1.5\n# %d\n\n" % (k, k) for k in range(1, 301))
    path = tmp_path / "x.tns"
    path.write_bytes(good + b"1 1 bad\n" + good)
    with pytest.raises(vt.errors.FileFormatError, match="line 901: the value is 'bad'"):
        parsed(path.read_bytes(), path)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 2**31 - 1),
            st.integers(0, 2**31 - 1),
            st.floats(allow_nan=False, allow_infinity=False),
        ),
        min_size=1,
    ),
    st.sampled_from([" ", "\t", "   ", " \t", ",", ", "]),
    st.sampled_from(["\n", "\r\n", "\r", "\n\n", " \n", "\n  ", "# comment\n"]),
)
def test_numbers_are_read_to_the_last_bit(
    rows: list[tuple[int, int, float]], between: str, after: str
) -> None:
    text = after.join(between.join(repr(number) for number in row) for row in rows)
    indices, values = parsed(text.encode())
    assert indices.tolist() == [[i, j] for i, j, _ in rows]
    assert values.tobytes() == np.array([value for *_, value in rows]).tobytes()


def test_tidied_text_has_as_many_lines() -> None:
    for content in SAME_ENTRIES.values():
        as_counted = io.TextIOWrapper(io.BytesIO(content)).read().count("\n")
        assert tidied(content).count(b"\n") == as_counted
