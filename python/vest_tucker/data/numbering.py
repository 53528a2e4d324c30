"""Numbers cells and rows with consecutive integers, so that sorting and counting are cheap."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Coords, Flags
from vest_tucker.data.per_row import each_chunk

INT64_MAX = np.iinfo(np.int64).max
# With more rows than this per entry, an array over all rows of a mode would be too large.
MANY_ROWS = 16
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, and odd


class UsedRows(NamedTuple):
    """The rows of a mode that are counted.

    ``rows`` has their indices in order, None for all rows; ``places`` the place of each entry's row
    among them; ``total`` is their number.
    """

    rows: NDArray[np.int64] | None
    places: NDArray[np.integer[Any]]
    total: int


def used_rows(column: NDArray[np.int32], dim: int) -> UsedRows:
    """Leave out rows without any entry if nearly all rows are such, which saves memory.

    Examples
    --------
    >>> column = np.array([7, 2_000_000_000, 7], dtype=np.int32)
    >>> used_rows(column, 2_000_000_001).places.tolist(), used_rows(column, 8).rows
    ([0, 1, 0], None)
    """
    if dim <= MANY_ROWS * max(len(column), 1 << 16):
        return UsedRows(None, column, dim)
    rows, places = np.unique(column, return_inverse=True)
    return UsedRows(rows.astype(np.int64), places, len(rows))


def cell_numbers(coords: Coords, shape: Sequence[int], modes: Sequence[int]) -> NDArray[np.int64]:
    """Return for each entry the number of the tuple that it has in some modes, ordered as tuples.

    Examples
    --------
    >>> coords = np.array([[0, 0, 1], [1, 0, 2], [0, 0, 2]], dtype=np.int32)
    >>> cell_numbers(coords, (2, 1, 3), (0, 2)).tolist()
    [1, 5, 2]
    """
    numbers = np.zeros(len(coords), dtype=np.int64)
    cells = 1
    for mode in modes:
        cells *= shape[mode]
        if cells > INT64_MAX:  # number only the tuples that occur, and go on with these numbers
            found, numbers = np.unique(numbers, return_inverse=True)
            cells = len(found) * shape[mode]
        numbers *= shape[mode]
        numbers += coords[:, mode]
    return numbers


def numbered(
    ids: NDArray[np.integer[Any]],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the distinct numbers, sorted, and the index of each number among them.

    Examples
    --------
    >>> import numpy as np
    >>> ids, indices = numbered(np.array([7, 5, 7, 900]))
    >>> ids.tolist(), indices.tolist()
    ([5, 7, 900], [1, 0, 1, 2])
    """
    low, high = int(ids.min()), int(ids.max())
    if high - low > 4 * len(ids) + 1024:
        distinct, found = np.unique(ids, return_inverse=True)
        return distinct.astype(np.int64), found.astype(np.int32)
    # The ids lie close together: marking those that occur is quicker than sorting.
    occurs = np.zeros(high - low + 1, dtype=bool)
    occurs[ids - low] = True
    ranks = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return np.flatnonzero(occurs) + low, ranks[ids - low]


def among(coords: Coords, others: Coords, shape: Sequence[int]) -> Flags:
    """Mark the cells that occur among others, which may be many more, and lie anywhere.

    Examples
    --------
    >>> coords = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32)
    >>> among(coords, np.array([[1, 1], [1, 0]], dtype=np.int32), (2, 2)).tolist()
    [False, False, True]
    """
    keys = np.unique(_keys(coords, shape))
    table = np.zeros(1 << (8 * len(keys) + 1).bit_length(), dtype=bool)
    table[_places(keys, len(table))] = True
    near = list(each_chunk(functools.partial(_with_keys, keys, table, tuple(shape)), others))
    numbers = cell_numbers(np.concatenate([coords, *near]), shape, range(len(shape)))
    found: Flags = np.isin(numbers[: len(coords)], numbers[len(coords) :])
    return found


def _keys(coords: Coords, shape: Sequence[int]) -> NDArray[np.uint64]:
    """Return a number for each cell, the same for the same cells; of very many, others share it."""
    keys = np.zeros(len(coords), dtype=np.uint64)
    for mode, dim in enumerate(shape):
        keys *= np.uint64(dim)
        keys += coords[:, mode].astype(np.uint64)
    return keys


def _places(keys: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """Return where keys are in a table, whose size is a power of two above one, spread evenly."""
    spread: NDArray[np.uint64] = keys * SPREAD >> np.uint64(65 - size.bit_length())
    return spread


def _with_keys(
    keys: NDArray[np.uint64], table: Flags, shape: tuple[int, ...], coords: Coords
) -> Coords:
    """Return the cells of a chunk that have one of some keys, which are sorted.

    The table, which marks their places, spares most cells the search.
    """
    own = _keys(coords, shape)
    marked = np.flatnonzero(table[_places(own, len(table))])
    own = own[marked]
    found = np.searchsorted(keys, own)
    found[found == len(keys)] = 0
    near: Coords = coords[marked[keys[found] == own]]
    return near
