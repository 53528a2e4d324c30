"""Columns of text tables, and the line to blame if there is one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import vest_tucker as vt
from vest_tucker.datasets.archives import Source
from vest_tucker.datasets.tables import read_columns
from vest_tucker.io.text_tables import Kind, Layout

KINDS: dict[str, Kind] = {"who": "int64", "what": "string", "value": "float64"}
DOUBLE = Layout({"who": "int64", "value": "float64", "when": "int64"}, "::")
TABBED = Layout({"who": "int64", "value": "float64", "when": "int64"}, "\t")
QUOTED = Layout(KINDS, ",", header=True, quoted=True)


def source_of(tmp_path: Path, content: bytes) -> Source:
    path = tmp_path / "table.txt"
    path.write_bytes(content)
    return Source(path)


def listed(tmp_path: Path, content: bytes, layout: Layout) -> dict[str, list[object]]:
    columns = read_columns(source_of(tmp_path, content), layout)
    return {name: column.to_pylist() for name, column in columns.items()}


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize(("layout", "separator"), [(DOUBLE, b"::"), (TABBED, b"\t")])
def test_lines_without_names(tmp_path: Path, layout: Layout, separator: bytes, end: bytes) -> None:
    lines = [separator.join(line) for line in ((b"1", b"4.5", b"978300760"), (b"7", b"3", b"0"))]
    assert listed(tmp_path, end.join([*lines, b""]), layout) == {
        "who": [1, 7], "value": [4.5, 3.0], "when": [978300760, 0],
    }  # fmt: skip
    assert listed(tmp_path, end.join(lines), layout)["when"] == [978300760, 0]


def test_quoted_separators_quotes_and_line_ends(tmp_path: Path) -> None:
    content = 'who,text,what,value\n1,"a, ""b""\nc",é,2\n2,plain,"x,y",3.5\n'
    assert listed(tmp_path, content.encode(), QUOTED) == {
        "who": [1, 2], "what": ["é", "x,y"], "value": [2.0, 3.5],
    }  # fmt: skip


def test_a_byte_order_mark_is_not_part_of_a_name(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbfwho,what,value\n1,a,2\n"
    assert listed(tmp_path, content, QUOTED)["who"] == [1]


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (b"1::5", r"has 2 columns, but there should be 3: who, value, when: '1::5'"),
        (b"1::5::3::4", "has 4 columns"),
        (b"x::5::3", "the column 'who' has 'x', which is not a whole number: 'x::5::3'"),
        (b"1.5::5::3", "the column 'who' has '1.5', which is not a whole number"),
        (b"1::::3", "the column 'value' has '', which is not a finite number"),
        (b"1::nan::3", "the column 'value' has 'nan', which is not a finite number"),
        (b"1::inf::3", "the column 'value' has 'inf', which is not a finite number"),
        (b"1:2:5::3", "has 2 columns"),
        (
            b"1::5::99999999999999999999",
            "the column 'when' has '9{20}', which is not a whole number",
        ),
        (b"1::\x00\xff::3", "the column 'value' has"),
    ],
)
def test_a_bad_line_is_named_by_number_and_content(
    tmp_path: Path, bad: bytes, complaint: str
) -> None:
    source = source_of(tmp_path, b"1::5::3\n2::4::3\n" + bad + b"\n3::4::4\n")
    with pytest.raises(
        vt.errors.FileFormatError, match=rf"table\.txt, line 3: {complaint}"
    ) as raised:
        read_columns(source, DOUBLE)
    assert raised.value.line == 3


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"who,value\n1,2\n", r"line 1: there is no column 'what' in the first line: 'who,value'"),
        (b"", "has no entries"),
        (b"who,what,value\n", "has no entries"),
        (b'who,what,value\n1,a,2\n2,"b\nc",x\n', "line 3: the column 'value' has 'x'"),
        (b"who,what,value\n1,a,2\n2,b\n", "line 3: has 2 columns"),
        (b"who,what,value\n1,,2\n", "line 2: the column 'what' has '', which is not a text"),
        (b"who,what,value\n1,\xff\xfe,2\n", "line 2: .* not valid UTF-8"),
    ],
)
def test_a_bad_table_is_named(tmp_path: Path, content: bytes, complaint: str) -> None:
    with pytest.raises(vt.errors.FileFormatError, match=complaint):
        read_columns(source_of(tmp_path, content), QUOTED)


def test_an_empty_file_without_names(tmp_path: Path) -> None:
    with pytest.raises(vt.errors.FileFormatError, match=r"table\.txt: has no entries"):
        read_columns(source_of(tmp_path, b""), DOUBLE)


def test_without_arrow_the_way_to_get_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(vt.errors.MissingPackageError, match=r"reading table\.txt needs.*pyarrow"):
        read_columns(source_of(tmp_path, b"1::2::3\n"), DOUBLE)
