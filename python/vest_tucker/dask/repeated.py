"""Cells that were observed more than once, in whatever partitions: found, refused or merged.

Equal cells meet on one worker because their hash decides which. Only numbers of cells travel for
that; the entries themselves do only if some must be merged, and then come back to the partition
in which the cell first appeared, so that the order of the entries is that of one machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import DuplicateError
from vest_tucker.base.types import Coords
from vest_tucker.dask import narrow
from vest_tucker.dask.client import gathered
from vest_tucker.dask.narrow import Block, exact
from vest_tucker.dask.questions import threads_of
from vest_tucker.data.duplicates import ADVICE, Duplicates, merge
from vest_tucker.data.numbering import cell_numbers

MEETING = 1 << 22  # keys that are looked at together,
BUCKETS = 2  # and at how many places of a worker that is done at a time
Keys = NDArray[np.uint64]


def cell_keys(columns: Sequence[NDArray[Any]], shape: Sequence[int]) -> Keys:
    """Return a number for each cell: the same for the same cell, and for few others.

    Other cells have other numbers if 64 bits can number all cells.
    """
    keys = np.zeros(len(columns[0]), dtype=np.uint64)
    exact = math.prod(shape) < 2**64
    for dim, column in zip(shape, columns, strict=True):
        with np.errstate(over="ignore"):
            own = column.astype(np.uint64)
            keys = keys * np.uint64(dim) + own if exact else _mixed(keys ^ own)
    return keys


def _mixed(keys: Keys) -> Keys:
    """Return numbers whose bits depend on all bits given (the finalizer of splitmix64)."""
    with np.errstate(over="ignore"):
        keys = (keys + np.uint64(0x9E3779B97F4A7C15)) & np.uint64(2**64 - 1)
        keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Keys = keys ^ (keys >> np.uint64(31))
    return mixed


def split_keys(block: Block, shape: tuple[int, ...], buckets: int, some: range) -> list[Keys]:
    """Return the keys of a block's cells that meet others in one of some buckets, by bucket."""
    keys = cell_keys(block.columns, shape)
    of_bucket = (_mixed(keys) % np.uint64(buckets)).astype(np.int64) - some.start
    if len(some) < buckets:
        mine = (of_bucket >= 0) & (of_bucket < len(some))
        keys, of_bucket = keys[mine], of_bucket[mine]
    order = np.argsort(of_bucket, kind="stable")
    ends = np.cumsum(np.bincount(of_bucket, minlength=len(some)))[:-1]
    return [keys[own] for own in np.split(order, ends)]


def taken(pieces: Sequence[Any], number: int) -> Any:
    """Return one of several results of a task."""
    return pieces[number]


def repeated_keys(*parts: Keys) -> Keys:
    """Return the keys that several cells have, each once."""
    keys = np.sort(np.concatenate(parts))
    same: Keys = np.unique(keys[1:][keys[1:] == keys[:-1]])
    return same


@dataclass(frozen=True)
class Met(Block):
    """Entries whose keys others have too, with their partition and their place in it."""

    partition: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    place: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def at(self, rows: NDArray[Any]) -> Met:
        """Return some of them."""
        return met_of(super().at(rows), self.partition[rows], self.place[rows])


def met_of(block: Block, partition: NDArray[np.int64], place: NDArray[np.int64]) -> Met:
    """Return entries of which it is known where they were."""
    return Met(block.columns, block.stored, block.stored_weights, partition, place)


def split_met(block: Block, number: int, shape: tuple[int, ...], *keys: Keys) -> list[Met]:
    """Return the entries of a block that have one of the keys of each bucket."""
    own = cell_keys(block.columns, shape)
    everything = met_of(block, np.full(len(own), number, dtype=np.int64), np.arange(len(own)))
    return [everything.at(np.flatnonzero(np.isin(own, each))) for each in keys]


def together(parts: Sequence[Met]) -> Met:
    """Return what met as one, in the order given: that of the whole tensor."""
    return met_of(
        narrow.joined(parts),
        np.concatenate([each.partition for each in parts]),
        np.concatenate([each.place for each in parts]),
    )


def merged(how: Duplicates, *parts: Met) -> Met:
    """Return one entry per cell, at the place where the cell first appeared."""
    met = together(parts)
    if not len(met):
        return met
    found = merge(met.coords, met.values, how, weights=met.weights)
    first = np.sort(np.unique(_numbers(met.coords), return_index=True)[1])  # as merge orders them
    found_at = (met.partition[first], met.place[first])
    return Met.of(found.coords, found.values, found.weights, *found_at)


