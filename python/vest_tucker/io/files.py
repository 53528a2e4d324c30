"""`read` and `write`: which format a file has, and who reads or writes it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from typing import Literal, cast, get_args, overload

from vest_tucker.base import checks
from vest_tucker.base.errors import OptionError
from vest_tucker.base.options import check_choice
from vest_tucker.base.public import public
from vest_tucker.base.types import AnyPath
from vest_tucker.data.duplicates import Duplicates
from vest_tucker.data.labels import listed
from vest_tucker.data.tensor import SparseTensor, require_tensor
from vest_tucker.io import archive
from vest_tucker.io.compression import BOM, compression_of, open_bytes, suffixes
from vest_tucker.io.diagnose import NUMBER
from vest_tucker.io.formats import delimited, npz, parquet, sptensor, tns
from vest_tucker.io.lines import DATA_LINE
from vest_tucker.io.read_options import FileInfo, Request

log = logging.getLogger("vest_tucker.io")

Format = Literal["tns", "sptensor", "csv", "tsv", "parquet", "npz"]
LINES: tuple[Format, ...] = ("tns", "sptensor")
TABLES: tuple[Format, ...] = ("csv", "tsv", "parquet")
UNCOMPRESSED: tuple[Format, ...] = ("parquet", "npz")


@overload
def read(
    path: AnyPath, format: Format | None = None, *, index_base: int | None = None,
    shape: Sequence[int] | None = None, modes: Sequence[str] | None = None,
    value: str | None = None, like: SparseTensor | None = None,
    duplicates: Duplicates = "error", return_info: Literal[False] = False,
) -> SparseTensor: ...  # fmt: skip


@overload
def read(
    path: AnyPath, format: Format | None = None, *, index_base: int | None = None,
    shape: Sequence[int] | None = None, modes: Sequence[str] | None = None,
    value: str | None = None, like: SparseTensor | None = None,
    duplicates: Duplicates = "error", return_info: Literal[True],
) -> tuple[SparseTensor, FileInfo]: ...  # fmt: skip


@public
def read(
    path: AnyPath,
    format: Format | None = None,  # noqa: A002
    *,
    index_base: int | None = None,
    shape: Sequence[int] | None = None,
    modes: Sequence[str] | None = None,
    value: str | None = None,
    like: SparseTensor | None = None,
    duplicates: Duplicates = "error",
    return_info: bool = False,
) -> SparseTensor | tuple[SparseTensor, FileInfo]:
    """Read a tensor from a file.

    Parameters
    ----------
    path : path
        The file; if it is compressed by gzip, bzip2, xz or zstd, it is unpacked on the way.
    format : {"tns", "sptensor", "csv", "tsv", "parquet", "npz"}, optional
        By default what the suffix says, or else the first bytes:

        - ``.tns``: lines ``i j k ... value``, divided by white space or commas, with ``#`` before
          comments. A ``.csv`` or ``.tsv`` whose first line is all numbers is read so too.
        - ``.sptensor``: the text of the Tensor Toolbox and pyttb.
        - ``.csv``, ``.tsv``, ``.parquet``: named columns, whose cells are labels. A column of text
          whose labels are all whole numbers (or all dates, times or other numbers), in the one way
          to write them, has these for labels; "007" makes all of its column text.
        - ``.npz``: as `write` wrote it, with names and labels.
    index_base : {0, 1}, optional
        What the indices of the file count from. By default 1, or 0 if there is a 0 among them;
        ``return_info`` and the log, at the level of infos, tell which. For a table it says that the
        columns hold such indices rather than labels.
    shape : sequence of int, optional
        The dimensions, where the file has indices; by default what it says or just large enough.
    modes : sequence of str, optional
        The columns of a table that are modes, by default all but the value; for other formats the
        names that the modes get.
    value : str, optional
        The column of a table that is the value, by default the last.
    like : SparseTensor, optional
        Use modes, labels and shape of this tensor, as for a test set in a table of its own.
    duplicates : {"error", "mean", "sum", "first", "last"}
        What to do with cells that appear more than once.
    return_info : bool
        Whether to return also how the file was understood.

    Returns
    -------
    SparseTensor, or (SparseTensor, FileInfo) if ``return_info`` is true

    Raises
    ------
    FileFormatError
        Something in the file is wrong; the message names the line and what is in it.
    DamagedFileError
        The file is cut short, or has changed since it was written.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0, 1], [2, 1, 0]], [4.0, -3.5])
    >>> vt.write(X, "small.tns.gz")
    >>> vt.read("small.tns.gz")
    SparseTensor(shape=(3, 2, 2), nnz=2, density=0.167)
    """
    if index_base not in (None, 0, 1):
        raise OptionError(f"index_base is {index_base!r}; indices count from 0 or from 1")
    check_choice("duplicates", duplicates, get_args(Duplicates))
    dims = None if shape is None else checks.dimensions(shape)
    request = Request(index_base, dims, modes, value, like, duplicates)
    chosen = _known(format) if format else _format_of(path, request)
    _require_meaning(chosen, request)
    tensor, base = _read_as(chosen, path, request)
    info = FileInfo(os.fspath(path), chosen, compression_of(path), base)
    counted = "" if base is None else f", indices count from {base}"
    log.info("%s: read as %s, %s entries%s", info.path, chosen, f"{tensor.nnz:,}", counted)
    return (tensor, info) if return_info else tensor


@public
def write(
    tensor: SparseTensor,
    path: AnyPath,
    format: Format | None = None,  # noqa: A002
    *,
    index_base: int | None = None,
    value: str | None = None,
) -> None:
    """Write a tensor to a file, whole or not at all.

    Parameters
    ----------
    tensor : SparseTensor
        What to write.
    path : path
        Where to; text is compressed if it ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.
    format : {"tns", "sptensor", "csv", "tsv", "parquet", "npz"}, optional
        By default what the suffix says. Only ``.npz`` keeps everything bit for bit. ``.tns`` and
        ``.sptensor`` have no place for names and labels; tables have none for labelled rows without
        an entry, and CSV and TSV none for rows of indices without one and for the types of labels:
        text that is all whole numbers comes back as these.
    index_base : {0, 1}, optional
        What the indices in ``.tns`` and ``.sptensor`` count from, by default 1.
    value : str, optional
        The name of a table's column of values, by default "value".

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 1], [2, 0]], [4.0, -3.5])
    >>> vt.write(X, "small.tns")
    >>> from pathlib import Path
    >>> print(Path("small.tns").read_text(), end="")
    1 2 4
    3 1 -3.5
    """
    require_tensor(tensor, "write")
    if index_base not in (None, 0, 1):
        raise OptionError(f"index_base is {index_base!r}; indices count from 0 or from 1")
    chosen = _known(format or suffixes(path)[0][1:], path)
    _refuse("index_base", index_base, chosen, LINES)
    _refuse("value", value, chosen, TABLES)
    if chosen in UNCOMPRESSED and suffixes(path)[1]:
        raise OptionError(f"{os.fspath(path)}: a .{chosen} file is not compressed once more")
    base, column = 1 if index_base is None else index_base, value or "value"
    if chosen == "tns":
        tns.write_tns(tensor, path, base)
    elif chosen == "sptensor":
        sptensor.write_sptensor(tensor, path, base)
    elif chosen == "parquet":
        parquet.write_parquet(tensor, path, column)
    elif chosen == "npz":
        npz.write_npz(tensor, path)
    else:
        delimited.write_delimited(tensor, path, column, chosen)


def _read_as(form: Format, path: AnyPath, request: Request) -> tuple[SparseTensor, int | None]:
    if form == "tns":
        return tns.read_tns(path, request)
    if form == "sptensor":
        return sptensor.read_sptensor(path, request)
    if form == "parquet":
        return parquet.read_parquet(path, request)
    if form == "npz":
        return npz.read_npz(path, request.duplicates), None
    return delimited.read_delimited(path, request, form)


def _known(name: str, path: AnyPath | None = None) -> Format:
    if path is not None and name not in get_args(Format):
        raise OptionError(
            f"the suffix of {os.fspath(path)} says no format; pass format= one of "
            f"{listed(get_args(Format))}"
        )
    check_choice("format", name, get_args(Format))
    return cast(Format, name)


def _format_of(path: AnyPath, request: Request) -> Format:
    """Return what the suffix says, or else the first bytes."""
    by_suffix = suffixes(path)[0][1:]
    if by_suffix not in get_args(Format):
        return _sniffed(path)
    named = request.modes is not None or request.value is not None or request.like is not None
    if by_suffix in delimited.DELIMITERS and not named and _is_numbers(_first_line(path)):
        return "tns"
    return _known(by_suffix)


def _sniffed(path: AnyPath) -> Format:
    if archive.is_archive(path):
        return "npz"
    line = _first_line(path)
    if line.startswith(parquet.MAGIC.decode()):
        return "parquet"
    if line.strip() == "sptensor":
        return "sptensor"
    for form, delimiter in delimited.DELIMITERS.items():
        if delimiter in line and not _is_numbers(line):
            return _known(form)
    return "tns"


def _first_line(path: AnyPath) -> str:
    """Return the first line that is neither blank nor a comment, if a block of text has one."""
    with open_bytes(path) as stream:
        found = DATA_LINE.search(stream.read(1 << 16).removeprefix(BOM))
    return found[1].decode("utf-8", "replace") if found else ""


def _is_numbers(line: str) -> bool:
    fields = line.replace(",", " ").split()
    return bool(fields) and all(NUMBER.fullmatch(field) for field in fields)


def _require_meaning(form: Format, request: Request) -> None:
    for name, formats in {
        "index_base": LINES + TABLES, "shape": LINES + TABLES, "modes": LINES + TABLES,
        "value": TABLES, "like": TABLES,
    }.items():  # fmt: skip
        _refuse(name, getattr(request, name), form, formats)


def _refuse(name: str, given: object, form: Format, formats: Iterable[Format]) -> None:
    """Raise if an option was given that has no meaning for a format."""
    if given is not None and form not in formats:
        raise OptionError(f"{name} is {given!r}, but means nothing for the format {form!r}")
