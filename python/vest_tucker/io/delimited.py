"""CSV and TSV with column names: labels and values in, labels and values out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vest_tucker.errors import FileFormatError
from vest_tucker.io.arrow import arrow
from vest_tucker.io.atomic import AnyPath
from vest_tucker.io.bad_lines import NUMBER, shown
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
            return pa.csv.read_csv(
                stream,
                parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                convert_options=pa.csv.ConvertOptions(
                    column_types=types, include_columns=columns.names
                ),
            )
    except pa.ArrowInvalid as error:
        raise _first_bad_row(path, columns, delimiter, str(error)) from None


# --- Who is to blame, asked only after the parser gave up -----------------------------------------


@contextmanager
def _rows(path: AnyPath, delimiter: str) -> Iterator[Any]:
    """Rows of cells, by a slow reader that knows the number of the line it is in."""
    with (
        open_bytes(path) as stream,
        io.TextIOWrapper(stream, "utf-8-sig", "backslashreplace", newline="") as text,
    ):
        yield csv.reader(text, delimiter=delimiter)


def _column_names(path: AnyPath, delimiter: str) -> list[str]:
    with open_bytes(path) as stream:
        require_text(stream.read(1 << 16), path)
    with _rows(path, delimiter) as rows:
        return next((row for row in rows if row), [])


def _place(path: AnyPath, delimiter: str, row: int) -> Place:
    with _rows(path, delimiter) as rows:
        filled = (cells for cells in rows if cells)
        for _ in range(row + 1):  # the first are the names
            next(filled)
        begins = rows.line_num + 1
        return Place(row, begins, delimiter.join(next(filled)))


def _first_bad_row(path: AnyPath, columns: Columns, delimiter: str, parser: str) -> FileFormatError:
    with _rows(path, delimiter) as rows:
        names = next(row for row in rows if row)
        at = names.index(columns.value)
        for row in rows:
            what = ""
            if row and len(row) != len(names):
                what = f"has {len(row)} columns, but there are {len(names)} names"
            elif row and NUMBER.fullmatch(row[at].strip()) is None:
                what = f"the value in the column {columns.value!r} is {shown(row[at])}"
            elif any("\\x" in cell for cell in row):
                what = "is no UTF-8; save the file as UTF-8"
            if what:
                return FileFormatError(f"{what}: {shown(delimiter.join(row))}", path, rows.line_num)
    return FileFormatError(f"is no table that can be read ({parser})", path)
