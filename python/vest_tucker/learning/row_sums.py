"""What entries say of the rows of one mode: delta, and its sums V and b over the entries of a row.

delta of an entry is the core contracted with the entry's rows of all other modes; a row a predicts
delta . a. So all that the paper's row update needs of a row's entries is V = sum of delta delta^T
and b = sum of x delta. Of entries that are gone, V is remembered as their number times the average
of delta delta^T over the cells of a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Coords, Counts, Floats

BLOCK = 1 << 22  # numbers held at a time


def deltas(core: Floats, factors: Sequence[Floats], coords: Coords, mode: int) -> Floats:
    """Return delta of one mode for each entry, as an array (entries, J).

    Examples
    --------
    >>> import numpy as np
    >>> core, factors = np.array([[2.0], [3.0]]), [np.eye(2), np.array([[1.0], [10.0]])]
    >>> deltas(core, factors, np.array([[0, 0], [1, 1]]), 0).tolist()
    [[2.0, 3.0], [20.0, 30.0]]
    """
    first, *others = (factors[n][coords[:, n]] for n in range(core.ndim) if n != mode)
    last = np.moveaxis(core, mode, -1)
    # Not a matrix product, whose last bits depend on the number of threads it finds.
    left: Floats = np.einsum("ej,jr->er", first, last.reshape(last.shape[0], -1))
    for rows in others:
        left = np.einsum("ej,ejr->er", rows, left.reshape(*rows.shape, -1))
    return left


def row_sums(
    core: Floats,
    factors: Sequence[Floats],
    coords: Coords,
    values: Floats,
    mode: int,
    places: NDArray[np.intp],
    weights: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Return V, (rows, J, J), and b, (rows, J); ``places`` says, in order, which row an entry is.

    Every entry counts as often as its weight says.

    Examples
    --------
    >>> import numpy as np
    >>> core, factors = np.array([[2.0]]), [np.ones((1, 1)), np.array([[1.0], [10.0]])]
    >>> coords, values = np.array([[0, 0], [0, 1]]), np.array([5.0, 7.0])
    >>> V, b = row_sums(core, factors, coords, values, 0, np.array([0, 0]))
    >>> V.tolist(), b.tolist()
    ([[[404.0]]], [[150.0]])
    """
    rank, n_rows = core.shape[mode], int(places[-1]) + 1
    outer, cross = np.zeros((n_rows, rank, rank)), np.zeros((n_rows, rank))
    for chunk in slices(len(coords), max(1, BLOCK // core.size)):
        delta = deltas(core, factors, coords[chunk], mode)
        weighed = delta if weights is None else weights[chunk, None] * delta
        here = slice(int(places[chunk][0]), int(places[chunk][-1]) + 1)
        at = places[chunk] - here.start
        for j in range(rank):
            cross[here, j] += np.bincount(at, values[chunk] * weighed[:, j])
            for t in range(j + 1):
                outer[here, j, t] += np.bincount(at, weighed[:, j] * delta[:, t])
    lower = np.tril(outer, -1)
    outer += lower.transpose(0, 2, 1)
    return outer, cross


def average_outer(
    core: Floats, factors: Sequence[Floats], counts: Sequence[Counts | Floats], mode: int
) -> Floats:
    """Return C, the average of delta delta^T over cells whose rows are as frequent as ``counts``.

    With M_m the second moments of the rows of mode m, each as often as it has entries, and G_(n)
    the core unfolded, that is G_(n) (kron of M_m, m != n) G_(n)^T: no cell is looked at.

    Examples
    --------
    >>> import numpy as np
    >>> core, factors = np.array([[2.0]]), [np.ones((2, 1)), np.array([[1.0], [3.0]])]
    >>> average_outer(core, factors, [np.array([1, 1]), np.array([1, 1])], 0).tolist()
    [[20.0]]
    """
    weighed = core
    for other, (factor, n) in enumerate(zip(factors, counts, strict=True)):
        if other != mode:
            shares = n / (float(n.sum()) or 1.0)
            moments = np.einsum("i,ij,ik->jk", shares, factor, factor)
            first = np.moveaxis(weighed, other, 0)
            after = np.einsum("jk,kr->jr", moments, first.reshape(len(moments), -1))
            weighed = np.moveaxis(after.reshape(first.shape), 0, other)
    unfolded, after = (
        np.moveaxis(array, mode, 0).reshape(core.shape[mode], -1) for array in (core, weighed)
    )
    average = np.einsum("jr,kr->jk", unfolded, after)
    return np.asarray(0.5 * (average + average.T))


def slices(n: int, size: int) -> Iterator[slice]:
    """Cut ``n`` things into pieces of at most ``size``."""
    return (slice(begin, min(begin + size, n)) for begin in range(0, n, size))
