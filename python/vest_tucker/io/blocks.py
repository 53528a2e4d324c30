"""Tables in blocks: files of any length in little memory, read and written a block at a time."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from vest_tucker.base.errors import ColumnError, FileFormatError
from vest_tucker.base.types import AnyPath
from vest_tucker.data.labels import listed
from vest_tucker.io.arrow import arrow, csv_tables, plain_times
from vest_tucker.io.compression import BOM
from vest_tucker.io.counted import counted
from vest_tucker.io.diagnose import columns_in_words, shown
from vest_tucker.io.safety.limits import (
    LONGEST_LINE,
    require_columns_to_parse,
    rest_of_line,
    too_long,
)

BLOCK = 1 << 20  # bytes of text that are parsed at a time; Arrow reads some blocks ahead
ROWS = 1 << 16  # of a Parquet file
MOST_LINES = 1000  # that one line of names may have, in quotes


def text_blocks(stream: BinaryIO, path: AnyPath, delimiter: str | None = None) -> Iterator[Any]:
    """Yield a table of text, whose first line has the names, as Arrow tables of texts.

    Parameters
    ----------
    stream : binary file
        Read once, from where it stands to its end.
    path : path
        What messages call it.
    delimiter : str, optional
        By default what the first line has more of, tabulators or commas.
    """
    pa = arrow("reading a table of text")
    first = _first_line(stream, path)
    if delimiter is None:
        delimiter = "\t" if first.count("\t") >= max(first.count(","), 1) else ","
    names = next(csv.reader([first], delimiter=delimiter), [])
    if not any(names):
        raise FileFormatError("has no line with the names of columns", path)
    require_columns_to_parse(len(names), path)
    repeated = {name for name, times in Counter(names).items() if times > 1}
    if repeated:
        raise FileFormatError(f"has several columns {listed(sorted(repeated))}", path, 1)
    options = (
        pa.csv.ReadOptions(column_names=names, block_size=BLOCK, use_threads=False),
        pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        pa.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
        ),
    )
    try:
        yield from csv_tables(stream, *options)
    except pa.ArrowException as error:
        if "Empty CSV file" not in str(error):
            raise FileFormatError(_complaint(str(error)), path) from error
        yield pa.table({name: pa.array([], pa.string()) for name in names})


def _complaint(parser: str) -> str:
    """Return what is wrong with a table, by what the parser said of it."""
    row = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", parser)
    if row is None:
        return f"could not be read as a table: {parser}"
    return (
        f"row {row[1]} below the names has {columns_in_words(int(row[3]))}, but there should be "
        f"{row[2]}: {shown(row[4])}"
    )


def _first_line(stream: BinaryIO, path: AnyPath) -> str:
    """Return the line of names, which goes on while a quote is open."""
    line = rest_of_line(stream, path).removeprefix(BOM)
    for _ in range(MOST_LINES):
        if line.count(b'"') % 2 == 0:
            break
        line += rest_of_line(stream, path)
        if len(line) > LONGEST_LINE:
            raise too_long(path, 1)
    return line.decode("utf-8", "replace").rstrip("\r\n")


def parquet_blocks(path: AnyPath) -> Iterator[Any]:
    """Yield the rows of a Parquet file as Arrow tables."""
    pa = arrow("reading a .parquet file")
    try:
        with counted(path) as stream, pa.parquet.ParquetFile(stream) as file:
            if not file.metadata.num_rows:
                yield file.schema_arrow.empty_table()
            for batch in file.iter_batches(ROWS):
                yield pa.Table.from_batches([batch])
    except pa.ArrowException as error:
        raise FileFormatError(f"is not a Parquet file: {error}", path) from error


def with_columns(table: Any, columns: dict[str, Any]) -> Any:
    """Return a table with more columns at its end."""
    for name, values in columns.items():
        if name in table.column_names:
            raise ColumnError(f"there is a column {name!r} already; choose another name")
        table = table.append_column(name, arrow("a table").array(values))
    return table


def write_parquet_blocks(file: BinaryIO, tables: Iterator[Any], schema: Any) -> None:
    """Write blocks as one Parquet file."""
    with arrow("writing a .parquet file").parquet.ParquetWriter(file, schema) as writer:
        for table in tables:
            writer.write_table(table)


def write_text_blocks(
    file: BinaryIO, tables: Iterator[Any], names: Sequence[str], delimiter: str
) -> None:
    """Write blocks as one table of text, with quotes in blocks where a text needs them."""
    pa = arrow("writing a table of text")
    header = io.StringIO()
    csv.writer(header, delimiter=delimiter, lineterminator="\n").writerow(names)
    file.write(header.getvalue().encode())
    for table in _with_plain_times(tables):
        # Quotes that are needed are around all texts of the block.
        block = _as_text(pa, table, delimiter, "none") or _as_text(pa, table, delimiter, "needed")
        if block is None:
            raise FileFormatError(_why_not_text(pa, table, delimiter))
        file.write(block.getbuffer())


def _with_plain_times(tables: Iterator[Any]) -> Iterator[Any]:
    """Yield tables, a single one with short times: others may need what all must then have."""
    first = next(tables, None)
    if first is None:
        return
    plain = plain_times(first)
    second = None if plain is first else next(tables, None)
    yield from (plain,) if second is None else (first, second)
    yield from tables


def _as_text(pa: Any, table: Any, delimiter: str, quotes: str) -> io.BytesIO | None:
    """Return the lines of a block; None if it cannot be written with such quotes."""
    block = io.BytesIO()
    options = pa.csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=quotes)
    try:
        pa.csv.write_csv(table, block, options)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    return block


def _why_not_text(pa: Any, table: Any, delimiter: str) -> str:
    """Say which columns of a block text cannot hold."""
    names = [
        f"{name!r} ({table.schema.field(name).type})"
        for name in table.column_names
        if _as_text(pa, table.select([name]), delimiter, "needed") is None
    ]
    return (
        f"a table of text cannot hold the column {', '.join(names)}; write a .parquet file, or "
        f"leave it out of the cells"
    )
