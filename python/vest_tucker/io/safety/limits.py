"""How long a line and how wide a table may be, noticed before memory or patience are used up.

A compressed file of two megabytes can hold a line of two gigabytes. No file of entries needs one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, TextIO

from vest_tucker.base.checks import MAX_ORDER
from vest_tucker.base.errors import FileFormatError, NotEnoughMemoryError
from vest_tucker.base.memory import GIB, available
from vest_tucker.base.types import AnyPath

LONGEST_LINE = 1 << 24  # bytes, or characters where text is read
MOST_COLUMNS = 100_000  # of a table, of which MAX_ORDER at most can be modes
NUMBER = 8  # bytes


def too_long(path: AnyPath, number: int | None = None) -> FileFormatError:
    """Return the error for a line that is longer than any may be."""
    return FileFormatError(
        f"has a line of more than {LONGEST_LINE >> 20} MiB, the most that is read; is it text, "
        f"with an entry per line?",
        path,
        number,
    )


def rest_of_line(stream: BinaryIO, path: AnyPath) -> bytes:
    """Return the bytes up to the next end of a line, that included."""
    line = stream.readline(LONGEST_LINE + 1)
    if len(line) > LONGEST_LINE:
        raise too_long(path)
    return line


def lines_of(text: TextIO, path: AnyPath) -> Iterator[str]:
    """Yield the lines of a text; raise at one that is too long, before all of it is read."""
    number = 0
    while line := text.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise too_long(path, number)
        yield line


def require_modes(modes: int, path: AnyPath, what_to_do: str) -> None:
    """Raise if there are more columns of indices or labels than a tensor can have modes."""
    if modes > MAX_ORDER:
        raise FileFormatError(
            f"has {modes:,} columns beside the value, but a tensor has at most {MAX_ORDER} modes; "
            f"{what_to_do}",
            path,
        )


def require_columns_to_parse(columns: int, path: AnyPath) -> None:
    """Raise if a table has more columns than are looked at."""
    if columns > MOST_COLUMNS:
        raise FileFormatError(
            f"has {columns:,} columns, more than the {MOST_COLUMNS:,} that are read; write a file "
            f"with just the columns that are modes, value or weight",
            path,
        )


def require_memory(rows: int, columns: int, path: AnyPath) -> None:
    """Raise if a table is so long that its columns as numbers would not fit into memory."""
    needed, there = rows * columns * NUMBER, available()
    if there is not None and needed > there:
        raise NotEnoughMemoryError(
            f"{path}: {rows:,} rows of {columns} columns take {needed / GIB:,.1f} GiB and more, "
            f"but {there / GIB:.1f} GiB are available; read a part of it"
        )
