"""Merging the entries of cells that were observed more than once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import NonFiniteError
from vest_tucker.base.types import Coords, Floats
from vest_tucker.data.numbering import cell_numbers

Duplicates: TypeAlias = Literal["error", "mean", "sum", "first", "last"]


def merge(
    coords: Coords,
    values: Floats,
    how: Duplicates,
    named: Callable[[Iterable[int]], str] = lambda cell: str(tuple(cell)),
) -> tuple[Coords, Floats]:
    """Return one entry per cell, in the order in which the cells first appear.

    ``named`` turns the indices of a cell into its name in error messages.

    Examples
    --------
    >>> import numpy as np
    >>> coords, values = merge(np.array([[1, 1], [0, 2], [1, 1]]), np.array([5.0, 1.0, 2.0]), "sum")
    >>> coords.tolist(), values.tolist()
    ([[1, 1], [0, 2]], [7.0, 1.0])
    """
    # The sort is stable, so within a cell the entries stay in the order given.
    shape = [int(top) + 1 for top in coords.max(axis=0)]
    numbers = cell_numbers(coords, shape, range(len(shape)))
    by_cell = np.argsort(numbers, kind="stable")
    is_first = np.ones(len(by_cell), dtype=bool)
    is_first[1:] = np.diff(numbers[by_cell]) != 0
    begins = np.flatnonzero(is_first)
    ends = np.append(begins[1:], len(by_cell))
    if how == "first":
        merged = values[by_cell[begins]]
    elif how == "last":
        merged = values[by_cell[ends - 1]]
    elif how == "mean":
        merged = _means(values[by_cell], begins, ends - begins)
    else:
        merged = _sums(values[by_cell], begins)
        if not np.isfinite(merged).all():
            cell = int(np.flatnonzero(~np.isfinite(merged))[0])
            raise NonFiniteError(
                f"the sum of the {ends[cell] - begins[cell]} duplicates of the cell "
                f"{named(coords[by_cell[begins[cell]]].tolist())} is {merged[cell]}, beyond the "
                f'range of double precision; scale the values, or pass duplicates="mean"'
            )
    appeared = by_cell[begins]
    in_order = np.argsort(appeared)
    return np.ascontiguousarray(coords[appeared[in_order]]), merged[in_order]


def _sums(values: Floats, begins: NDArray[np.intp]) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.add.reduceat(values, begins)


def _means(values: Floats, begins: NDArray[np.intp], counts: NDArray[np.intp]) -> Floats:
    means: Floats = _sums(values, begins) / counts
    overflown = ~np.isfinite(means)
    if overflown.any():  # dividing before adding rounds more often, but stays in range
        shares = _sums(values / np.repeat(counts, counts), begins)
        largest = np.finfo(np.float64).max
        means[overflown] = shares[overflown].clip(-largest, largest)
    return means
