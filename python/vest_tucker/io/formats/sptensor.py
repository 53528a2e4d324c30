"""The Tensor Toolbox's text of a sparse tensor: ``sptensor``, order, shape, entries, then lines."""

from __future__ import annotations

import dataclasses
import itertools
import re

from vest_tucker.base.checks import INT32_MAX
from vest_tucker.base.errors import DamagedFileError, FileFormatError
from vest_tucker.base.types import AnyPath
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.io.compression import BOM, create_bytes, open_bytes
from vest_tucker.io.diagnose import data_lines, shown
from vest_tucker.io.format import LINE_OPTIONS, Format
from vest_tucker.io.formats.tns import write_lines
from vest_tucker.io.indexed import by_line, tensor_of
from vest_tucker.io.lines import read_lines, require_text
from vest_tucker.io.read_options import Request
from vest_tucker.io.safety.limits import rest_of_line

COUNT = r"\+?0*[0-9]{1,18}"  # Python refuses to convert thousands of digits
# What the first lines say, and what they look like when their words have single spaces between.
HEADER = {
    "the word sptensor": re.compile("sptensor"),
    "the number of modes": re.compile(COUNT),
    "the shape": re.compile(rf"{COUNT}( {COUNT})*"),
    "the number of entries": re.compile(COUNT),
}


def read_sptensor(path: AnyPath, request: Request) -> tuple[SparseTensor, int]:
    """Read header and lines; also return what the indices count from: 1, or 0 if there is a 0."""
    with open_bytes(path) as stream:
        require_text(stream.read(1 << 16).removeprefix(BOM), path)
    shape, nnz, header_lines = _header(path)
    with open_bytes(path) as stream:
        for _ in range(header_lines):
            rest_of_line(stream, path)
        indices, values = read_lines(stream, path, len(HEADER))
    if indices.shape[1] != len(shape):
        raise FileFormatError(
            f"has {indices.shape[1]} indices per line but the shape {shape}", path
        )
    if len(values) != nnz:
        raise DamagedFileError(f"promises {nnz:,} entries but has {len(values):,}", path)
    if request.shape is None:
        request = dataclasses.replace(request, shape=shape)
    return tensor_of(indices, values, path, by_line(path, len(HEADER)), request)


def _header(path: AnyPath) -> tuple[tuple[int, ...], int, int]:
    """Return the shape, the number of entries, and the number of the header's last line."""
    lines = list(itertools.islice(data_lines(path), len(HEADER)))
    for (number, line), (what, pattern) in zip(lines, HEADER.items(), strict=False):
        if pattern.fullmatch(" ".join(line.split())) is None:
            raise FileFormatError(f"expected {what}, but found {shown(line)}", path, number)
    if len(lines) < len(HEADER):
        raise FileFormatError(f"ends before {list(HEADER)[len(lines)]}", path)
    (order,), shape, (nnz,) = ([int(word) for word in line.split()] for _, line in lines[1:])
    shape_line = lines[2][0]
    if len(shape) != order:
        raise FileFormatError(f"has {order} modes but the shape {shape}", path, shape_line)
    for dim in shape:
        if not 1 <= dim <= INT32_MAX:
            what = f"has the dimension {dim}, but dimensions go from 1 to {INT32_MAX}"
            raise FileFormatError(what, path, shape_line)
    return tuple(shape), nnz, lines[-1][0]


def write_sptensor(tensor: SparseTensor, path: AnyPath, index_base: int = 1) -> None:
    """Write a file that the Tensor Toolbox and pyttb read, without names and labels."""
    shape = " ".join(str(dim) for dim in tensor.shape)
    with create_bytes(path) as file:
        file.write(f"sptensor\n{tensor.order}\n{shape}\n{tensor.nnz}\n".encode())
        write_lines(file, tensor, index_base)


FORMAT = Format(
    name="sptensor",
    suffixes=(".sptensor",),
    read=read_sptensor,
    write=write_sptensor,
    recognizes=lambda head: head.line.strip() == "sptensor",
    reads_with=LINE_OPTIONS,
    writes_with=("index_base",),
    keeps_weights=False,
    keeps_labels=False,
)
