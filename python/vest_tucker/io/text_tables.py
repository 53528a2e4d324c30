"""Tables of text, such as CSV: read by Arrow; if it cannot, the first bad line is named."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, BinaryIO, Literal, NamedTuple, TypeAlias

from vest_tucker.base.errors import FileFormatError
from vest_tucker.base.types import AnyPath
from vest_tucker.data.labels import some
from vest_tucker.io.arrow import arrow, read_csv, told_of_memory
from vest_tucker.io.diagnose import INTEGER, NUMBER, columns_in_words, shown
from vest_tucker.io.safety.limits import LONGEST_LINE, lines_of

BLOCK = 1 << 22  # bytes that Arrow parses at a time
NAMES_SHOWN = 8  # of a table's columns, in a message
GAPS = frozenset(("", "na", "n/a", "nan", "null", "none"))  # in columns of numbers, in any case

Kind: TypeAlias = Literal["int64", "float64", "string"]


class Layout(NamedTuple):
    """What the columns of a table are and how its lines are divided.

    Attributes
    ----------
    columns : dict of str to str
        The columns that are needed, with their type.
    separator : str
        One character, or the same one twice.
    header : bool
        Whether the first line has the names of the columns, perhaps of more than the needed ones.
        If not, the needed columns are all there are.
    quoted : bool
        Whether fields may be in quotes, with separators and ends of lines inside.
    empty_text : bool
        Whether a field of nothing but quotes is an empty text. If not, it is a gap.
    hint : str
        What a message says to do about a gap in a column of numbers.
    why : dict of str to str
        What a message says of columns, as how they were chosen, if they have something else.
    """

    columns: dict[str, Kind]
    separator: str
    header: bool = False
    quoted: bool = False
    empty_text: bool = False
    hint: str = ""
    why: Mapping[str, str] = MappingProxyType({})


class Row(NamedTuple):
    """A row of a table: the number of its first line, its fields, and its text for a message."""

    line: int
    fields: list[str]
    text: str


NO_ROW = Row(1, [], "")


@dataclass(frozen=True)
class TextTable:
    """A table in a file: how messages call the file, how to open it, and its layout."""

    path: AnyPath
    open: Callable[[], AbstractContextManager[BinaryIO]]
    layout: Layout

    def parse(self) -> Any:
        """Return the needed columns as an Arrow table; raise with the first bad line."""
        pa = arrow("reading a table of text")
        try:
            try:
                return self._parsed(BLOCK)
            except pa.ArrowInvalid as error:
                if "straddling" not in str(error):  # what Arrow says of a row longer than a block
                    raise
                return self._parsed(2 * LONGEST_LINE)
        except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
            raise self.first_bad_row(str(error)) from None

    def _parsed(self, block: int) -> Any:
        with self.open() as stream, told_of_memory():
            return read_csv(stream, *_arrow_options(self.layout, block))

    def row(self, number: int) -> Row:
        """Return a row by its number, counted from 0 after the names."""
        with self.open() as stream:
            rows = rows_of(stream, self.layout, self.path)
            return next(itertools.islice(rows, number + self.layout.header, None))

    def first_bad_row(self, parser: str) -> FileFormatError:
        """Return the error that names the first bad line; ``parser`` is what the parser said."""
        with self.open() as stream:
            rows = rows_of(stream, self.layout, self.path)
            for complaint, line in _complaints(rows, self.layout):
                return FileFormatError(complaint, self.path, line)
        return FileFormatError(f"could not be read as a table: {parser}", self.path)


def _complaints(rows: Iterator[Row], layout: Layout) -> Iterator[tuple[str, int | None]]:
    """Yield all that is wrong with a table, each with the number of its line if it has one."""
    names = list(layout.columns)
    if layout.header:
        header = next(rows, NO_ROW)
        names = header.fields
        for name in layout.columns:
            if names and name not in names:
                found = shown(header.text)
                yield f"there is no column {name!r} in the first line: {found}", header.line
    is_empty = True
    for row in rows:
        is_empty = False
        complaint = why_bad(row.fields, names, layout)
        if complaint:
            yield f"{complaint}: {shown(row.text)}", row.line
    if is_empty:
        yield "has no entries", None


def _arrow_options(layout: Layout, block: int) -> tuple[Any, Any, Any]:
    """Return how Arrow is to read, divide and convert."""
    pa = arrow("reading a table of text")
    types = {name: _arrow_type(kind) for name, kind in layout.columns.items()}
    names = [] if layout.header else list(layout.columns)
    if len(layout.separator) == 2:
        # Divided at each single character, "1::2" has an empty column in between.
        between = {f" {name}": pa.null() for name in names[1:]}
        names = [names[0], *(each for name in names[1:] for each in (f" {name}", name))]
        types |= between
    return (
        pa.csv.ReadOptions(column_names=names or None, block_size=block),
        pa.csv.ParseOptions(
            delimiter=layout.separator[0],
            quote_char='"' if layout.quoted else False,
            newlines_in_values=layout.quoted,
        ),
        pa.csv.ConvertOptions(
            column_types=types,
            include_columns=list(types),
            null_values=[""],  # not "NA", which is a label like any other
            strings_can_be_null=True,
            quoted_strings_can_be_null=not layout.empty_text,
        ),
    )


def _arrow_type(kind: str) -> Any:
    pa = arrow("reading a table of text")
    if kind == "string":
        return pa.dictionary(pa.int32(), pa.string())
    return {"int64": pa.int64(), "float64": pa.float64()}[kind]


def rows_of(stream: BinaryIO, layout: Layout, path: AnyPath) -> Iterator[Row]:
    """Yield all rows that are not blank, names included, by a slow reader that counts lines.

    Bytes that are not valid UTF-8 become lone surrogates, which `is_utf8` finds.
    """
    with io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="") as text:
        if layout.quoted:
            yield from _quoted_rows(lines_of(text, path), layout.separator, path)
            return
        for number, line in enumerate(lines_of(text, path), start=1):
            content = line.rstrip("\r\n")
            if content:
                yield Row(number, content.split(layout.separator), content)


def _quoted_rows(lines: Iterator[str], separator: str, path: AnyPath) -> Iterator[Row]:
    reader, begins = csv.reader(lines, delimiter=separator), 1
    try:
        for fields in reader:
            if fields:
                yield Row(begins, fields, separator.join(fields))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise FileFormatError(f"is not a table ({error})", path, begins) from error


def why_bad(fields: list[str], names: list[str], layout: Layout) -> str | None:
    """Say what is wrong with one row, if anything is.

    Examples
    --------
    >>> layout = Layout({"user": "int64", "stars": "float64"}, ",")
    >>> why_bad(["1", "4.5"], ["user", "stars"], layout)
    >>> why_bad(["1", "?"], ["user", "stars"], layout)
    "the column 'stars' has '?', which is not a finite number"
    """
    if len(fields) != len(names):
        expected = f"{len(names)}: {some(names, NAMES_SHOWN)}"
        return f"has {columns_in_words(len(fields))}, but there should be {expected}"
    for name, field in zip(names, fields, strict=True):
        if name in layout.columns:
            wanted = _wanted(layout.columns[name], field.strip(), layout.empty_text)
            if wanted:
                is_gap = field.strip().lower() in GAPS
                hint = layout.hint if is_gap else layout.why.get(name, "")
                return f"the column {name!r} has {shown(field)}, which is not {wanted}{hint}"
    return None


def _wanted(kind: str, field: str, empty_text: bool) -> str | None:
    """Say what a field should have been, if it is not that."""
    if not is_utf8(field):
        return "valid UTF-8; save the file as UTF-8"
    if kind == "int64":
        # Python refuses to convert thousands of digits.
        is_good = INTEGER.fullmatch(field) and len(field) < 20 and abs(int(field)) < 2**63
        return None if is_good else "a whole number"
    if kind == "float64":
        is_good = NUMBER.fullmatch(field) and math.isfinite(float(field))
        return None if is_good else "a finite number"
    return None if field or empty_text else "a text"


def strange_separator(line: str, separator: str) -> str | None:
    """Return what seems to divide a line that its separator does not divide.

    Examples
    --------
    >>> strange_separator("user;movie;stars", ",")
    ';'
    """
    return max(
        (each for each in ";\t,|" if each in line and each != separator),
        key=line.count,
        default=None,
    )


def is_utf8(text: str) -> bool:
    """Whether all bytes of a text that `rows_of` read were valid UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
