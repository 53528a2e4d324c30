"""Parquet with column names: tables of labels and values with their types.

A file of `write_parquet` has a note that tells which modes have indices from 0 instead of labels,
how many rows these modes have, and which column holds weights.
"""

from __future__ import annotations

import json
from typing import Any

from vest_tucker.base.errors import DamagedFileError, FileFormatError
from vest_tucker.base.types import AnyPath
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.io.arrow import arrow, told_of_memory
from vest_tucker.io.atomic import atomic_write
from vest_tucker.io.columns import choose, not_storable, table_of, tensor_from_table
from vest_tucker.io.counted import counted
from vest_tucker.io.format import TABLE_OPTIONS, Format
from vest_tucker.io.indexed import Place
from vest_tucker.io.read_options import Request
from vest_tucker.io.safety.limits import require_memory

MAGIC = b"PAR1"
NOTE = b"vest-tucker"


def read_parquet(path: AnyPath, request: Request) -> tuple[SparseTensor, int | None]:
    """Read the columns that are needed."""
    pa = arrow("reading a .parquet file")
    with counted(path) as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise FileFormatError("is not a Parquet file", path)
        try:
            stored = pa.parquet.ParquetFile(file)
            notes = stored.schema_arrow.metadata or {}
            names = _without_index(stored.schema_arrow.names, notes, request)
            columns = choose(names, path, request, *_noted(notes, path))
            require_memory(stored.metadata.num_rows, len(columns.names), path)
            with told_of_memory():
                table = stored.read(columns.names)
        except (pa.ArrowException, OSError) as error:
            raise DamagedFileError.because(error, path) from error
    return tensor_from_table(table, columns, path, Place, request)


def write_parquet(
    tensor: SparseTensor, path: AnyPath, value: str = "value", weight: str = "weight"
) -> None:
    """Write a table: a column of labels, or of indices from 0, per mode, values and weights."""
    pa = arrow("writing a .parquet file")
    table = table_of(tensor, value, weight)
    rows = {
        name: dim if own is None else None
        for name, dim, own in zip(tensor.modes, tensor.shape, tensor.labels, strict=True)
    }
    note = {"rows": rows} if tensor.weights is None else {"rows": rows, "weight": weight}
    table = table.replace_schema_metadata({NOTE: json.dumps(note)})
    with atomic_write(path) as file:
        try:
            with told_of_memory():
                pa.parquet.write_table(table, file)
        except pa.ArrowException as error:
            raise not_storable(error) from error


def _noted(
    notes: dict[bytes, bytes], path: AnyPath
) -> tuple[dict[str, int | None] | None, str | None]:
    """Return the number of rows of each mode, None if it has labels; and the column of weights.

    Both are None without such a note.
    """
    if NOTE not in notes:
        return None, None
    try:
        note = json.loads(notes[NOTE])
        rows, weight = dict(note["rows"]), note.get("weight")
        if not all(dim is None or type(dim) is int for dim in rows.values()):
            raise ValueError(f"the rows are {rows}")
        if not (weight is None or isinstance(weight, str)):
            raise ValueError(f"the weight is {weight!r}")
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedFileError.because(error, path) from error
    return rows, weight


def _without_index(names: list[str], notes: dict[bytes, bytes], request: Request) -> list[str]:
    """Leave out the columns that are the index of a pandas frame, unless asked for by name."""
    try:
        index: list[Any] = json.loads(notes[b"pandas"])["index_columns"]
        hidden = {name for name in index if isinstance(name, str)}
    except (ValueError, KeyError, TypeError):  # a note that we cannot read is ignored
        return names
    modes = {*(request.modes or ()), *(request.like.modes if request.like else ())}
    asked = modes | {request.value, request.weight}
    return [name for name in names if name not in hidden or name in asked]


FORMAT = Format(
    name="parquet",
    suffixes=(".parquet",),
    read=read_parquet,
    write=write_parquet,
    recognizes=lambda head: head.line.startswith(MAGIC.decode()),
    reads_with=TABLE_OPTIONS,
    writes_with=("value", "weight"),
    compressible=False,
)
