"""Lines of numbers, ``i j k ... value``: parsed block by block by Arrow, or else by NumPy.

A block goes to the parser as it is. If the parser cannot read it, comments, superfluous spaces and
plus signs are removed and it is parsed again. If that does not help, ``diagnose.py`` finds the bad
line. The memory needed is that of a few blocks of text and twice that of the entries.
"""

from __future__ import annotations

import io
import re
import warnings
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import FileFormatError
from vest_tucker.base.types import AnyPath, Coords, Floats
from vest_tucker.io.arrow import arrow_or_none, read_csv, told_of_memory
from vest_tucker.io.compression import whole_lines
from vest_tucker.io.diagnose import LineLayout, first_bad_line
from vest_tucker.io.safety.limits import require_modes

BLOCK = 1 << 24
WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
# The first line that is neither blank nor a comment; lines may end in any of three ways.
DATA_LINE = re.compile(rb"(?:^|[\r\n])[ \t\v\f]*([^#\s][^\r\n#]*)")
SPACES = bytes.maketrans(b"\t\v\f", b"   ")


class RawEntries(NamedTuple):
    """Indices as they are in the file, (n, N), and values, (n,)."""

    indices: Coords
    values: Floats


def read_lines(stream: BinaryIO, path: AnyPath, header: int = 0) -> RawEntries:
    """Read all lines of a stream that follow ``header`` lines of another kind."""
    layout: LineLayout | None = None
    parts: list[RawEntries] = []
    is_tidy = True
    for block in whole_lines(stream, BLOCK, path):
        if layout is None:
            require_text(block, path)
            layout = _layout(block)
        if layout is None:  # nothing but comments yet
            continue
        require_modes(layout.columns - 1, path, "is there an entry per line?")
        if layout.columns < 3:
            raise first_bad_line(path, layout, header, "")
        if is_tidy:
            try:
                parts.append(_parse(block, layout))
                continue
            except ValueError:
                is_tidy = False  # the following blocks are most likely not tidy either
        try:
            parts.append(_parse(tidied(block), layout.tidied()))
        except ValueError as error:
            rows = header + sum(len(part.values) for part in parts)
            raise first_bad_line(path, layout, rows, str(error)) from None
    if layout is None:
        raise FileFormatError("has no entries; each line should be: i j k ... value", path)
    return _joined(parts)


def _joined(parts: list[RawEntries]) -> RawEntries:
    if len(parts) == 1:
        return parts[0]
    values = np.concatenate([part.values for part in parts])
    return RawEntries(np.concatenate([part.indices for part in parts]), values)


def require_text(start: bytes, path: AnyPath) -> None:
    """Raise if the first bytes of a file show that it is not a text in UTF-8."""
    if start.startswith(WIDE_BOMS):
        raise FileFormatError("is text in UTF-16; save it as UTF-8", path)
    if b"\0" in start:
        raise FileFormatError(
            "is binary, not text; pass format= if its suffix does not say what it is", path
        )


def _layout(block: bytes) -> LineLayout | None:
    """Find out how the first line is divided: by commas, or else by any white space."""
    found = DATA_LINE.search(block)
    if found is None:
        return None
    line = found[1].decode("utf-8", "replace")
    fields = line.split(",")
    # "1 2 3,5" is divided by spaces: its comma belongs to a number.
    if len(fields) > 1 and not any(len(field.split()) > 1 for field in fields):
        return LineLayout(len(fields), ",")
    return LineLayout(len(line.split()), "\t" if "\t" in line else " ")


def tidied(block: bytes) -> bytes:
    r"""Return the same number of lines, with single spaces, without comments and plus signs.

    Examples
    --------
    >>> tidied(b"# i j value\r\n\t1   +2  1e+5 \r\n")
    b'\n1 2 1e+5\n'
    """
    block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"#" in block:
        block = re.sub(rb"#[^\n]*", b"", block)
    block = block.translate(SPACES)
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    block = block.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
    if b"+" in block:
        block = re.sub(rb"(?<![^\s,])\+(?=[\d.])", b"", block)
    return block


def _parse(block: bytes, layout: LineLayout) -> RawEntries:
    """Parse lines of this layout; raise a ValueError if a line has another one."""
    if b"x" in block or b"X" in block:
        raise ValueError("some parsers take 0x10 for 16, others do not")
    columns = _columns(block, layout)
    indices: Coords = np.empty((len(columns[-1]), layout.columns - 1), dtype=np.int32)
    for mode, column in enumerate(columns[:-1]):
        indices[:, mode] = column
    return RawEntries(indices, np.ascontiguousarray(columns[-1], dtype=np.float64))


def _columns(block: bytes, layout: LineLayout) -> list[NDArray[Any]]:
    pa = arrow_or_none()
    if pa is None:
        return _columns_by_numpy(block, layout)
    names = [str(column) for column in range(layout.columns)]
    types = {name: pa.int32() for name in names[:-1]} | {names[-1]: pa.float64()}
    with told_of_memory():
        table = read_csv(
            pa.BufferReader(block or b"\n"),  # Arrow refuses to read no bytes at all
            pa.csv.ReadOptions(column_names=names),
            pa.csv.ParseOptions(delimiter=layout.delimiter, quote_char=False),
            pa.csv.ConvertOptions(column_types=types, null_values=[]),
        )
    return [column.to_numpy() for column in table.columns]


def _columns_by_numpy(block: bytes, layout: LineLayout) -> list[NDArray[Any]]:
    dtype = [(str(column), "i4") for column in range(layout.columns - 1)] + [("value", "f8")]
    if block.isspace() or not block:
        return [np.empty(0, kind) for _, kind in dtype]
    with warnings.catch_warnings():
        # For an index like 1.5 some versions of NumPy only warn, and return 1.
        warnings.simplefilter("error", DeprecationWarning)
        try:
            table = np.loadtxt(
                io.StringIO(block.decode("ascii")),
                dtype=dtype, delimiter=layout.delimiter, comments=None, ndmin=1,
            )  # fmt: skip
        except (DeprecationWarning, OverflowError) as error:
            raise ValueError(str(error)) from error
    return [table[name] for name, _ in dtype]
