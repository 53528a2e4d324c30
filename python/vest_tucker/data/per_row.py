"""Sums over all entries, and over those of each row of a mode: chunk by chunk, added in order.

That takes little memory, and a sum does not depend on where its chunks lie: entries that are spread
over machines, whole chunks on each, have the same sums to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    return dot(values, values) if weights is None else dot(weights, values, values)


def dot(*arrays: Floats) -> float:
    """Return the sum of the products of several arrays.

    Examples
    --------
    >>> import numpy as np
    >>> dot(np.array([1.0, 3.0]), np.array([2.0, 1.0]))
    5.0
    """
    # Not a dot product of NumPy, whose last bits depend on the number of threads it finds.
    products = ",".join("i" * len(arrays)) + "->"
    parts = (
        float(np.einsum(products, *(each[chunk] for each in arrays)))
        for chunk in chunks(len(arrays[0]))
    )
    return sum(parts, 0.0)


def total(values: Floats) -> float:
    """Return the sum of an array.

    Examples
    --------
    >>> import numpy as np
    >>> total(np.array([1.0, 3.0]))
    4.0
    """
    return sum((float(values[chunk].sum()) for chunk in chunks(len(values))), 0.0)


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
    for chunk in chunks(len(column)):
        values[chunk] -= amounts[column[chunk]]


def chunks(n: int, at_least: int = 0) -> Iterator[slice]:
    """Yield slices that cover n elements, of as many times `CHUNK` as it takes for ``at_least``."""
    size = CHUNK * max(1, -(-at_least // CHUNK))
    return (slice(begin, begin + size) for begin in range(0, n, size))
