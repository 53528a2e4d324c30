"""Sums over all entries, and over those of each row of a mode: chunk by chunk, added in order.

That takes little memory, and a sum does not depend on where its chunks lie: entries that are spread
over machines, whole chunks on each, have the same sums to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from vest_tucker.base.types import Coords, Counts, Floats, Indices

CHUNK = 1 << 20  # entries that are summed together


def entries_per_row(coords: Coords, shape: Sequence[int]) -> list[Counts]:
    """Count the entries in each row of each mode.

    Examples
    --------
    >>> import numpy as np
    >>> [counts.tolist() for counts in entries_per_row(np.array([[0, 1], [2, 1]]), (3, 2))]
    [[1, 0, 1], [0, 2]]
    """
    elsewhere = getattr(coords, "entries_per_row", None)
    if elsewhere is not None:
        found: list[Counts] = elsewhere()
        return found
    return [
        sum_per_row(coords[:, mode], None, dim).astype(np.int64) for mode, dim in enumerate(shape)
    ]


def sum_per_row(column: Indices, weights: Floats | None, dim: int) -> Floats:
    """Sum the weights of the entries in each row of a mode; without weights, count the entries.

    ``column`` has the row of each entry.
    """
    sums = np.zeros(dim)
    arrays = (column,) if weights is None else (column, weights)
    for part in each_chunk(np.bincount, *arrays, at_least=dim):  # bincount copies what it counts
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
    return dot(values, values) if weights is None else dot(weights, values, values)


def dot(*arrays: Floats) -> float:
    """Return the sum of the products of several arrays.

    Examples
    --------
    >>> import numpy as np
    >>> dot(np.array([1.0, 3.0]), np.array([2.0, 1.0]))
    5.0
    """
    return sum(each_chunk(_dot, *arrays), 0.0)


def _dot(*arrays: Floats) -> float:
    # Not a dot product of NumPy, whose last bits depend on the number of threads it finds.
    return float(np.einsum(",".join("i" * len(arrays)) + "->", *arrays))


def total(values: Floats) -> float:
    """Return the sum of an array.

    Examples
    --------
    >>> import numpy as np
    >>> total(np.array([1.0, 3.0]))
    4.0
    """
    return sum(each_chunk(_total, values), 0.0)


def _total(values: Floats) -> float:
    return float(values.sum())


def mean_of(values: Floats, weights: Floats | None = None) -> float:
    """Return the mean of an array, each element counting as its weight.

    Examples
    --------
    >>> import numpy as np
    >>> mean_of(np.array([1.0, 3.0])), mean_of(np.array([1.0, 3.0]), np.array([3.0, 1.0]))
    (2.0, 1.5)
    """
    if weights is None:
        return total(values) / len(values)
    return total(weights * values) / total(weights)


def subtract_per_row(values: Floats, amounts: Floats, column: Indices) -> None:
    """Subtract the amount of its row from the value of each entry, in place."""
    elsewhere = getattr(values, "subtract_per_row", None)
    if elsewhere is not None:
        elsewhere(amounts, column)
    else:
        for chunk in chunks(len(column)):
            values[chunk] -= amounts[column[chunk]]


def each_chunk(function: Callable[..., Any], *arrays: Any, at_least: int = 0) -> Iterator[Any]:
    """Yield ``function`` of each chunk of some arrays, in order: where they lie, if not here."""
    elsewhere = getattr(arrays[0], "each_chunk", None)
    if elsewhere is not None:
        yield from elsewhere(function, *arrays, at_least=at_least)
        return
    for chunk in chunks(len(arrays[0]), at_least):
        yield function(*(each[chunk] for each in arrays))


def chunks(n: int, at_least: int = 0) -> list[slice]:
    """Return slices that cover n elements, of as many times `CHUNK` as it takes for ``at_least``.

    They are few. A list, for what is raised while a generator is taken down, Python ignores: a
    Ctrl-C in that instant would be lost.
    """
    size = CHUNK * max(1, -(-at_least // CHUNK))
    return [slice(begin, begin + size) for begin in range(0, n, size)]
