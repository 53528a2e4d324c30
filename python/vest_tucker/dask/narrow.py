"""Blocks of entries on a cluster, each column of them as narrow as its numbers allow.

Blocks lie on workers and travel between them, so their bytes count. What is made narrower is made
wide again without loss: numbers that a narrower type does not hold exactly stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Coords, Floats

Narrow = NDArray[Any]
Own = TypeVar("Own", bound="Block")
ROWS = (np.uint8, np.uint16)  # of columns of coordinates; int32 holds all
NUMBERS = (np.float16, np.float32)  # of values and weights; float64 holds all


@dataclass(frozen=True)
class Block:
    """Some entries of a tensor, in their order; the partitions of a tensor on a cluster.

    Attributes
    ----------
    columns : tuple of ndarray
        The coordinates, mode by mode.
    stored, stored_weights : ndarray
        Values and weights, as narrow as they are exact.
    """

    columns: tuple[Narrow, ...]
    stored: Narrow
    stored_weights: Narrow | None = None

    @classmethod
    def of(
        cls: type[Own], coords: Coords, values: Floats, weights: Floats | None = None, *more: Any
    ) -> Own:
        """Make one of the arrays that everything else works with.

        Examples
        --------
        >>> block = Block.of(np.array([[0, 300]], dtype=np.int32), np.array([0.5]))
        >>> [each.dtype.name for each in (*block.columns, block.stored)]
        ['uint8', 'uint16', 'float16']
        """
        columns = tuple(narrowed(coords[:, mode]) for mode in range(coords.shape[1]))
        told = None if weights is None else exact(weights)
        return cls(columns, exact(values), told, *more)

    def __len__(self) -> int:
        return len(self.stored)

    @property
    def coords(self) -> Coords:
        """The coordinates of each entry, side by side."""
        found = np.empty((len(self), len(self.columns)), dtype=np.int32)
        for mode, column in enumerate(self.columns):
            found[:, mode] = column
        return found

    @property
    def values(self) -> Floats:
        """The value of each entry."""
        return self.stored.astype(np.float64)

    @property
    def weights(self) -> Floats | None:
        """The weight of each entry, if they have any."""
        return None if self.stored_weights is None else self.stored_weights.astype(np.float64)

    def at(self, rows: Any) -> Block:
        """Return some of the entries."""
        return Block(
            tuple(column[rows] for column in self.columns),
            self.stored[rows],
            None if self.stored_weights is None else self.stored_weights[rows],
        )

    def with_values(self, values: Floats) -> Block:
        """Return the same cells with other values."""
        return replace(self, stored=exact(values))

    @property
    def nbytes(self) -> int:
        """How many bytes the arrays have: how Dask sizes it up."""
        more = 0 if self.stored_weights is None else self.stored_weights.nbytes
        return sum(each.nbytes for each in self.columns) + self.stored.nbytes + more

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes


def narrowed(column: Narrow) -> Narrow:
    """Return rows in the narrowest type that holds them, side by side."""
    largest = int(column.max()) if len(column) else 0
    for dtype in ROWS:
        if largest <= np.iinfo(dtype).max:
            return column.astype(dtype)
    return _alone(np.ascontiguousarray(column, dtype=np.int32))


def exact(numbers: Floats) -> Narrow:
    """Return numbers in the narrowest type that holds them with all their bits.

    Examples
    --------
    >>> [exact(np.array([number])).dtype.name for number in (-4.5, 0.1, 2.0**20 + 0.5)]
    ['float16', 'float64', 'float32']
    """
    for dtype in NUMBERS:
        with np.errstate(over="ignore", under="ignore"):
            short = numbers.astype(dtype)
        if np.array_equal(short, numbers):
            return short
    return _alone(np.ascontiguousarray(numbers, dtype=np.float64))


def _alone(array: Narrow) -> Narrow:
    """Return an array that is no view: a block would keep the frame that it is a column of."""
    return array if array.base is None else array.copy()


def joined(parts: Sequence[Block]) -> Block:
    """Return the entries of several blocks, one after the other."""
    weights = [each.stored_weights for each in parts if each.stored_weights is not None]
    columns = zip(*(each.columns for each in parts), strict=True)
    return Block(
        tuple(np.concatenate(column) for column in columns),
        np.concatenate([each.stored for each in parts]),
        np.concatenate(weights) if weights else None,
    )


def wide_arrays(parts: Sequence[Block]) -> tuple[Coords, Floats, Floats | None]:
    """Return coordinates, values and weights of several blocks, one after the other.

    Written where they end up at once: nothing is there twice, once narrow and once wide.
    """
    total = sum(map(len, parts))
    coords = np.empty((total, len(parts[0].columns)), dtype=np.int32)
    weighted = any(each.stored_weights is not None for each in parts)
    values, weights = np.empty(total), np.empty(total) if weighted else None
    begin = 0
    for each in parts:
        own = slice(begin, begin + len(each))
        for mode, column in enumerate(each.columns):
            coords[own, mode] = column
        values[own] = each.stored
        if weights is not None and each.stored_weights is not None:
            weights[own] = each.stored_weights
        begin = own.stop
    return coords, values, weights
