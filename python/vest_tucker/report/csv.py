"""Tables as CSV that a spreadsheet opens without running anything that is in them.

Spreadsheets take a cell that begins with = + - or @ (or with a tab or a line's end) for a formula.
Text of that kind gets an apostrophe in front, the way spreadsheets themselves mark text; numbers
stay numbers, with all their digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from urllib.parse import quote

BOM = "\ufeff"  # without it, spreadsheets take UTF-8 for something else
DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def cell(value: object) -> str:
    """Return one cell.

    Examples
    --------
    >>> [cell(value) for value in ("=1+1", -1.5, None, float("nan"), "rye, tea")]
    ["'=1+1", '-1.5', '', '', '"rye, tea"']
    """
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


def data_url(text: str) -> str:
    """Return an address that holds a CSV file itself.

    Examples
    --------
    >>> data_url("tea,1")
    'data:text/csv;charset=utf-8,%EF%BB%BFtea,1'
    """
    content = (BOM + text).encode("utf-8", "replace")
    return "data:text/csv;charset=utf-8," + quote(content, safe=",'()!*:;@=+$/?")
