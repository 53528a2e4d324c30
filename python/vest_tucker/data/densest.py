"""A dense sub-tensor: rows with few entries are peeled off until the shape asked for is left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import ShapeError
from vest_tucker.base.options import check_whole
from vest_tucker.base.types import Coords, Flags
from vest_tucker.data.entries import Entries
from vest_tucker.data.numbering import UsedRows, used_rows

MAX_PASSES = 20
# For each mode a mark for every row that is chosen.
Chosen = list[Flags]


def densest_entries(entries: Entries, shape: Iterable[int | None]) -> Entries:
    """Return the entries of chosen rows, renumbered, with the labels of these rows."""
    sizes = _checked(shape, entries)
    some = [
        _candidates(*column, entries.shape[mode])
        for mode, column in enumerate(zip(entries.coords.T, sizes, strict=True))
    ]
    places = entries.coords
    if any(each.rows is not None for each in some):
        places = np.stack([each.places.astype(np.int32) for each in some], axis=1)
    counts = [each.total for each in some]
    wanted = [min(size, count) for size, count in zip(sizes, counts, strict=True)]
    chosen = improve(places, peel(places, counts, wanted), wanted)
    inside = _inside(places, chosen)
    coords = entries.coords[inside]
    rows: list[NDArray[np.int64] | None] = []
    for mode, each in enumerate(chosen):
        if sizes[mode] == entries.shape[mode]:
            rows.append(None)
            continue
        coords[:, mode] = (np.cumsum(each) - 1)[places[inside, mode]]
        among = some[mode].rows
        rows.append(np.flatnonzero(each) if among is None else among[each])
    kept = entries.take(inside)
    return kept._replace(coords=coords, shape=sizes, labels=entries.labels.take(rows))


def _candidates(column: NDArray[np.int32], size: int, dim: int) -> UsedRows:
    """Return the rows to choose from: those with entries, and others only if these are too few."""
    used = used_rows(column, dim)
    if used.rows is None or size <= used.total or size == dim:
        return used
    # The first ``size`` rows contain enough rows without entries.
    empty = np.setdiff1d(np.arange(size, dtype=np.int64), used.rows)[: size - used.total]
    rows = np.union1d(used.rows, empty)
    return UsedRows(rows, np.searchsorted(rows, column), size)


def peel(coords: Coords, shape: Sequence[int], sizes: Sequence[int]) -> Chosen:
    """Drop a quarter of the rows too many, mode by mode, those with the fewest entries left.

    Entries are counted anew before every step, so that a row that lives on dropped ones goes too.

    Examples
    --------
    >>> coords = np.array([[0, 0], [1, 1], [1, 2], [2, 1], [2, 2]], dtype=np.int32)
    >>> [np.flatnonzero(rows).tolist() for rows in peel(coords, (3, 3), (2, 2))]
    [[1, 2], [1, 2]]
    """
    chosen = [np.ones(dim, dtype=bool) for dim in shape]
    left = [int(dim) for dim in shape]
    while left != list(sizes):
        for mode, size in enumerate(sizes):
            excess = left[mode] - size
            if excess:
                left[mode] -= -(-excess // 4)
                counts = np.bincount(coords[:, mode], minlength=shape[mode])
                chosen[mode] = _fullest(np.where(chosen[mode], counts, -1), left[mode])
                coords = coords[chosen[mode][coords[:, mode]]]
    return chosen


def improve(coords: Coords, chosen: Chosen, sizes: Sequence[int]) -> Chosen:
    """Choose the fullest rows of one mode after the other, given those of all others.

    No such step can lose entries; it ends when none gains any.
    """
    chosen = list(chosen)
    best = int(_inside(coords, chosen).sum())
    for _ in range(MAX_PASSES):
        for mode, size in enumerate(sizes):
            others = [each for k, each in enumerate(chosen) if k != mode]
            reachable = _inside(np.delete(coords, mode, axis=1), others)
            counts = np.bincount(coords[reachable, mode], minlength=len(chosen[mode]))
            chosen[mode] = _fullest(counts, size)
        now = int(_inside(coords, chosen).sum())
        if now <= best:
            break
        best = now
    return chosen


def _fullest(counts: NDArray[np.intp], size: int) -> Flags:
    """Mark the rows with the most entries; of equally full ones the first."""
    rows = np.zeros(len(counts), dtype=bool)
    rows[np.argsort(-counts, kind="stable")[:size]] = True
    return rows


def _inside(coords: Coords, chosen: Sequence[Flags]) -> Flags:
    inside = np.ones(len(coords), dtype=bool)
    for mode, rows in enumerate(chosen):
        inside &= rows[coords[:, mode]]
    return inside


def _checked(shape: Iterable[int | None], entries: Entries) -> tuple[int, ...]:
    try:
        asked = tuple(islice(shape, 1000))  # of a few modes, not of range(10**9)
    except TypeError:
        raise ShapeError(f"shape is {shape!r}; give one dimension per mode") from None
    if len(asked) != len(entries.shape):
        raise ShapeError(
            f"the shape {asked} has {len(asked)} modes but the tensor has {len(entries.shape)}; "
            f"give one dimension per mode, None to keep all rows"
        )
    names = entries.labels.names
    sizes = tuple(
        dim if size is None else check_whole(f"the dimension of {name!r}", size, at_least=1)
        for size, dim, name in zip(asked, entries.shape, names, strict=True)
    )
    for size, dim, name in zip(sizes, entries.shape, names, strict=True):
        if size > dim:
            raise ShapeError(f"mode {name!r} has {dim:,} rows, so {size:,} cannot be chosen")
    return sizes
