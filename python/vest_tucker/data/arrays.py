"""Entries of arrays: sparse arrays of SciPy and of the package sparse, and dense arrays with gaps.

And back: entries as a dense array.

Cells that a sparse array stores were observed, stored zeros included; all other cells are missing.
Cells of a dense array were observed unless they are NaN or masked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker.base import checks
from vest_tucker.base.checks import INT32_MAX
from vest_tucker.base.errors import (
    CoordinateError,
    DtypeError,
    NonFiniteError,
    OptionError,
    ShapeError,
)
from vest_tucker.base.memory import require_for_dense
from vest_tucker.base.options import shown, type_text
from vest_tucker.base.types import Coords, Flags, Floats
from vest_tucker.data.entries import Entries
from vest_tucker.data.labels import GivenLabels, ModeLabels

# Formats that store whole diagonals and blocks: their zeros are padding, not observations.
PADDED = {"dia", "bsr"}


def scipy_entries(matrix: Any, modes: Iterable[str] | None, labels: GivenLabels) -> Entries:
    """Return the stored cells of a SciPy sparse matrix or array of any format and order."""
    if not hasattr(matrix, "tocoo") or hasattr(matrix, "fill_value"):
        hint = "; that is for from_sparse" if hasattr(matrix, "fill_value") else ""
        raise DtypeError(
            f"from_scipy needs a sparse matrix or array of SciPy, but got a "
            f"{type(matrix).__name__}{hint}"
        )
    stored = matrix.tocoo()
    columns = getattr(stored, "coords", None) or (stored.row, stored.col)
    values = stored.data
    if matrix.format in PADDED:
        nonzero = values != 0
        columns, values = [column[nonzero] for column in columns], values[nonzero]
    return _entries(columns, values, matrix.shape, modes, labels)


def sparse_entries(array: Any, modes: Iterable[str] | None, labels: GivenLabels) -> Entries:
    """Return the stored cells of an array of the package sparse; all others are missing."""
    if not hasattr(array, "fill_value") or not hasattr(array, "asformat"):
        raise DtypeError(
            f"from_sparse needs an array of the package sparse, but got {type_text(array)}"
        )
    stored = array.asformat("coo")
    return _entries(stored.coords, stored.data, stored.shape, modes, labels)


def dense_entries(
    array: ArrayLike,
    mask: ArrayLike | None,
    modes: Iterable[str] | None,
    labels: GivenLabels,
    weights: ArrayLike | None = None,
) -> Entries:
    """Return the cells that are neither NaN nor masked, row by row."""
    hidden = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    cells = checks.as_array(array if hidden is None else np.ma.getdata(array), "cells")
    if cells.ndim < 2:
        raise ShapeError(
            f"a tensor needs at least 2 modes, but the array has the shape {cells.shape}"
        )
    if cells.dtype.kind not in "iuf":
        raise DtypeError(
            f"the array must hold real numbers but has the dtype {cells.dtype}; convert it with "
            f"np.asarray(array, dtype=float) if that is meant"
        )
    observed = ~np.isnan(cells)
    if hidden is not None:
        observed &= ~hidden
    if mask is not None:
        observed &= ~_checked_mask(mask, cells.shape)
    columns = np.nonzero(observed)
    values = cells[columns]
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        cell = tuple(int(column[infinite[0]]) for column in columns)
        raise NonFiniteError(
            f"the cell {cell} is {values[infinite[0]]}; use NaN or the mask for missing cells and "
            f"replace infinite values"
        )
    entries = _entries(columns, values, cells.shape, modes, labels)
    if weights is None:
        return entries
    of_cells = checks.as_array(weights, "weights")
    if of_cells.shape != cells.shape:
        raise ShapeError(
            f"the weights have the shape {of_cells.shape}, but the array has {cells.shape}; give a "
            f"weight for each cell"
        )
    return entries.weighted(of_cells[columns])


def dense_array(entries: Entries, fill: float) -> Floats:
    """Return entries as an array of all cells, with ``fill`` where there is none.

    Examples
    --------
    >>> two = Entries(np.array([[0, 1], [1, 0]]), np.array([2.0, 3.0]), (2, 2), ModeLabels(2))
    >>> dense_array(two, 0.0).tolist()
    [[0.0, 2.0], [3.0, 0.0]]
    """
    try:
        filler = float(fill)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(f"fill is {shown(fill)}; choose a number, or NaN") from None
    require_for_dense(entries.shape, "the array")
    array = np.full(entries.shape, filler)
    array[tuple(entries.coords.T)] = entries.values
    return array


def _checked_mask(mask: ArrayLike, shape: tuple[int, ...]) -> Flags:
    missing = checks.as_array(mask, "cells of the mask")
    if missing.dtype.kind != "b" or missing.shape != shape:
        raise ShapeError(
            f"the mask must be an array of True and False of the shape {shape}, True where a cell "
            f"is missing, but is {missing.dtype} of the shape {missing.shape}"
        )
    return missing


def _entries(
    columns: Sequence[NDArray[Any]],
    values: NDArray[Any],
    shape: Sequence[int],
    modes: Iterable[str] | None,
    labels: GivenLabels,
) -> Entries:
    dims = tuple(int(dim) for dim in shape)
    return Entries(
        _stacked(columns, len(values)), values, dims, ModeLabels(len(dims), modes, labels)
    )


def _stacked(columns: Sequence[NDArray[Any]], n: int) -> Coords:
    """Return coordinates, filled column by column, so that no copy in a wider type is made."""
    coords = np.empty((n, len(columns)), dtype=np.int32)
    for mode, column in enumerate(columns):
        if n and column.max() > INT32_MAX:
            raise CoordinateError(
                f"mode {mode} has the coordinate {column.max()}, beyond the 32-bit range"
            )
        coords[:, mode] = column
    return coords
