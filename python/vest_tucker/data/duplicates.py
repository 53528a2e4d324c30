"""Merging the entries of cells that were observed more than once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import NonFiniteError, OptionError, WeightError
from vest_tucker.base.options import check_choice, check_flag
from vest_tucker.base.types import Coords, Floats
from vest_tucker.data.numbering import cell_numbers

Duplicates: TypeAlias = Literal[
    "error", "mean", "median", "sum", "count", "min", "max", "first", "last"
]
MERGES = get_args(Duplicates)[1:]
# What the error for repeated cells advises.
ADVICE = "pass duplicates=" + ", ".join(f'"{way}"' for way in MERGES[:-1]) + f' or "{MERGES[-1]}"'
# Ways of merging after which a cell may weigh as much as the entries merged.
AVERAGES = ("mean", "median")


def check_merge(duplicates: object, count_as_weight: bool) -> None:
    """Raise unless both options are known, and mean something together."""
    check_choice("duplicates", duplicates, get_args(Duplicates))
    check_flag("count_as_weight", count_as_weight)
    if count_as_weight and duplicates not in AVERAGES:
        raise OptionError(
            f"count_as_weight says that a cell weighs as many entries as were averaged, but "
            f'duplicates is {duplicates!r}; pass duplicates="mean" or "median"'
        )


class Merged(NamedTuple):
    """One entry per cell, in the order in which the cells first appear; perhaps with weights."""

    coords: Coords
    values: Floats
    weights: Floats | None = None


def merge(
    coords: Coords,
    values: Floats,
    how: Duplicates,
    named: Callable[[Iterable[int]], str] = lambda cell: str(tuple(cell)),
    weights: Floats | None = None,
) -> Merged:
    """Return one entry per cell, in the order in which the cells first appear.

    Means and medians are weighted, if there are weights. Weights add up, but for "first" and
    "last", where that of the entry taken stays. ``named`` turns the indices of a cell into its name
    in error messages.

    Examples
    --------
    >>> import numpy as np
    >>> coords, values = np.array([[1, 1], [0, 2], [1, 1]]), np.array([5.0, 1.0, 2.0])
    >>> merged = merge(coords, values, "sum")
    >>> merged.coords.tolist(), merged.values.tolist()
    ([[1, 1], [0, 2]], [7.0, 1.0])
    >>> merged = merge(coords, values, "mean", weights=np.array([1.0, 1.0, 2.0]))
    >>> merged.values.tolist(), merged.weights.tolist()
    ([3.0, 1.0], [3.0, 1.0])
    """
    # The sort is stable, so within a cell the entries stay in the order given.
    shape = [int(top) + 1 for top in coords.max(axis=0)]
    numbers = cell_numbers(coords, shape, range(len(shape)))
    by_cell = np.argsort(numbers, kind="stable")
    is_first = np.ones(len(by_cell), dtype=bool)
    is_first[1:] = np.diff(numbers[by_cell]) != 0
    begins = np.flatnonzero(is_first)
    groups = Groups(begins, np.append(begins[1:], len(by_cell)))
    sorted_weights = None if weights is None else weights[by_cell]

    def beyond_range(numbers: Floats, what: str) -> str:
        cell = int(np.flatnonzero(~np.isfinite(numbers))[0])
        return (
            f"the sum of the {groups.sizes[cell]} {what} of the cell "
            f"{named(coords[by_cell[begins[cell]]].tolist())} is {numbers[cell]}, beyond the range "
            f"of double precision; scale the"
        )

    total = None if sorted_weights is None else groups.weights(sorted_weights, how)
    if total is not None and not np.isfinite(total).all():
        raise WeightError(f"{beyond_range(total, 'weights')} weights")
    merged = groups.merged(values[by_cell], how, sorted_weights)
    if not np.isfinite(merged).all():
        said = beyond_range(merged, "duplicates")
        raise NonFiniteError(f'{said} values, or pass duplicates="mean"')
    appeared = by_cell[begins]
    in_order = np.argsort(appeared)
    return Merged(
        np.ascontiguousarray(coords[appeared[in_order]]),
        merged[in_order],
        None if total is None else total[in_order],
    )


class Groups(NamedTuple):
    """Where the entries of each cell begin and end, when entries are sorted by cell."""

    begins: NDArray[np.intp]
    ends: NDArray[np.intp]

    @property
    def sizes(self) -> NDArray[np.intp]:
        """How many entries each cell has."""
        return self.ends - self.begins

    def merged(self, values: Floats, how: Duplicates, weights: Floats | None) -> Floats:
        """Return one value per cell."""
        if how in ("first", "last"):
            return self._taken(values, how)
        if how == "mean":
            return self._means(values, weights)
        if how == "median":
            return self._medians(values, weights)
        if how == "count":
            return self.sizes.astype(np.float64)
        if how == "sum":
            return self._sums(values)
        least: Floats = (np.minimum if how == "min" else np.maximum).reduceat(values, self.begins)
        return least

    def weights(self, weights: Floats, how: Duplicates) -> Floats:
        """Return one weight per cell."""
        return self._taken(weights, how) if how in ("first", "last") else self._sums(weights)

    def _taken(self, numbers: Floats, how: Duplicates) -> Floats:
        return numbers[self.begins if how == "first" else self.ends - 1]

    def _sums(self, numbers: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.add.reduceat(numbers, self.begins)

    def _means(self, values: Floats, weights: Floats | None) -> Floats:
        total = self.sizes if weights is None else self._sums(weights)
        weighed = values
        if weights is not None:
            with np.errstate(over="ignore"):
                weighed = weights * values
        means: Floats = self._sums(weighed) / total
        overflown = ~np.isfinite(means)
        if overflown.any():  # dividing before adding rounds more often, but stays in range
            each = np.repeat(total, self.sizes).astype(np.float64)
            parts = values / each if weights is None else weights / each * values
            largest = np.finfo(np.float64).max
            means[overflown] = self._sums(parts)[overflown].clip(-largest, largest)
        return means

    def _medians(self, values: Floats, weights: Floats | None) -> Floats:
        """Return the value with half of the weight on either side, or the middle of two such."""
        cells = np.repeat(np.arange(len(self.begins)), self.sizes)
        order = np.lexsort((values, cells))
        up_to = np.cumsum(np.ones(len(values)) if weights is None else weights[order])
        before = np.append(0.0, up_to[self.ends[:-1] - 1])
        middle = 0.5 * (before + up_to[self.ends - 1])
        low, high = (
            np.clip(np.searchsorted(up_to, middle, side), self.begins, self.ends - 1)
            for side in ("left", "right")
        )
        ascending = values[order]
        medians: Floats = 0.5 * ascending[low] + 0.5 * ascending[high]
        return medians
