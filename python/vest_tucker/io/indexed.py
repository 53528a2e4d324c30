"""From indices as a file has them to a tensor: what they count from, and which line is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vest_tucker import _core
from vest_tucker.checks import INT32_MAX, Floats
from vest_tucker.errors import DuplicateError, FileFormatError, ShapeError
from vest_tucker.io.atomic import AnyPath
from vest_tucker.io.bad_lines import line_of, shown
from vest_tucker.io.request import Request
from vest_tucker.tensor import SparseTensor


class Place(NamedTuple):
    """Where in its file an entry stands: the line and what is in it, if it has lines."""

    row: int
    line: int | None = None
    content: str = ""

    def error(self, what: str, path: AnyPath) -> FileFormatError:
        """Return the error that says what is wrong here."""
        if self.line is None:
            return FileFormatError(f"row {self.row}: {what}", path)
        return FileFormatError(f"{what}: {shown(self.content)}", path, self.line)


Where: TypeAlias = Callable[[int], Place]


def by_line(path: AnyPath, header: int = 0) -> Where:
    """Return where entries stand in a file with one line for each, after some lines of header."""
    return lambda row: Place(row, *line_of(path, row + header))


def tensor_of(
    indices: NDArray[Any], values: Floats, path: AnyPath, where: Where, request: Request
) -> tuple[SparseTensor, int]:
    """Make a tensor of indices (n, N), which may be changed, and tell what they count from."""
    lowest = int(indices.min())
    base = request.index_base
    if base is None:
        base = 0 if lowest == 0 else 1
    _require_in_range(indices, base, path, where, request)
    require_finite(values, path, where)
    coords = indices.astype(np.int32, copy=False)
    coords -= base
    try:
        tensor = SparseTensor(
            coords, values, request.shape, modes=request.modes, duplicates=request.duplicates
        )
    except DuplicateError:
        dims = tuple((coords.max(axis=0) + 1).tolist())
        rows = _core.SparseTensor(coords, values, dims).find_duplicate()
        assert rows is not None
        raise repeated(path, *(where(row) for row in rows)) from None
    return tensor, base


def _require_in_range(
    indices: NDArray[Any], base: int, path: AnyPath, where: Where, request: Request
) -> None:
    order = indices.shape[1]
    shape = (INT32_MAX,) * order if request.shape is None else tuple(request.shape)
    if len(shape) != order:
        raise ShapeError(f"the shape {shape} has {len(shape)} modes, but the file has {order}")
    tops = np.array(shape, dtype=np.int64) + (base - 1)
    # The extremes of whole columns are cheap; only a failure looks for the row.
    if (indices.min(axis=0) >= base).all() and (indices.max(axis=0) <= tops).all():
        return
    row, mode = (int(k) for k in np.argwhere((indices < base) | (indices > tops))[0])
    raise where(row).error(
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
            f"observed",
            path,
        )


def repeated(path: AnyPath, one: Place, two: Place) -> DuplicateError:
    """Return the error that two entries are the same cell."""
    what = f"rows {one.row} and {two.row}"
    if one.line is not None:
        what = f"lines {one.line} ({shown(one.content)}) and {two.line} ({shown(two.content)})"
    return DuplicateError(
        f"{path}: {what} are the same cell; remove one, or pass "
        f'duplicates="mean", "sum", "first" or "last"'
    )
