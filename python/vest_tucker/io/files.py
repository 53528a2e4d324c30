"""`read` and `write`: choose the format of a file and check the options for it."""

from __future__ import annotations

import logging
import os
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args, overload

from vest_tucker.base import checks
from vest_tucker.base.errors import OptionError
from vest_tucker.base.options import (
    ProgressOption,
    check_choice,
    check_flag,
    check_path,
    check_text,
    shown,
)
from vest_tucker.base.public import public
from vest_tucker.base.telling.steps import watched
from vest_tucker.base.telling.texts import BYTES
from vest_tucker.base.types import AnyPath
from vest_tucker.data.duplicates import Duplicates, check_merge
from vest_tucker.data.labels import listed
from vest_tucker.data.sources.gaps import Missing
from vest_tucker.data.tensor import SparseTensor, require_tensor
from vest_tucker.io.arrow import named_errors
from vest_tucker.io.compression import compression_of, suffixes
from vest_tucker.io.counted import size_of
from vest_tucker.io.format import TABLE_OPTIONS, Format, head_of
from vest_tucker.io.formats import FORMATS, FormatName
from vest_tucker.io.read_options import FileInfo, Request

log = logging.getLogger("vest_tucker.io")

LINES_OF_NUMBERS = FORMATS[-1]


@overload
def read(
    path: AnyPath, format: FormatName | None = None, *, index_base: int | None = None,
    shape: Sequence[int] | None = None, modes: Sequence[str] | None = None,
    value: str | None = None, like: SparseTensor | None = None,
    duplicates: Duplicates = "error", weight: str | None = None,
    count_as_weight: bool = False, missing: Missing = "raise",
    return_info: Literal[False] = False, progress: ProgressOption = "auto",
) -> SparseTensor: ...  # fmt: skip


@overload
def read(
    path: AnyPath, format: FormatName | None = None, *, index_base: int | None = None,
    shape: Sequence[int] | None = None, modes: Sequence[str] | None = None,
    value: str | None = None, like: SparseTensor | None = None,
    duplicates: Duplicates = "error", weight: str | None = None,
    count_as_weight: bool = False, missing: Missing = "raise",
    return_info: Literal[True], progress: ProgressOption = "auto",
) -> tuple[SparseTensor, FileInfo]: ...  # fmt: skip


