"""Tables as CSV that a spreadsheet opens without running anything that is in them.

Spreadsheets take a cell that begins with = + - or @ (or with a tab or a line's end) for a formula.
Text of that kind gets an apostrophe in front, the way spreadsheets themselves mark text; numbers
stay numbers, with all their digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from urllib.parse import quote

import numpy as np

from vest_tucker.report.html import Html, join, tag
from vest_tucker.report.tables import Table

LONGEST = 100_000  # characters of a table that a link holds
BOM = "\ufeff"  # without it, spreadsheets take UTF-8 for something else
DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def cell(value: object) -> str:
    """Return one cell.

    Examples
    --------
    >>> [cell(value) for value in ("=1+1", -1.5, None, float("nan"), "rye, tea")]
    ["'=1+1", '-1.5', '', '', '"rye, tea"']
    """
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    if text.lstrip(" ").startswith(DANGEROUS):
        text = f"'{text}"
    if any(sign in text for sign in ',;"\r\n\t'):
        return '"' + text.replace('"', '""') + '"'
    return text


def table(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    r"""Return a table with its header; lines end as RFC 4180 wants it.

    Examples
    --------
    >>> table(["dish", "weight"], [["tea", 0.5]])
    'dish,weight\r\ntea,0.5\r\n'
    """
    return "".join(",".join(map(cell, row)) + "\r\n" for row in (columns, *rows))


def is_short(table_: Table) -> bool:
    """Whether a page should hold a table beside what its script knows."""
    return len(table(table_.columns, table_.rows)) <= LONGEST


def link(table_: Table) -> Html:
    r"""Return a link that holds a table itself, rows beyond a limit left out, and says so.

    Examples
    --------
    >>> link(Table("dishes", "Dishes", ("dish",), [["tea"]]))
    '<a href="data:text/csv;charset=utf-8,%EF%BB%BFdish%0D%0Atea%0D%0A" download="dishes.csv">...'
    """
    kept = table_.rows
    while len(text := table(table_.columns, kept)) > LONGEST and kept:  # names alone may be longer
        kept = kept[: int(0.9 * len(kept) * LONGEST / len(text))]
    file = f"{table_.name}.csv"
    some = "" if len(kept) == len(table_.rows) else f" ({len(kept):,} of {len(table_.rows):,} rows)"
    return join([tag("a", file, href=data_url(text), download=file), some])


def data_url(text: str) -> str:
    """Return an address that holds a CSV file itself.

    Examples
    --------
    >>> data_url("tea,1")
    'data:text/csv;charset=utf-8,%EF%BB%BFtea,1'
    """
    content = (BOM + text).encode("utf-8", "replace")
    return "data:text/csv;charset=utf-8," + quote(content, safe=",'()!*:;@=+$/?")
