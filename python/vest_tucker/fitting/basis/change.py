"""Another basis for the components of a mode: the factor turns, the core turns back.

A(n) M and G x_n inv(M) predict what A(n) and G do. Sums run over rows in a fixed order and not
through a matrix product, whose last bits may depend on the number of threads it finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from vest_tucker.base.types import Floats

CHUNK = 1 << 16  # rows


def change_basis(
    core: Floats, factors: Sequence[Floats], mode: int, matrix: Floats, inverse: Floats
) -> None:
    """Turn a factor by a matrix, and the core by its inverse, in place.

    Examples
    --------
    >>> core, factors = np.array([[2.0]]), [np.array([[1.0], [3.0]]), np.array([[1.0]])]
    >>> change_basis(core, factors, 0, np.array([[4.0]]), np.array([[0.25]]))
    >>> core.tolist(), factors[0].tolist()
    ([[0.5]], [[4.0], [12.0]])
    """
    turn_rows(factors[mode], matrix)
    turn_core(core, mode, inverse)


def turn_rows(factor: Floats, matrix: Floats) -> None:
    """Multiply each row by a matrix, in place."""
    for rows in _chunks(len(factor)):
        factor[rows] = np.einsum("ij,jk->ik", factor[rows], matrix)


def turn_core(core: Floats, mode: int, matrix: Floats) -> None:
    """Multiply the core by a matrix along one mode, in place."""
    flat = np.moveaxis(core, mode, 0)
    turned = np.einsum("ab,bc->ac", matrix, flat.reshape(len(flat), -1))
    flat[...] = turned.reshape(flat.shape)


def gram(factor: Floats, weights: Floats | None = None) -> Floats:
    """Return the sum of all rows' outer products, weighted if there are weights.

    Examples
    --------
    >>> gram(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([1.0, 10.0])).tolist()
    [[91.0, 2.0], [2.0, 4.0]]
    """
    total = np.zeros((factor.shape[1],) * 2)
    for rows in _chunks(len(factor)):
        part = factor[rows]
        weighted = part if weights is None else part * weights[rows, None]
        total += np.einsum("ij,ik->jk", weighted, part)
    return total


def unfolded_gram(core: Floats, mode: int) -> Floats:
    """Return the products of the core's slices along a mode with each other."""
    flat = np.moveaxis(core, mode, 0).reshape(core.shape[mode], -1)
    products: Floats = np.einsum("ac,bc->ab", flat, flat)
    return products


def _chunks(n: int) -> Iterator[slice]:
    return (slice(begin, begin + CHUNK) for begin in range(0, n, CHUNK))
