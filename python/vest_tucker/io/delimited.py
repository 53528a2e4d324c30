"""CSV and TSV with column names: labels and values in, labels and values out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from vest_tucker.errors import FileFormatError
from vest_tucker.io.arrow import arrow
from vest_tucker.io.atomic import AnyPath
from vest_tucker.io.bad_lines import INTEGER, NUMBER, columns_in_words, shown, table_rows
from vest_tucker.io.columns import Columns, choose, tensor_from_table
from vest_tucker.io.indexed import Place
from vest_tucker.io.lines import require_text
from vest_tucker.io.request import Request
from vest_tucker.io.streams import create_bytes, open_bytes
from vest_tucker.tensor import SparseTensor

DELIMITERS = {"csv": ",", "tsv": "\t"}


def read_delimited(path: AnyPath, request: Request, form: str) -> tuple[SparseTensor, int | None]:
    """Read a table whose first line names the columns."""
    delimiter = DELIMITERS[form]
    columns = choose(_column_names(path, delimiter), path, request)
    table = _table(path, columns, delimiter)
    return tensor_from_table(
        table, columns, path, lambda row: _place(path, delimiter, row), request
    )


def write_delimited(tensor: SparseTensor, path: AnyPath, value: str, form: str) -> None:
    """Write a table: a column of labels, or of indices from 0, per mode, and the values."""
    pa = arrow(f"writing a .{form} file")
    table = tensor.to_frame(value=value, backend="pyarrow")
    with create_bytes(path) as file:
        pa.csv.write_csv(table, file, pa.csv.WriteOptions(delimiter=DELIMITERS[form]))


def _table(path: AnyPath, columns: Columns, delimiter: str) -> Any:
    pa = arrow("reading a table of text")
    types = {columns.value: pa.float64()}
    if columns.index_base is not None:
        types |= {name: pa.int64() for name in columns.modes}
    try:
        with open_bytes(path) as stream:
            table = pa.csv.read_csv(
                stream,
                parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                convert_options=pa.csv.ConvertOptions(
                    column_types=types, include_columns=columns.names
                ),
            )
    except pa.ArrowInvalid as error:
        raise _first_bad_row(path, columns, delimiter, str(error)) from None
    if any(pa.types.is_binary(column.type) for column in table.columns):  # for text that is none
        raise _first_bad_row(path, columns, delimiter, "no UTF-8")
    return table


# --- Who is to blame, asked only after the parser gave up -----------------------------------------


def _rows(path: AnyPath, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    with open_bytes(path) as stream:
        yield from table_rows(stream, delimiter, path)


def _column_names(path: AnyPath, delimiter: str) -> list[str]:
    with open_bytes(path) as stream:
        require_text(stream.read(1 << 16), path)
    line, names = next(_rows(path, delimiter), (1, []))
    if not _is_utf8(names):
        raise FileFormatError(f"is no UTF-8; save the file as UTF-8: {names}", path, line)
    return names


def _place(path: AnyPath, delimiter: str, row: int) -> Place:
    after_names = itertools.islice(_rows(path, delimiter), row + 1, None)
    line, cells = next(after_names)
    return Place(row, line, delimiter.join(cells))


def _first_bad_row(path: AnyPath, columns: Columns, delimiter: str, parser: str) -> FileFormatError:
    rows = _rows(path, delimiter)
    _, names = next(rows)
    for line, cells in rows:
        complaint = _why_bad(cells, names, columns)
        if complaint:
            return FileFormatError(f"{complaint}: {shown(delimiter.join(cells))}", path, line)
    return FileFormatError(f"is no table that can be read ({parser})", path)


def _why_bad(cells: list[str], names: list[str], columns: Columns) -> str | None:
    if len(cells) != len(names):
        return f"has {columns_in_words(len(cells))}, but there are {len(names)} names"
    if not _is_utf8(cells):
        return "is no UTF-8; save the file as UTF-8"
    by_name = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
    if NUMBER.fullmatch(by_name[columns.value]) is None:
        return f"the value in the column {columns.value!r} is {shown(by_name[columns.value])}"
    for name in columns.modes if columns.index_base is not None else ():
        if INTEGER.fullmatch(by_name[name]) is None:
            return f"the index in the column {name!r} is {shown(by_name[name])}"
    return None


def _is_utf8(cells: list[str]) -> bool:
    """Whether no byte had to be escaped."""
    try:
        "".join(cells).encode()
    except UnicodeEncodeError:
        return False
    return True