def of_partition(met: Met, number: int) -> Met:
    """Return the entries that belong into a partition."""
    return met.at(np.flatnonzero(met.partition == number))


def replaced(block: Block, how: Duplicates, met: Sequence[Met], by: Sequence[Met]) -> Block:
    """Return a block in which merged entries stand for those that met."""
    alone = np.ones(len(block), dtype=bool)
    alone[together(met).place] = False
    parts = list(by)
    if alone.any():  # merging does something to single entries too, as dividing by their weights
        single = block.at(alone)
        rest = merge(single.coords, single.values, how, weights=single.weights)
        place = np.flatnonzero(alone)
        parts.append(Met.of(*rest, np.zeros(len(place), np.int64), place))
    found = together(parts)
    found = found.at(np.argsort(found.place))
    return Block(found.columns, found.stored, found.stored_weights)


def first_repeat(*parts: Met) -> tuple[list[int], float, float] | None:
    """Return a cell that appears twice, with its first two values; None if there is none."""
    met = together(parts)
    seen: dict[int, int] = {}
    for place, number in enumerate(_numbers(met.coords).tolist() if len(met) else ()):
        if number in seen:
            first, second = met.values[[seen[number], place]].tolist()
            return met.coords[place].tolist(), first, second
        seen[number] = place
    return None


def _numbers(coords: Coords) -> NDArray[np.int64]:
    shape = [int(top) + 1 for top in coords.max(axis=0)]
    return cell_numbers(coords, shape, range(len(shape)))


def with_unit_weights(block: Block) -> Block:
    """Return a block whose entries count once each, if nothing else is said of them."""
    if block.stored_weights is not None:
        return block
    return replace(block, stored_weights=exact(np.ones(len(block))))


def without_repeats(
    client: Any,
    blocks: Sequence[Any],
    nnz: int,
    shape: tuple[int, ...],
    how: Duplicates,
    named: Callable[[Sequence[int]], str],
    patience: float,
) -> Sequence[Any]:
    """Return blocks in which each cell appears once: those given, if that is so already."""
    keys, counts = _repeated(client, blocks, nnz, shape, patience)
    if not any(counts):
        return blocks
    met = [
        client.submit(split_met, each, number, shape, *keys) for number, each in enumerate(blocks)
    ]
    pieces = [[client.submit(taken, each, bucket) for each in met] for bucket in range(len(keys))]
    if how == "error":
        found = [client.submit(first_repeat, *of_bucket) for of_bucket in pieces]
        cells = [each for each in gathered(client, found, "naming a cell", patience) if each]
        if not cells:  # keys of several cells were the same
            return blocks
        cell, first, second = min(cells)
        raise DuplicateError(
            f"the cell {named(cell)} appears twice or more, with the values {first:g} and "
            f"{second:g}; remove one, or {ADVICE}"
        )
    merges = [client.submit(merged, how, *of_bucket) for of_bucket in pieces]
    return [
        client.submit(
            replaced, block, how, own,
            [client.submit(of_partition, each, number) for each in merges],
        )
        for number, (block, own) in enumerate(zip(blocks, met, strict=True))
    ]  # fmt: skip


def _repeated(
    client: Any, blocks: Sequence[Any], nnz: int, shape: tuple[int, ...], patience: float
) -> tuple[list[Any], list[int]]:
    """Return the keys that several cells have, as futures, and how many these are.

    Workers look at some of the buckets at a time, for the keys of all cells take memory.
    """
    what = "looking for repeated cells"
    together = BUCKETS * max(1, len(threads_of(client)))
    buckets = together * -(-nnz // (together * MEETING))
    keys: list[Any] = []
    counts: list[int] = []
    for begin in range(0, buckets, together):
        some = range(begin, begin + together)
        split = client.map(split_keys, list(blocks), shape=shape, buckets=buckets, some=some)
        pieces = [client.map(taken, [each] * together, range(together)) for each in split]
        found = [client.submit(repeated_keys, *each) for each in zip(*pieces, strict=True)]
        del split, pieces
        counts += gathered(client, [client.submit(len, each) for each in found], what, patience)
        keys += found
    return keys, counts