@public
def read(
    path: AnyPath,
    format: FormatName | None = None,  # noqa: A002
    *,
    index_base: int | None = None,
    shape: Sequence[int] | None = None,
    modes: Sequence[str] | None = None,
    value: str | None = None,
    like: SparseTensor | None = None,
    duplicates: Duplicates = "error",
    weight: str | None = None,
    count_as_weight: bool = False,
    missing: Missing = "raise",
    return_info: bool = False,
    progress: ProgressOption = "auto",
) -> SparseTensor | tuple[SparseTensor, FileInfo]:
    """Read a tensor from a file.

    Parameters
    ----------
    path : path
        The file, perhaps compressed by gzip, bzip2, xz or zstd.
    format : {"tns", "sptensor", "csv", "tsv", "parquet", "npz"}, optional
        By default what the suffix says, or else the first bytes:

        - ``.tns``: lines ``i j k ... value``, divided by white space or commas, with ``#`` before
          comments. A ``.csv`` or ``.tsv`` whose first line is all numbers is read so too.
        - ``.sptensor``: the text of the Tensor Toolbox and pyttb.
        - ``.csv``, ``.tsv``, ``.parquet``: named columns, whose cells are labels. A column of text
          whose labels are all whole numbers (or all dates, times or other numbers), written in the
          usual way, has these as labels; with a label such as "007" all of the column is text.
        - ``.npz``: as `write` wrote it, with names and labels.
    index_base : {0, 1}, optional
        What the indices of the file count from. By default 1, or 0 if there is a 0 among them;
        ``return_info`` and the log, at the level INFO, tell which. Those of the tensor, of models
        and of their results count from 0 in any case: line ``1 5 2.5`` of a file that counts from 1
        is the cell (0, 4). For a table it means that the columns hold such indices and not labels.
    shape : sequence of int, optional
        The dimensions, if the file has indices; by default those that the file states, or else
        dimensions just large enough.
    modes : sequence of str, optional
        The columns of a table that are modes, by default all but the value and the weight; for
        other formats the names that the modes get.
    value : str, optional
        The column of a table that is the value, by default the last that is neither a mode nor the
        weight.
    like : SparseTensor, optional
        Use modes, labels and shape of this tensor, for example for a test set in another table.
    duplicates : {"error", "mean", "median", "sum", "count", "min", "max", "first", "last"}
        What to do with cells that appear more than once, as for `SparseTensor`.
    weight : str, optional
        The column of a table that is the weight. By default there is none, unless `write` has put
        one there: a note in ``.parquet`` tells, and in ``.csv`` and ``.tsv`` two last columns
        called "value" and "weight" do.
    count_as_weight : bool
        For the duplicates "mean" and "median": whether a cell weighs as many entries as were
        averaged.
    missing : {"raise", "drop"}
        What to do with rows in which a label, the value or the weight is missing: raise, with the
        line of the first; or drop them, with a warning that says how many and in which columns.
        With "drop", NA, N/A, NaN, null and None are gaps in columns of numbers of ``.csv`` and
        ``.tsv``; among labels they are texts like any other. In ``.tns`` and ``.sptensor`` gaps are
        values of nan.
    return_info : bool
        Whether to return a `FileInfo` too.
    progress : bool or "auto"
        Whether to show how much has been read, as for `fit`.

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
    check_path("path", path)
    _check_base(index_base)
    check_flag("return_info", return_info)
    if like is not None:
        require_tensor(like, "like")
    for name, column in (("value", value), ("weight", weight)):
        if column is not None and not isinstance(column, str):
            raise OptionError(f"{name} is {shown(column)}; give the name of a column")
    check_merge(duplicates, count_as_weight)
    check_choice("missing", missing, get_args(Missing))
    dims = None if shape is None else checks.dimensions(shape)
    request = Request(
        index_base, dims, modes, value, like, duplicates, weight, count_as_weight, missing
    )
    chosen = _named(format) if format is not None else _format_of(path, request)
    options = {name: getattr(request, name) for name in TABLE_OPTIONS}
    _refuse_meaningless(options, chosen.reads_with, chosen)
    with watched(progress, f"reading {Path(path).name}", size_of(path), BYTES) as reading:
        with named_errors(path):
            tensor, base = chosen.read(path, request)
        reading.say(f"{tensor.nnz:,} entries")
    info = FileInfo(os.fspath(path), chosen.name, compression_of(path), base)
    counted = "" if base is None else f", its indices count from {base}, those of the tensor from 0"
    log.info("%s: read as %s, %s entries%s", info.path, chosen.name, f"{tensor.nnz:,}", counted)
    return (tensor, info) if return_info else tensor


@public
def write(
    tensor: SparseTensor,
    path: AnyPath,
    format: FormatName | None = None,  # noqa: A002
    *,
    index_base: int | None = None,
    value: str | None = None,
    weight: str | None = None,
    escape_formulas: bool = False,
) -> None:
    """Write a tensor to a file, whole or not at all.

    Parameters
    ----------
    tensor : SparseTensor
        What to write.
    path : path
        The file; text is compressed if the path ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.
    format : {"tns", "sptensor", "csv", "tsv", "parquet", "npz"}, optional
        By default what the suffix says. Only ``.npz`` keeps everything bit for bit. ``.tns`` and
        ``.sptensor`` lose names and labels, and refuse entries with weights. Tables lose labelled
        rows without an entry; CSV and TSV also lose rows of indices without an entry, and the types
        of labels: a column of text that is all whole numbers is read back as whole numbers.
    index_base : {0, 1}, optional
        What the indices in ``.tns`` and ``.sptensor`` count from, by default 1.
    value : str, optional
        The name of a table's column of values, by default "value".
    weight : str, optional
        The name of a table's column of weights, by default "weight", if the entries have weights.
        In ``.csv`` and ``.tsv`` any other name is to be given to `read`, too.
    escape_formulas : bool
        For ``.csv`` and ``.tsv`` that a spreadsheet will open: whether texts that it would take for
        formulas, which begin with ``=``, ``+``, ``-``, ``@``, a tabulator or an end of line, get an
        apostrophe in front. By default labels are written as they are; with it, `read` gives labels
        with the apostrophe.

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
    check_path("path", path)
    _check_base(index_base)
    chosen = _named(format) if format is not None else _by_suffix(path)
    if chosen is None:
        raise OptionError(
            f"cannot tell the format from the suffix of {os.fspath(path)}; pass format= one of "
            f"{listed(get_args(FormatName))}"
        )
    if tensor.weights is not None and not chosen.keeps_weights:
        raise OptionError(
            f"{os.fspath(path)}: the format {chosen.name!r} has no place for the weights of the "
            f"entries; write .npz, .parquet, .csv or .tsv, or tensor.with_weights(None)"
        )
    options = {
        "index_base": index_base, "value": value, "weight": weight,
        "escape_formulas": check_flag("escape_formulas", escape_formulas) or None,
    }  # fmt: skip
    _refuse_meaningless(options, chosen.writes_with, chosen)
    if suffixes(path)[1] and not chosen.compressible:
        raise OptionError(f"{os.fspath(path)}: a .{chosen.name} file is not compressed once more")
    for name in ("value", "weight"):
        if options[name] is not None:
            check_text(name, options[name])
    given = {name: option for name, option in options.items() if option not in (None, "")}
    chosen.write(tensor, path, **given)


def loses_labels(tensor: SparseTensor, path: AnyPath, format: FormatName | None) -> bool:  # noqa: A002
    """Whether a tensor has names or labels for which `write` has no place in the format."""
    chosen = _named(format) if format is not None else _by_suffix(path)
    return chosen is not None and not chosen.keeps_labels and not tensor.mode_labels.are_default


def _check_base(index_base: object) -> None:
    if index_base is not None and not (type(index_base) is int and index_base in (0, 1)):
        raise OptionError(f"index_base is {shown(index_base)}; indices count from 0 or from 1")


def _named(name: str) -> Format:
    check_choice("format", name, get_args(FormatName))
    return next(form for form in FORMATS if form.name == name)


def _by_suffix(path: AnyPath) -> Format | None:
    suffix = suffixes(path)[0]
    return next((form for form in FORMATS if suffix in form.suffixes), None)


def _format_of(path: AnyPath, request: Request) -> Format:
    """Return the format that the suffix or else the first bytes tell."""
    chosen = _by_suffix(path)
    if chosen is None:
        head = head_of(path)
        return next(form for form in FORMATS if form.recognizes(head))
    asked = (request.modes, request.value, request.like, request.weight)
    names_columns = any(each is not None for each in asked)
    if chosen.has_names and not names_columns and head_of(path).is_numbers:
        return LINES_OF_NUMBERS
    return chosen


def _refuse_meaningless(
    options: Mapping[str, object], meaningful: Container[str], form: Format
) -> None:
    """Raise if an option was given that has no meaning for a format."""
    for name, given in options.items():
        if given is not None and name not in meaningful:
            raise OptionError(
                f"{name} is {given!r}, but means nothing for the format {form.name!r}"
            )
