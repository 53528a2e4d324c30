"""Parquet with column names: labels and values in, labels and values out, each with its type."""

from __future__ import annotations

from pathlib import Path

from vest_tucker.errors import DamagedFileError, FileFormatError
from vest_tucker.io.arrow import arrow
from vest_tucker.io.atomic import AnyPath, atomic_write
from vest_tucker.io.columns import choose, tensor_from_table
from vest_tucker.io.indexed import Place
from vest_tucker.io.request import Request
from vest_tucker.tensor import SparseTensor

MAGIC = b"PAR1"


def read_parquet(path: AnyPath, request: Request) -> tuple[SparseTensor, int | None]:
    """Read the columns that are needed."""
    pa = arrow("reading a .parquet file")
    with Path(path).open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise FileFormatError("is no Parquet file", path)
        try:
            stored = pa.parquet.ParquetFile(file)
            columns = choose(stored.schema_arrow.names, path, request)
            table = stored.read(columns.names)
        except (pa.ArrowException, OSError) as error:
            raise DamagedFileError.because(error, path) from error
    return tensor_from_table(table, columns, path, Place, request)


def write_parquet(tensor: SparseTensor, path: AnyPath, value: str) -> None:
    """Write a table: a column of labels, or of indices from 0, per mode, and the values."""
    pa = arrow("writing a .parquet file")
    table = tensor.to_frame(value=value, backend="pyarrow")
    with atomic_write(path) as file:
        pa.parquet.write_table(table, file)
