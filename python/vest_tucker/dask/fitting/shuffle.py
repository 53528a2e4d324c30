"""From blocks, which have entries in the order of the tensor, to shards, which have those of rows.

Each block is divided by the shards of a mode, once, and each shard puts its parts together and
sorts them: one at a time on each thread of a worker, so that little is there beside blocks, parts
and shards. Where a row is cut between shards, the entry at the cut is found first: mode by mode,
from how many entries of the row have which coordinate.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker import _core
from vest_tucker.base.errors import ClusterError
from vest_tucker.base.memory import give_back
from vest_tucker.base.types import Counts, Indices
from vest_tucker.dask.client import gathered, wait_for
from vest_tucker.dask.local import rows_used_together
from vest_tucker.dask.narrow import Block, wide_arrays
from vest_tucker.dask.questions import in_turns, threads_of
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
    done: Callable[[], None],
) -> list[list[Any]]:
    """Return the shards of each mode, as futures; tell when the blocks are needed no more."""
    found: list[list[Any]] = []
    load: dict[str, int] = {}
    for mode, cut in enumerate(cuts):
        order = tuple(outline.sort_modes(mode))
        dividers = _dividers(client, blocks, outline, cut, order, patience)
        parts = _parts(client, blocks, order, dividers)
        if mode == len(cuts) - 1:  # each block goes as soon as it is divided
            done()
        of_mode: list[Any] = [None] * len(cut.shards)
        for numbers in _rounds(client, cut, load):
            for number, worker in numbers:
                bounds = cut.shards[number]
                narrow = outline.narrowed(mode, bounds.begin, bounds.end)
                of_mode[number] = client.submit(
                    assemble, narrow, bounds, shape, parts[number],
                    workers=[worker], allow_other_workers=True,
                )  # fmt: skip
                parts[number] = []  # they go as soon as the shard has them
            what = f"sending entries to the shards of mode {mode}"
            wait_for(client, [of_mode[number] for number, _ in numbers], what, patience)
        found.append(of_mode)
    return found


def _parts(
    client: Any, blocks: Sequence[Any], order: tuple[int, ...], dividers: tuple[Divider, ...]
) -> list[list[Any]]:
    """Return the parts of each shard, one of each block."""
    count = len(dividers) + 1
    of_blocks = []
    for each in blocks:
        divided = client.submit(divide, each, order, dividers)
        of_blocks.append(client.map(operator.getitem, [divided] * count, range(count)))
    return [list(of_shard) for of_shard in zip(*of_blocks, strict=True)]


def _rounds(client: Any, cut: ModeCut, load: dict[str, int]) -> list[list[tuple[int, str]]]:
    """Say which shards are made at a time, and where; no thread makes two.

    Threads get about as many entries; ``load`` is how many their workers have been given. They are
    dealt there and back: at one end lie the rows of few entries, whose sums for the core take
    longer.
    """
    threads = threads_of(client)
    if not threads:
        raise ClusterError("the cluster has no worker any more; add some, and fit again")
    by_load = sorted(threads, key=lambda worker: load.get(worker, 0) / threads[worker])
    seats = in_turns({worker: threads[worker] for worker in by_load})
    own: dict[str, list[int]] = {worker: [] for worker in threads}
    for number, bounds in enumerate(cut.shards):
        turn, place = divmod(number, len(seats))
        worker = seats[place if turn % 2 == 0 else -1 - place]
        own[worker].append(number)
        load[worker] = load.get(worker, 0) + bounds.last - bounds.first
    rounds: list[list[tuple[int, str]]] = []
    for worker, numbers in own.items():
        for place, number in enumerate(numbers):
            at = place // threads[worker]
            rounds += [[] for _ in range(at + 1 - len(rounds))]
            rounds[at].append((number, worker))
    return rounds


def divide(block: Block, order: tuple[int, ...], dividers: tuple[Divider, ...]) -> list[Block]:
    """Divide the entries of a block among the shards of a mode, each in the order of the block."""
    shard = np.zeros(len(block), dtype=np.uint16)
    for divider in dividers:
        shard += _is_behind(block, order, divider)
    by_shard = np.argsort(shard, kind="stable")
    ends = np.cumsum(np.bincount(shard, minlength=len(dividers) + 1))
    return [block.at(mine) for mine in np.split(by_shard, ends[:-1])]


def _is_behind(block: Block, order: tuple[int, ...], divider: Divider) -> NDArray[np.bool_]:
    """Tell of each entry whether it is the divider or comes after it."""
    behind = np.ones(len(block), dtype=bool)
    for mode, index in zip(reversed(order[: len(divider.at)]), reversed(divider.at), strict=True):
        column = block.columns[mode]
        behind = (column > index) | ((column == index) & behind)
    return behind


def assemble(
    narrow: _core.Plan, bounds: Bounds, shape: tuple[int, ...], parts: Sequence[Block]
) -> Shard:
    """Put the parts of a shard together, in the order of the tensor, and sort them."""
    own = Bounds(
        bounds.mode, 0, bounds.end - bounds.begin, bounds.first, bounds.last, bounds.rows,
        bounds.closed,
    )  # fmt: skip
    shard = make_shard(narrow, own, shape, *wide_arrays(parts), threads=1)
    give_back()
    return shard


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
    here = np.ones(len(block), dtype=bool)
    for mode, index in zip(order, at, strict=False):
        here &= block.columns[mode] == index
    indices, counts = np.unique(block.columns[order[len(at)]][here], return_counts=True)
    return indices, counts


def together(parts: Sequence[tuple[Indices, Counts]]) -> tuple[Indices, Counts]:
    """Add the counts of several blocks."""
    return rows_used_together(*parts)
