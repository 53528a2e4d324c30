"""Columns of large text tables, read by Arrow; if it cannot, the line to blame is named."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from vest_tucker.base.errors import FileFormatError
from vest_tucker.datasets.archives import Source
from vest_tucker.io.arrow import arrow
from vest_tucker.io.diagnose import INTEGER, NUMBER, columns_in_words, shown, table_rows

ESCAPED = "backslashreplace"  # how a message shows bytes that are no UTF-8


class Layout(NamedTuple):
    """What the columns of a table are and how its lines are divided.

    Attributes
    ----------
    columns : dict of str to str
        The columns that are needed, with their type: "int64", "float64" or "string".
    separator : str
        One character, or the same one twice.
    header : bool
        Whether the first line has the names of the columns, others than the needed ones among
        them; if not, the needed ones are all there are.
    quoted : bool
        Whether fields may be in quotes, with separators and ends of lines inside.
    """

    columns: dict[str, str]
    separator: str
    header: bool = False
    quoted: bool = False


def read_columns(source: Source, layout: Layout) -> dict[str, Any]:
    """Return the needed columns as Arrow's arrays, without a null or a number that is none."""
    pa = arrow(f"reading {source.name}")
    try:
        with source.open() as stream:
            table = _parsed(stream, layout)
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise _blame(source, layout, str(error)) from None
    columns = {name: table[name] for name in layout.columns}
    for name, kind in layout.columns.items():
        column = columns[name]
        if column.null_count or (kind == "float64" and not np.isfinite(column.to_numpy()).all()):
            raise _blame(source, layout, f"the column {name} has gaps")
    if not table.num_rows:
        raise FileFormatError("has no entries", str(source))
    return columns


def _parsed(stream: BinaryIO, layout: Layout) -> Any:
    pa = arrow("reading a table of text")
    separator = layout.separator
    types = {name: _arrow_type(kind) for name, kind in layout.columns.items()}
    names = [] if layout.header else list(layout.columns)
    if len(separator) == 2:
        # Divided at each single character, "1::2" has an empty column in between.
        between = {f" {name}": pa.null() for name in names[1:]}
        names = [names[0], *(each for name in names[1:] for each in (f" {name}", name))]
        types |= between
    return pa.csv.read_csv(
        stream,
        pa.csv.ReadOptions(column_names=names or None, block_size=1 << 22),
        pa.csv.ParseOptions(
            delimiter=separator[0],
            quote_char='"' if layout.quoted else False,
            newlines_in_values=layout.quoted,
        ),
        pa.csv.ConvertOptions(
            column_types=types,
            include_columns=list(types),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )


def _arrow_type(kind: str) -> Any:
    pa = arrow("reading a table of text")
    if kind == "string":
        return pa.dictionary(pa.int32(), pa.string())
    return {"int64": pa.int64(), "float64": pa.float64()}[kind]


def _blame(source: Source, layout: Layout, parser: str) -> FileFormatError:
    """Return the error that names the first bad line and what is wrong with it."""
    with source.open() as stream:
        rows = _rows(stream, source, layout)
        names = list(layout.columns)
        if layout.header:
            number, names, line = next(rows, (1, [], ""))
            if not names:
                return FileFormatError("has no entries", str(source))
            for name in layout.columns:
                if name not in names:
                    what = f"there is no column {name} in the first line, {shown(line)}"
                    return FileFormatError(what, str(source), number)
        is_empty = True
        for number, fields, line in rows:
            is_empty = False
            complaint = _why_bad(fields, names, layout)
            if complaint:
                return FileFormatError(f"{complaint}: {shown(line)}", str(source), number)
    what = "has no entries" if is_empty else f"could not be read: {parser}"
    return FileFormatError(what, str(source))


def _rows(stream: BinaryIO, source: Source, layout: Layout) -> Iterator[tuple[int, list[str], str]]:
    """Each row: the number of its first line, its fields, and what it looks like."""
    if layout.quoted:
        for number, fields in table_rows(stream, layout.separator, str(source), ESCAPED):
            yield number, fields, layout.separator.join(fields)
        return
    with io.TextIOWrapper(stream, "utf-8-sig", ESCAPED, newline="") as text:
        for number, line in enumerate(text, start=1):
            content = line.rstrip("\r\n")
            if content:
                yield number, content.split(layout.separator), content


def _why_bad(fields: list[str], names: list[str], layout: Layout) -> str | None:
    if len(fields) != len(names):
        return f"has {columns_in_words(len(fields))}, not the {len(names)} of {', '.join(names)}"
    for name, field in zip(names, fields, strict=True):
        wanted = _why_no(layout.columns.get(name), field.strip())
        if wanted:
            return f"{name} is {shown(field)}, which is no {wanted}"
    return None


def _why_no(kind: str | None, field: str) -> str | None:
    """Say what a field should have been, if it is not that."""
    if kind == "int64":
        # Python turns only so many digits into a number.
        is_good = INTEGER.fullmatch(field) and len(field) < 20 and abs(int(field)) < 2**63
        return None if is_good else "whole number"
    if kind == "float64":
        is_good = NUMBER.fullmatch(field) and math.isfinite(float(field))
        return None if is_good else "finite number"
    return "text" if kind == "string" and not field else None
