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
from vest_tucker.dask.client import gathered
from vest_tucker.dask.local import Block
from vest_tucker.data.duplicates import ADVICE, Duplicates, merge
from vest_tucker.data.numbering import cell_numbers

Keys = NDArray[np.uint64]


def cell_keys(coords: Coords, shape: Sequence[int]) -> Keys:
    """Return a number for each cell: the same for the same cell, and for few others.

    Other cells have other numbers if 64 bits can number all cells.
    """
    keys = np.zeros(len(coords), dtype=np.uint64)
    exact = math.prod(shape) < 2**64
    for mode, dim in enumerate(shape):
        column = coords[:, mode].astype(np.uint64)
        with np.errstate(over="ignore"):
            keys = keys * np.uint64(dim) + column if exact else _mixed(keys ^ column)
    return keys


def _mixed(keys: Keys) -> Keys:
    """Return numbers whose bits depend on all bits given (the finalizer of splitmix64)."""
    with np.errstate(over="ignore"):
        keys = (keys + np.uint64(0x9E3779B97F4A7C15)) & np.uint64(2**64 - 1)
        keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Keys = keys ^ (keys >> np.uint64(31))
    return mixed


def split_keys(block: Block, shape: tuple[int, ...], buckets: int) -> list[Keys]:
    """Return the keys of a block's cells, by the bucket in which they meet others."""
    keys = cell_keys(block.coords, shape)
    of_bucket = _mixed(keys) % np.uint64(buckets)
    order = np.argsort(of_bucket, kind="stable")
    ends = np.cumsum(np.bincount(of_bucket.astype(np.int64), minlength=buckets))[:-1]
    return np.split(keys[order], ends)


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
        weights = None if self.weights is None else self.weights[rows]
        arrays = (self.coords[rows], self.values[rows], weights)
        return Met(*arrays, self.partition[rows], self.place[rows])


def split_met(block: Block, number: int, shape: tuple[int, ...], *keys: Keys) -> list[Met]:
    """Return the entries of a block that have one of the keys of each bucket."""
    own = cell_keys(block.coords, shape)
    everything = Met(
        block.coords, block.values, block.weights,
        np.full(len(own), number, dtype=np.int64), np.arange(len(own)),
    )  # fmt: skip
    return [everything.at(np.flatnonzero(np.isin(own, each))) for each in keys]


def together(parts: Sequence[Met]) -> Met:
    """Return what met as one, in the order given: that of the whole tensor."""
    weights = [each.weights for each in parts if each.weights is not None]
    return Met(
        np.concatenate([each.coords for each in parts]),
        np.concatenate([each.values for each in parts]),
        np.concatenate(weights) if weights else None,
        np.concatenate([each.partition for each in parts]),
        np.concatenate([each.place for each in parts]),
    )


def merged(how: Duplicates, *parts: Met) -> Met:
    """Return one entry per cell, at the place where the cell first appeared."""
    met = together(parts)
    if not len(met.values):
        return met
    found = merge(met.coords, met.values, how, weights=met.weights)
    first = np.sort(np.unique(_numbers(met.coords), return_index=True)[1])  # as merge orders them
    return Met(found.coords, found.values, found.weights, met.partition[first], met.place[first])


def of_partition(met: Met, number: int) -> Met:
    """Return the entries that belong into a partition."""
    return met.at(np.flatnonzero(met.partition == number))


def replaced(block: Block, how: Duplicates, met: Sequence[Met], by: Sequence[Met]) -> Block:
    """Return a block in which merged entries stand for those that met."""
    alone = np.ones(len(block.values), dtype=bool)
    alone[together(met).place] = False
    parts = list(by)
    if alone.any():  # merging does something to single entries too, as dividing by their weights
        weights = None if block.weights is None else block.weights[alone]
        rest = merge(block.coords[alone], block.values[alone], how, weights=weights)
        place = np.flatnonzero(alone)
        parts.append(Met(*rest, np.zeros(len(place), np.int64), place))
    found = together(parts)
    found = found.at(np.argsort(found.place))
    return Block(found.coords, found.values, found.weights)


def first_repeat(*parts: Met) -> tuple[list[int], float, float] | None:
    """Return a cell that appears twice, with its first two values; None if there is none."""
    met = together(parts)
    seen: dict[int, int] = {}
    for place, number in enumerate(_numbers(met.coords).tolist() if len(met.values) else ()):
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
    return (
        block if block.weights is not None else replace(block, weights=np.ones(len(block.values)))
    )


def without_repeats(
    client: Any,
    blocks: Sequence[Any],
    shape: tuple[int, ...],
    how: Duplicates,
    named: Callable[[Sequence[int]], str],
    patience: float,
) -> Sequence[Any]:
    """Return blocks in which each cell appears once: those given, if that is so already."""
    buckets = range(len(blocks))
    split = [client.submit(split_keys, each, shape, len(blocks)) for each in blocks]
    keys = [
        client.submit(repeated_keys, *(client.submit(taken, each, bucket) for each in split))
        for bucket in buckets
    ]
    counts = gathered(
        client, [client.submit(len, each) for each in keys], "looking for repeated cells", patience
    )
    if not any(counts):
        return blocks
    met = [
        client.submit(split_met, each, number, shape, *keys) for number, each in enumerate(blocks)
    ]
    pieces = [[client.submit(taken, each, bucket) for each in met] for bucket in buckets]
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
