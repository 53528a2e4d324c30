"""From blocks, which have entries in the order of the tensor, to shards, which have those of rows.

Each block is divided by the shards of a mode, once, and each shard puts its parts together and
sorts them. Where a row is cut between shards, the entry at the cut is found first: mode by mode,
from how many entries of the row have which coordinate.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker import _core
from vest_tucker.base.types import Counts, Indices
from vest_tucker.dask.client import gathered, wait_for
from vest_tucker.dask.local import Block, rows_used_together
from vest_tucker.fitting.shards.cut import Bounds, ModeCut
from vest_tucker.fitting.shards.places import make_shard
from vest_tucker.fitting.shards.shard import Shard


@dataclass(frozen=True)
class Divider:
    """The first entry of a shard: its coordinates in the order in which entries are sorted.

    As many of them as it takes: one, the row, where the shard begins with a whole row.
    """

    at: tuple[int, ...]


def shards_of(
    client: Any,
    blocks: Sequence[Any],
    outline: _core.Plan,
    cuts: Sequence[ModeCut],
    shape: tuple[int, ...],
    patience: float,
) -> list[list[Any]]:
    """Return the shards of each mode, as futures."""
    found = []
    for mode, cut in enumerate(cuts):
        order = tuple(outline.sort_modes(mode))
        dividers = _dividers(client, blocks, outline, cut, order, patience)
        divided = [client.submit(divide, each, order, dividers) for each in blocks]
        of_mode = []
        for number, bounds in enumerate(cut.shards):
            parts = [client.submit(operator.getitem, each, number) for each in divided]
            narrow = outline.narrowed(mode, bounds.begin, bounds.end)
            of_mode.append(client.submit(assemble, narrow, bounds, shape, parts))
        del divided, parts  # what was divided goes as soon as the shards of the mode have it
        wait_for(client, of_mode, f"sending entries to the shards of mode {mode}", patience)
        found.append(of_mode)
    return found


def divide(block: Block, order: tuple[int, ...], dividers: tuple[Divider, ...]) -> list[Block]:
    """Divide the entries of a block among the shards of a mode, each in the order of the block."""
    shard = np.zeros(len(block.values), dtype=np.int64)
    for divider in dividers:
        shard += _is_behind(block, order, divider)
    by_shard = np.argsort(shard, kind="stable")
    ends = np.cumsum(np.bincount(shard, minlength=len(dividers) + 1))
    return [
        Block(
            block.coords[mine], block.values[mine],
            None if block.weights is None else block.weights[mine],
        )
        for mine in np.split(by_shard, ends[:-1])
    ]  # fmt: skip


def _is_behind(block: Block, order: tuple[int, ...], divider: Divider) -> NDArray[np.bool_]:
    """Tell of each entry whether it is the divider or comes after it."""
    behind = np.ones(len(block.values), dtype=bool)
    for mode, index in zip(reversed(order[: len(divider.at)]), reversed(divider.at), strict=True):
        column = block.coords[:, mode]
        behind = (column > index) | ((column == index) & behind)
    return behind


def assemble(
    narrow: _core.Plan, bounds: Bounds, shape: tuple[int, ...], parts: Sequence[Block]
) -> Shard:
    """Put the parts of a shard together, in the order of the tensor, and sort them."""
    weights = [each.weights for each in parts if each.weights is not None]
    own = Bounds(
        bounds.mode, 0, bounds.end - bounds.begin, bounds.first, bounds.last, bounds.rows,
        bounds.closed,
    )  # fmt: skip
    return make_shard(
        narrow, own, shape,
        np.concatenate([each.coords for each in parts]),
        np.concatenate([each.values for each in parts]),
        np.concatenate(weights) if weights else None,
        threads=1,
    )  # fmt: skip


def _dividers(
    client: Any,
    blocks: Sequence[Any],
    outline: _core.Plan,
    cut: ModeCut,
    order: tuple[int, ...],
    patience: float,
) -> tuple[Divider, ...]:
    """Find the first entry of each shard but the first."""
    chunks = outline.chunks(cut.shards[0].mode)
    opened = set(cut.open_rows.tolist())
    found: list[Divider] = []
    begins = dict(zip(chunks[::-1, 2].tolist(), chunks[::-1, 0].tolist(), strict=True))
    for bounds in cut.shards[1:]:
        row = bounds.rows.start
        skipped = bounds.first - begins[row]
        if row not in opened or skipped == 0:
            found.append(Divider((row,)))
        else:
            found.append(_entry_at(client, blocks, order, row, skipped, patience))
    return tuple(found)


def _entry_at(
    client: Any,
    blocks: Sequence[Any],
    order: tuple[int, ...],
    row: int,
    skipped: int,
    patience: float,
) -> Divider:
    """Return the entry before which so many others of its row are sorted."""
    at: tuple[int, ...] = (row,)
    for _ in order[1:]:
        parts = [client.submit(next_coordinates, each, order, at) for each in blocks]
        (counts,) = gathered(
            client, [client.submit(together, parts)], "looking where to cut a row", patience
        )
        indices, sizes = counts
        reached = np.cumsum(sizes)
        place = int(np.searchsorted(reached, skipped, side="right"))
        skipped -= int(reached[place] - sizes[place])
        at = (*at, int(indices[place]))
        if skipped == 0:  # all entries that begin so are behind the cut
            break
    return Divider(at)


def next_coordinates(
    block: Block, order: tuple[int, ...], at: tuple[int, ...]
) -> tuple[Indices, Counts]:
    """Count the entries that begin with these coordinates by the one that comes next."""
    here = np.ones(len(block.values), dtype=bool)
    for mode, index in zip(order, at, strict=False):
        here &= block.coords[:, mode] == index
    indices, counts = np.unique(block.coords[here, order[len(at)]], return_counts=True)
    return indices, counts


def together(parts: Sequence[tuple[Indices, Counts]]) -> tuple[Indices, Counts]:
    """Add the counts of several blocks."""
    return rows_used_together(*parts)
