"""CSV and TSV with column names: labels and values in, labels and values out.

Labels are read as text. A column of them becomes numbers, dates or times only if all of its labels,
written again, are the same text: "007" and "7", or "1e5" and "100000", are different labels.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from vest_tucker.base.errors import FileFormatError, ModeError
from vest_tucker.base.types import AnyPath, Labels
from vest_tucker.data.labels import default_names, listed
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.io.arrow import arrow
from vest_tucker.io.columns import Columns, choose, no_table, table_of, tensor_from_table
from vest_tucker.io.compression import create_bytes, open_bytes
from vest_tucker.io.diagnose import INTEGER, NUMBER, columns_in_words, shown, table_rows
from vest_tucker.io.indexed import Place
from vest_tucker.io.lines import require_text
from vest_tucker.io.read_options import Request

DELIMITERS = {"csv": ",", "tsv": "\t"}


def read_delimited(path: AnyPath, request: Request, form: str) -> tuple[SparseTensor, int | None]:
    """Read a table whose first line names the columns."""
    delimiter = DELIMITERS[form]
    columns = choose(_column_names(path, delimiter), path, request)
    table = _table(path, columns, delimiter)
    if columns.index_base is None:
        for mode, name in enumerate(columns.modes):
            own = request.like.labels[mode] if request.like else None
            column = _typed(table.column(name), own)
            table = table.set_column(table.column_names.index(name), name, column)
    return tensor_from_table(
        table, columns, path, lambda row: _place(path, delimiter, row), request
    )


def write_delimited(tensor: SparseTensor, path: AnyPath, value: str, form: str) -> None:
    """Write a table: a column of labels, or of indices from 0, per mode, and the values."""
    pa = arrow(f"writing a .{form} file")
    are_labelled = any(own is not None for own in tensor.labels)
    if are_labelled and tensor.modes == default_names(tensor.order):
        raise ModeError(
            f"the modes have labels but are called {listed(tensor.modes)}, as those that have just "
            f"indices are; name the modes first, lest the labels are read back as indices"
        )
    table = table_of(tensor, value)
    with create_bytes(path) as file:
        try:
            pa.csv.write_csv(table, file, pa.csv.WriteOptions(delimiter=DELIMITERS[form]))
        except pa.ArrowException as error:
            raise no_table(error) from error


def _table(path: AnyPath, columns: Columns, delimiter: str) -> Any:
    pa = arrow("reading a table of text")
    text = pa.dictionary(pa.int32(), pa.string())
    kind = text if columns.index_base is None else pa.int64()
    types = dict.fromkeys(columns.modes, kind) | {columns.value: pa.float64()}
    try:
        with open_bytes(path) as stream:
            return pa.csv.read_csv(
                stream,
                parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                convert_options=pa.csv.ConvertOptions(
                    column_types=types,
                    include_columns=columns.names,
                    null_values=[""],  # not "NA", which is a label like any other
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
    except pa.ArrowInvalid as error:
        raise _first_bad_row(path, columns, delimiter, str(error)) from None


# --- What labels are: text, unless nothing is lost ------------------------------------------------


def _typed(column: Any, own: Labels | None) -> Any:
    """Return a column of text as what it is; given the labels it is to match, as what they are."""
    column = column.unify_dictionaries().combine_chunks()
    for kind, by_value in _candidates(own):
        cast = _cast(column.dictionary, kind, by_value)
        if cast is not None:
            return cast.take(column.indices)
    return column


def _candidates(own: Labels | None) -> list[tuple[Any, bool]]:
    """Types to try, and whether a label that is written in another way is the same."""
    pa = arrow("reading a table of text")
    if own is not None and own.dtype.kind == "O":
        return []
    if own is not None and own.dtype.kind in "iufb":
        return [(pa.from_numpy_dtype(own.dtype), own.dtype.kind == "f")]
    times = [pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")]
    exact = [pa.int64(), pa.date32(), *times, pa.float64(), pa.bool_()]
    return [(kind, False) for kind in exact]


def _cast(texts: Any, kind: Any, by_value: bool) -> Any:
    """Return different texts as another type; None if that cannot hold them, or tell them apart."""
    pa = arrow("reading a table of text")
    try:
        cast = texts.cast(kind)
    except pa.ArrowInvalid:
        return None
    if pa.types.is_floating(kind) and not np.isfinite(cast.to_numpy()).all():
        return None
    if by_value:
        return cast
    are_same = cast.cast(pa.string()).equals(texts)
    are_different = len(np.unique(cast.to_numpy(zero_copy_only=False))) == len(texts)  # 0 and -0
    return cast if are_same and are_different else None


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
