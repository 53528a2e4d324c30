"""Texts that a spreadsheet would take for formulas, marked so that it shows them as they are.

A table of text cannot say that ``=1+1`` is a label. Programs for spreadsheets compute it, and some
formulas fetch addresses or start programs: whoever could choose a label could do so on the machine
of whoever opens the table. An apostrophe in front makes it a text to them, though it is then a part
of the label to all others: so it is added only if asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from vest_tucker.io.arrow import arrow

MARK = "'"
# The mark is among them, so that different labels stay different.
FIRST = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", MARK)


def harmless(text: str) -> str:
    """Return a text that no spreadsheet computes.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-soup-"), harmless("rye = bread"), harmless("'tis")
    ("'=1+1", "'-soup-", 'rye = bread', "''tis")
    """
    return f"{MARK}{text}" if text.startswith(FIRST) else text


def harmless_table(table: Any) -> Any:
    """Return an Arrow table whose names and texts no spreadsheet computes; numbers stay."""
    pa = arrow("writing a table of text")
    compute = import_module("pyarrow.compute")
    for number, field in enumerate(table.schema):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            continue
        texts = table.column(number).cast(kind)
        begins = compute.is_in(
            compute.utf8_slice_codeunits(texts, 0, 1), value_set=pa.array(FIRST, kind)
        )
        marked = compute.binary_join_element_wise(pa.scalar(MARK, kind), texts, pa.scalar("", kind))
        table = table.set_column(number, field.name, compute.if_else(begins, marked, texts))
    return table.rename_columns([harmless(name) for name in table.column_names])
