"""Sums over the entries of each row of a mode, part by part, so that little memory is copied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from vest_tucker.base.types import Coords, Counts, Floats, Indices

CHUNK = 1 << 20  # entries of a part


def entries_per_row(coords: Coords, shape: Sequence[int]) -> list[Counts]:
    """Count the entries in each row of each mode.

    Examples
    --------
    >>> import numpy as np
    >>> [counts.tolist() for counts in entries_per_row(np.array([[0, 1], [2, 1]]), (3, 2))]
    [[1, 0, 1], [0, 2]]
    """
    return [
        sum_per_row(coords[:, mode], None, dim).astype(np.int64) for mode, dim in enumerate(shape)
    ]


def sum_per_row(column: Indices, weights: Floats | None, dim: int) -> Floats:
    """Sum the weights of the entries in each row of a mode; without weights, count the entries.

    ``column`` has the row of each entry.
    """
    sums = np.zeros(dim)
    for chunk in chunks(len(column), dim):  # bincount copies what it counts
        part = np.bincount(column[chunk], None if weights is None else weights[chunk])
        sums[: len(part)] += part
    return sums


def totals_per_row(coords: Coords, shape: Sequence[int], weights: Floats | None) -> list[Floats]:
    """Sum the weights of the entries in each row of each mode; without weights, count them.

    Examples
    --------
    >>> import numpy as np
    >>> coords, weights = np.array([[0, 1], [2, 1]]), np.array([0.5, 2.0])
    >>> [sums.tolist() for sums in totals_per_row(coords, (3, 2), weights)]
    [[0.5, 0.0, 2.0], [0.0, 2.5]]
    """
    return [sum_per_row(coords[:, mode], weights, dim) for mode, dim in enumerate(shape)]


def sum_of_squares(values: Floats, weights: Floats | None = None) -> float:
    """Return the sum of squares, each times its weight.

    Examples
    --------
    >>> import numpy as np
    >>> sum_of_squares(np.array([1.0, 3.0]), np.array([2.0, 1.0]))
    11.0
    """
    # Not a dot product, whose last bits depend on the number of threads it finds.
    if weights is None:
        return float(np.einsum("i,i->", values, values))
    return float(np.einsum("i,i,i->", weights, values, values))


def subtract_per_row(values: Floats, amounts: Floats, column: Indices) -> None:
    """Subtract the amount of its row from the value of each entry, in place."""
    for chunk in chunks(len(column)):
        values[chunk] -= amounts[column[chunk]]


def chunks(n: int, at_least: int = 0) -> Iterator[slice]:
    """Yield slices that cover n elements, each of `CHUNK` or of ``at_least``, if that is more."""
    size = max(CHUNK, at_least)
    return (slice(begin, begin + size) for begin in range(0, n, size))
