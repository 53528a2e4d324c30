"""FROSTT's ``.tns`` and its like: a line ``i j k ... value`` per entry, and comments after ``#``.

Indices count from 1, unless there is a 0 among them. The format does not state the shape. If the
shape is larger than the indices, or if indices count from 0 but there is no 0 among them,
`write_tns` begins with a comment ``# shape 4 3 2 from 0``, which `read_tns` understands.
"""

from __future__ import annotations

import dataclasses
import re
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import OptionError
from vest_tucker.base.types import AnyPath, Floats
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.io.arrow import arrow_or_none
from vest_tucker.io.compression import create_bytes, open_bytes
from vest_tucker.io.format import LINE_OPTIONS, Format
from vest_tucker.io.indexed import by_line, tensor_of
from vest_tucker.io.lines import read_lines
from vest_tucker.io.read_options import Request

STATED = re.compile(rb"# shape((?: [0-9]{1,10})+) from ([01])\s")
CHUNK = 1 << 20


def read_tns(path: AnyPath, request: Request) -> tuple[SparseTensor, int]:
    """Read lines of indices and a value; also return what the indices count from."""
    with open_bytes(path) as stream:
        indices, values = read_lines(stream, path)
    return tensor_of(indices, values, path, by_line(path), _with_stated(request, path))


def _with_stated(request: Request, path: AnyPath) -> Request:
    """Return the request with what the first line states, unless the caller said otherwise."""
    with open_bytes(path) as stream:
        stated = STATED.match(stream.readline(1000))
    if stated is None:
        return request
    base = int(stated[2])
    if request.index_base not in (None, base):
        raise OptionError(
            f"{path}: index_base is {request.index_base}, but the first line says that indices "
            f"count from {base}; leave index_base out, or correct that line"
        )
    shape = request.shape or tuple(int(dim) for dim in stated[1].split())
    return dataclasses.replace(request, shape=shape, index_base=base)


def write_tns(tensor: SparseTensor, path: AnyPath, index_base: int = 1) -> None:
    """Write lines of indices and a value, without names and labels."""
    smallest = tuple((tensor.coords.max(axis=0) + 1).tolist())
    with create_bytes(path) as file:
        if tensor.shape != smallest or (index_base == 0 and tensor.coords.min() > 0):
            shape = " ".join(str(dim) for dim in tensor.shape)
            file.write(f"# shape {shape} from {index_base}\n".encode())
        write_lines(file, tensor, index_base)


def write_lines(file: BinaryIO, tensor: SparseTensor, index_base: int) -> None:
    """Write an entry per line, each value with as many digits as it takes to read it back."""
    for begin in range(0, tensor.nnz, CHUNK):
        coords = tensor.coords[begin : begin + CHUNK].astype(np.int64) + index_base
        file.write(_text(coords.T.copy(), tensor.values[begin : begin + CHUNK]))


def _text(columns: NDArray[np.int64], values: Floats) -> bytes | memoryview:
    pa = arrow_or_none()
    if pa is None:
        line = "%d " * len(columns) + "%r\n"
        rows = zip(*columns.tolist(), values.tolist(), strict=True)
        return "".join(line % row for row in rows).encode()
    names = [str(column) for column in range(len(columns) + 1)]
    plain = pa.csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
    text = pa.BufferOutputStream()
    pa.csv.write_csv(pa.table([*columns, values], names), text, plain)
    return memoryview(text.getvalue())


FORMAT = Format(
    name="tns",
    suffixes=(".tns",),
    read=read_tns,
    write=write_tns,
    # The plainest format: reading a file that has none of the others names its first bad line.
    recognizes=lambda head: True,
    reads_with=LINE_OPTIONS,
    writes_with=("index_base",),
    keeps_weights=False,
    keeps_labels=False,
)
