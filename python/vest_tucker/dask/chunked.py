"""Blocks of the size of the chunks that entries are summed by: sums are those of one machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vest_tucker.dask import narrow
from vest_tucker.dask.narrow import Block
from vest_tucker.dask.questions import holders_of, threads_of
from vest_tucker.data import per_row


def chunked(
    client: Any, blocks: Sequence[Any], lengths: Sequence[int]
) -> tuple[list[Any], list[int]]:
    """Return blocks of as many entries as a chunk has, but for the last, and their lengths.

    Where blocks lie is known if they are there already; then workers get about as many chunks each.
    """
    holders = holders_of(client, list(blocks))
    known = [next(iter(holders.get(each.key, ())), None) for each in blocks]
    ends = np.cumsum(lengths)
    begins = ends - lengths
    found = []
    sizes = []
    chunks = per_row.chunks(int(ends[-1]))
    share = Share(list(threads_of(client)), len(chunks))
    for chunk in chunks:
        first, last = np.searchsorted(ends, (chunk.start, chunk.stop), side="right")
        parts = range(int(first), min(int(last), len(blocks) - 1) + 1)
        bounds = [
            (max(chunk.start - int(begins[part]), 0), chunk.stop - int(begins[part]))
            for part in parts
        ]
        sizes.append(min(chunk.stop, int(ends[-1])) - chunk.start)
        where = {} if None in known else {"workers": [share.taken_by(known[parts[0]])]}
        found.append(
            client.submit(
                joined, bounds, *(blocks[part] for part in parts), **where,
                allow_other_workers=bool(where),
            )
        )  # fmt: skip
    return found, sizes


class Share:
    """Which workers are to have how many of some blocks: none more than its share."""

    def __init__(self, workers: Sequence[str], count: int) -> None:
        self._left = dict.fromkeys(workers, -(-count // max(1, len(workers))))

    def taken_by(self, wanted: str | None) -> str | None:
        """Return who takes one: the one wanted, or whoever has fewest if it has its share."""
        if not self._left:
            return wanted
        if wanted is None or self._left.get(wanted, 0) <= 0:
            wanted = max(self._left, key=lambda worker: self._left[worker])
        self._left[wanted] -= 1
        return wanted


def joined(bounds: Sequence[tuple[int, int]], *blocks: Block) -> Block:
    """Return some entries of each of several blocks as one block.

    Examples
    --------
    >>> block = Block.of(np.array([[0, 1], [2, 3]], dtype=np.int32), np.array([1.0, 2.0]))
    >>> joined([(1, 2), (0, 1)], block, block).values.tolist()
    [2.0, 1.0]
    """
    return narrow.joined([each.at(slice(*own)) for own, each in zip(bounds, blocks, strict=True)])
