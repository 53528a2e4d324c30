"""Blocks of the size of the chunks that entries are summed by: sums are those of one machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vest_tucker.dask.local import Block
from vest_tucker.data import per_row


def chunked(
    client: Any, blocks: Sequence[Any], lengths: Sequence[int]
) -> tuple[list[Any], list[int]]:
    """Return blocks of as many entries as a chunk has, but for the last, and their lengths."""
    ends = np.cumsum(lengths)
    begins = ends - lengths
    found = []
    sizes = []
    for chunk in per_row.chunks(int(ends[-1])):
        first, last = np.searchsorted(ends, (chunk.start, chunk.stop), side="right")
        parts = range(int(first), min(int(last), len(blocks) - 1) + 1)
        bounds = [
            (max(chunk.start - int(begins[part]), 0), chunk.stop - int(begins[part]))
            for part in parts
        ]
        sizes.append(min(chunk.stop, int(ends[-1])) - chunk.start)
        found.append(client.submit(joined, bounds, *(blocks[part] for part in parts)))
    return found, sizes


def joined(bounds: Sequence[tuple[int, int]], *blocks: Block) -> Block:
    """Return some entries of each of several blocks as one block.

    Examples
    --------
    >>> block = Block(np.array([[0, 1], [2, 3]], dtype=np.int32), np.array([1.0, 2.0]))
    >>> joined([(1, 2), (0, 1)], block, block).values.tolist()
    [2.0, 1.0]
    """
    parts = [
        (each.coords[begin:end], each.values[begin:end], each.weights)
        for (begin, end), each in zip(bounds, blocks, strict=True)
    ]
    weights = [
        own[begin:end]
        for (begin, end), (_, _, own) in zip(bounds, parts, strict=True)
        if own is not None
    ]
    return Block(
        np.concatenate([coords for coords, _, _ in parts]),
        np.concatenate([values for _, values, _ in parts]),
        np.concatenate(weights) if weights else None,
    )
