"""From the indices in a file to a tensor; errors name the line of a bad entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vest_tucker import _core
from vest_tucker.base.checks import INT32_MAX
from vest_tucker.base.errors import DuplicateError, FileFormatError, ShapeError
from vest_tucker.base.types import AnyPath, Coords, Floats, Indices
from vest_tucker.data.duplicates import ADVICE
from vest_tucker.data.sources.gaps import rows_without_gaps
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.io.diagnose import line_of, shown
from vest_tucker.io.read_options import Request


class Place(NamedTuple):
    """Where in its file an entry is: its row, and in a file of text its line and the text of it."""

    row: int
    line: int | None = None
    content: str = ""

    @property
    def name(self) -> str:
        """How messages call it."""
        return f"row {self.row}" if self.line is None else f"line {self.line}"

    def error(self, what: str, path: AnyPath) -> FileFormatError:
        """Return the error that says what is wrong here."""
        if self.line is None:
            return FileFormatError(f"row {self.row}: {what}", path)
        return FileFormatError(f"{what}: {shown(self.content)}", path, self.line)


Where: TypeAlias = Callable[[int], Place]


def by_line(path: AnyPath, header: int = 0) -> Where:
    """Return the places of rows in a file with one entry per line after some lines of header."""
    return lambda row: Place(row, *line_of(path, row + header))


def among(rows: Indices, where: Where) -> Where:
    """Return the places of some of the rows of a file, counted among these."""
    return lambda row: where(int(rows[row]))


def tensor_of(
    indices: NDArray[Any],
    values: Floats,
    path: AnyPath,
    where: Where,
    request: Request,
    weights: Floats | None = None,
) -> tuple[SparseTensor, int]:
    """Make a tensor of indices (n, N), which may be changed; also return what they count from."""
    if request.missing == "drop":
        gaps = {"value": np.isnan(values)}
        kept = rows_without_gaps(gaps, f"{path}: ", lambda row: where(row).name)
        if kept is not None:
            indices, values, where = indices[kept], values[kept], among(kept, where)
    # Column by column, because NumPy is slow to reduce many short rows to one.
    lowest, highest = (
        [int(extreme(column)) for column in indices.T] for extreme in (np.min, np.max)
    )
    base = request.index_base
    if base is None:
        base = 0 if min(lowest) == 0 else 1
    tops = _tops(base, indices.shape[1], request.shape)
    if min(lowest) < base or any(high > top for high, top in zip(highest, tops, strict=True)):
        raise _out_of_range(indices, base, tops, path, where)
    require_finite(values, path, where)
    smallest = tuple(high - base + 1 for high in highest)
    coords = indices.astype(np.int32, copy=False)
    coords -= base
    dims = request.shape or smallest
    return _without_repeats(coords, values, dims, path, where, request, weights), base


def _without_repeats(
    coords: Coords,
    values: Floats,
    shape: tuple[int, ...],
    path: AnyPath,
    where: Where,
    request: Request,
    weights: Floats | None,
) -> SparseTensor:
    """Make a tensor; the error for repeated cells names their places in the file."""
    try:
        return SparseTensor(
            coords, values, shape, modes=request.modes, duplicates=request.duplicates,
            weights=weights, count_as_weight=request.count_as_weight,
        )  # fmt: skip
    except DuplicateError:
        rows = _core.SparseTensor(coords, values, shape).find_duplicate()
        assert rows is not None
        raise repeated(path, *(where(row) for row in rows)) from None


def _tops(base: int, order: int, shape: tuple[int, ...] | None) -> list[int]:
    """Return the largest index that each mode may have."""
    dims = (INT32_MAX,) * order if shape is None else shape
    if len(dims) != order:
        raise ShapeError(f"the shape {dims} has {len(dims)} modes, but the file has {order}")
    return [dim - 1 + base for dim in dims]


def _out_of_range(
    indices: NDArray[Any], base: int, tops: list[int], path: AnyPath, where: Where
) -> FileFormatError:
    row, mode = (int(k) for k in np.argwhere((indices < base) | (indices > np.array(tops)))[0])
    return where(row).error(
        f"index {indices[row, mode]} in column {mode + 1}, but the indices of that mode go from "
        f"{base} to {tops[mode]}",
        path,
    )


def require_finite(values: Floats, path: AnyPath, where: Where) -> None:
    """Raise if a value is missing, not a number or infinite."""
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise where(row).error(
            f"the value is {values[row]}, but values must be finite; leave out what was not "
            f'observed, or say missing="drop" for gaps',
            path,
        )


def require_weights(weights: Floats, path: AnyPath, where: Where) -> None:
    """Raise if a weight is not positive and finite."""
    good = np.isfinite(weights) & (weights > 0.0)
    if not good.all():
        row = int(np.flatnonzero(~good)[0])
        raise where(row).error(
            f"the weight is {weights[row]:g}, but weights are positive and finite; leave out "
            f"entries that are to count for nothing",
            path,
        )


def repeated(path: AnyPath, one: Place, two: Place) -> DuplicateError:
    """Return the error for two entries of the same cell."""
    what = f"rows {one.row} and {two.row}"
    if one.line is not None:
        what = f"lines {one.line} ({shown(one.content)}) and {two.line} ({shown(two.content)})"
    return DuplicateError(f"{path}: {what} are the same cell; remove one, or {ADVICE}")
