"""CSV and TSV with column names: tables of labels and values.

Labels are read as text. A column of labels becomes numbers, dates or times only if converting them
back gives the same text: "007" and "7", or "1e5" and "100000", are different labels.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from vest_tucker.base.errors import FileFormatError, LabelError, ModeError
from vest_tucker.base.types import AnyPath, Labels
from vest_tucker.data.labels import default_names, listed
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.io.arrow import arrow, plain_times, told_of_memory
from vest_tucker.io.columns import Columns, choose, not_storable, table_of, tensor_from_table
from vest_tucker.io.compression import create_bytes, open_bytes
from vest_tucker.io.diagnose import NUMBER, shown
from vest_tucker.io.format import TABLE_OPTIONS, Format
from vest_tucker.io.indexed import Place, Where
from vest_tucker.io.lines import require_text
from vest_tucker.io.read_options import Request
from vest_tucker.io.safety.formulas import harmless_table
from vest_tucker.io.text_tables import (
    GAPS,
    NO_ROW,
    Kind,
    Layout,
    TextTable,
    is_utf8,
    rows_of,
    strange_separator,
)


def read_delimited(
    path: AnyPath, request: Request, delimiter: str
) -> tuple[SparseTensor, int | None]:
    """Read a table whose first line names the columns."""
    columns = choose(_column_names(path, delimiter), path, request)
    drop = request.missing == "drop"
    text = _text_table(path, columns, delimiter, numbers="string" if drop else "float64")
    table = text.parse()

    def where(number: int) -> Place:
        row = text.row(number)
        return Place(number, row.line, row.text)

    for name in columns.numbers if drop else ():
        why = columns.why_value if name == columns.value else ""
        numbers = _numbers_with_gaps(table.column(name), name, path, where, why)
        table = table.set_column(table.column_names.index(name), name, numbers)
    if columns.index_base is None:
        for mode, name in enumerate(columns.modes):
            own = request.like.labels[mode] if request.like else None
            column = _typed(table.column(name), own)
            table = table.set_column(table.column_names.index(name), name, column)
    return tensor_from_table(table, columns, path, where, request)


def write_delimited(
    tensor: SparseTensor,
    path: AnyPath,
    value: str = "value",
    weight: str = "weight",
    escape_formulas: bool = False,
    *,
    delimiter: str,
) -> None:
    """Write a table: a column of labels, or of indices from 0, per mode, values and weights."""
    pa = arrow("writing a table of text")
    are_labelled = any(own is not None for own in tensor.labels)
    if are_labelled and tensor.modes == default_names(tensor.order):
        raise ModeError(
            f"the modes have labels but are called {listed(tensor.modes)}, as those that have just "
            f"indices are; name the modes first, lest the labels are read back as indices"
        )
    _require_no_nul(tensor)
    table = plain_times(_in_utc(table_of(tensor, value, weight)))
    if escape_formulas:
        table = harmless_table(table)
    with create_bytes(path) as file:
        try:
            with told_of_memory():
                pa.csv.write_csv(table, file, pa.csv.WriteOptions(delimiter=delimiter))
        except pa.ArrowException as error:
            raise not_storable(error) from error


def _require_no_nul(tensor: SparseTensor) -> None:
    """Raise if a text has a NUL, by which whoever reads a file knows that it is not text."""
    for mode, own in zip(tensor.modes, tensor.labels, strict=True):
        texts = own.tolist() if own is not None and own.dtype.kind in "OU" else []
        if any(isinstance(text, str) and "\x00" in text for text in [mode, *texts]):
            raise LabelError(
                f"mode {mode!r} has a NUL among its labels, which no text file can hold; write "
                f"a .npz or .parquet file, or replace it"
            )


def _in_utc(table: Any) -> Any:
    """Return a table whose times are those of UTC, for text has no place for a time zone."""
    pa = arrow("writing a table of text")
    for number, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type.tz:
            naive = table.column(number).cast(pa.timestamp(field.type.unit))
            table = table.set_column(number, field.name, naive)
    return table


def _column_names(path: AnyPath, delimiter: str) -> list[str]:
    with open_bytes(path) as stream:
        require_text(stream.read(1 << 16), path)
    with open_bytes(path) as stream:
        layout = Layout({}, delimiter, header=True, quoted=True)
        header = next(rows_of(stream, layout, path), NO_ROW)
    if not is_utf8(header.text):
        what = f"is not valid UTF-8; save the file as UTF-8: {shown(header.text)}"
        raise FileFormatError(what, path, header.line)
    if len(header.fields) == 1 and (other := strange_separator(header.text, delimiter)):
        raise FileFormatError(
            f"has one column, {shown(header.text)}: its separator seems to be {other!r}; save it "
            f"with commas as .csv (and with points in numbers), or with tabulators as .tsv",
            path, header.line,
        )  # fmt: skip
    return header.fields


def _text_table(path: AnyPath, columns: Columns, delimiter: str, numbers: Kind) -> TextTable:
    layout = Layout(
        dict.fromkeys(columns.modes, "string" if columns.index_base is None else "int64")
        | dict.fromkeys(columns.numbers, numbers),
        delimiter,
        header=True,
        quoted=True,
        empty_text=True,
        hint='; missing="drop" leaves out rows with gaps',
        why={columns.value: columns.why_value},
    )
    return TextTable(path, partial(open_bytes, path), layout)


def _numbers_with_gaps(column: Any, name: str, path: AnyPath, where: Where, why: str = "") -> Any:
    """Return a column of text as numbers, with nulls for what is written as a gap."""
    pa = arrow("reading a table of text")
    column = column.unify_dictionaries().combine_chunks()
    texts = [text.strip() for text in column.dictionary.to_pylist()]
    numbers = [
        None if text.lower() in GAPS else float(text) if NUMBER.fullmatch(text) else math.nan
        for text in texts
    ]
    bad = np.array([number is not None and math.isnan(number) for number in numbers], dtype=bool)
    if bad.any():
        codes = column.indices.fill_null(0).to_numpy()
        row = int(np.argmax(bad[codes] & column.is_valid().to_numpy(zero_copy_only=False)))
        text = texts[codes[row]]
        raise where(row).error(
            f"the column {name!r} has {shown(text)}, which is neither a number nor a gap{why}",
            path,
        )
    return pa.array(numbers, pa.float64()).take(column.indices)


# --- Labels stay text unless another type loses nothing -------------------------------------------


def _typed(column: Any, own: Labels | None) -> Any:
    """Return a column of text in its own type, or in the type of the labels that it is to match."""
    column = column.unify_dictionaries().combine_chunks()
    for kind, by_value in _candidates(own):
        cast = _cast(column.dictionary, kind, by_value)
        if cast is not None:
            return cast.take(column.indices)
    return column


def _candidates(own: Labels | None) -> list[tuple[Any, bool]]:
    """Return types to try, each with whether labels written in different ways may be equal."""
    pa = arrow("reading a table of text")
    if own is not None and own.dtype.kind == "O":
        return []
    if own is not None and own.dtype.kind in "iufb":
        return [(pa.from_numpy_dtype(own.dtype), own.dtype.kind == "f")]
    times = [pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")]
    exact = [pa.int64(), pa.date32(), *times, pa.float64(), pa.bool_()]
    return [(kind, False) for kind in exact]


def _cast(texts: Any, kind: Any, by_value: bool) -> Any:
    """Return distinct texts in another type; None if it cannot hold them or makes two equal."""
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


# --- The formats ----------------------------------------------------------------------------------


def _format(name: str, delimiter: str) -> Format:
    return Format(
        name=name,
        suffixes=(f".{name}",),
        read=partial(read_delimited, delimiter=delimiter),
        write=partial(write_delimited, delimiter=delimiter),
        recognizes=lambda head: delimiter in head.line and not head.is_numbers,
        reads_with=TABLE_OPTIONS,
        writes_with=("value", "weight", "escape_formulas"),
        has_names=True,
    )


CSV = _format("csv", ",")
TSV = _format("tsv", "\t")
