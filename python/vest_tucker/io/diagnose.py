"""Finding the first bad line of a file with lines of numbers, after a parser has failed."""

from __future__ import annotations

import io
import itertools
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from vest_tucker.base.checks import INT32_MAX
from vest_tucker.base.errors import FileFormatError
from vest_tucker.base.types import AnyPath
from vest_tucker.io.compression import open_bytes
from vest_tucker.io.safety.limits import lines_of

INTEGER = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
# White space to parsers; they do not accept any other, such as a non-breaking space.
SPACES = " \t\v\f\r\n"
FIELD = re.compile(rf"[^{SPACES}]+")
SHOWN = 80  # characters of a line that a message shows


class LineLayout(NamedTuple):
    """The number of columns of each line, the last of which is the value, and their delimiter."""

    columns: int
    delimiter: str

    def tidied(self) -> LineLayout:
        """Return the layout after all white space has been replaced by single spaces."""
        return self._replace(delimiter="," if self.delimiter == "," else " ")

    def plain(self) -> re.Pattern[str]:
        """Return a pattern that only good lines match, nearly all of them; it is quick to check."""
        between = r"\s*,\s*" if self.delimiter == "," else r"\s+"
        index = rf"[0-9]{{1,9}}{between}"
        indices = max(self.columns - 1, 2)  # lines with fewer are bad
        return re.compile(rf"\s*(?:{index}){{{indices}}}-?[0-9]{{1,9}}(\.[0-9]+)?\s*", re.ASCII)

    def fields(self, line: str) -> list[str]:
        """Return the columns of one line."""
        content = line.partition("#")[0]
        if self.delimiter == ",":
            return [field.strip(SPACES) for field in content.split(",")]
        return FIELD.findall(content)


def data_lines(path: AnyPath) -> Iterator[tuple[int, str]]:
    """Yield all lines but blank ones and comments, each with its number, counted from 1."""
    with open_bytes(path) as stream, io.TextIOWrapper(stream, "utf-8-sig", "replace") as text:
        for number, line in enumerate(lines_of(text, path), start=1):
            if line.partition("#")[0].strip(SPACES):
                yield number, line.rstrip("\n")


def line_of(path: AnyPath, row: int) -> tuple[int, str]:
    """Return number and content of one data line; ``row`` counts them from 0."""
    return next(itertools.islice(data_lines(path), row, None))


def first_bad_line(path: AnyPath, layout: LineLayout, row: int, parser: str) -> FileFormatError:
    """Return the error that names the first bad line from data line ``row`` on.

    ``parser`` is what the parser said.
    """
    plain = layout.plain()
    for number, line in itertools.islice(data_lines(path), row, None):
        complaint = None if plain.fullmatch(line) else why_bad(layout.fields(line), layout.columns)
        if complaint:
            return FileFormatError(f"{complaint}: {shown(line)}", path, number)
    return FileFormatError(f"the parser could not read it: {parser}", path)  # pragma: no cover


def why_bad(fields: list[str], columns: int) -> str | None:
    """Say what is wrong with the columns of one line, if anything is.

    Examples
    --------
    >>> why_bad(["1", "2", "5.0"], 3)
    >>> why_bad(["1", "2.5", "5.0"], 3)
    'column 2 is 2.5, but an index is a whole number'
    """
    if columns < 3:
        return f"has {columns_in_words(columns)}; an entry needs two indices or more, and a value"
    if len(fields) != columns:
        return f"has {columns_in_words(len(fields))}, but the first line has {columns}"
    for column, field in enumerate(fields[:-1], start=1):
        complaint = _why_no_index(field)
        if complaint:
            return f"column {column} is {complaint}"
    complaint = _why_no_value(fields[-1])
    return f"the value is {complaint}" if complaint else None


def shown(line: str) -> str:
    """Return a line as messages show it, shortened if it is long."""
    return repr(line if len(line) <= SHOWN else f"{line[:SHOWN]}…")


def columns_in_words(count: int) -> str:
    """Return a number of columns as text."""
    return f"{count} column" if count == 1 else f"{count} columns"


def _why_no_index(field: str) -> str | None:
    if INTEGER.fullmatch(field) is None:
        if NUMBER.fullmatch(field):
            return f"{field}, but an index is a whole number"
        return f"{shown(field)}, which is not an index; are these column names, or labels?"
    # Python refuses to convert thousands of digits.
    digits = field.lstrip("+-0")
    if len(digits) > 10 or int(digits or 0) > INT32_MAX:
        return f"{field[:SHOWN]}, beyond the largest index {INT32_MAX}"
    return f"{field}, but an index is not negative" if digits and field[0] == "-" else None


def _why_no_value(field: str) -> str | None:
    if NUMBER.fullmatch(field):
        is_finite = math.isfinite(float(field))
        return None if is_finite else f"{field}, beyond the range of double precision"
    if NOT_FINITE.fullmatch(field):
        return f"{field}, but values must be finite; leave the line out if nothing was observed"
    return f"{shown(field)}, which is not a number"
