"""How much to prune, and how far: pure arithmetic on sizes.

Lists run over the parts of a model: first the core, then the factors in mode order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def part_sizes(shape: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """Return the number of elements of each part: |G|, then I_n J_n.

    Examples
    --------
    >>> part_sizes(shape=(100, 30), ranks=(3, 2))
    [6, 300, 60]
    """
    return [math.prod(ranks), *(dim * rank for dim, rank in zip(shape, ranks, strict=True))]


def prune_rate(t: int, init_rate: float, max_rate: float) -> float:
    """pr_t = min(INIT_PR * t, MAX_PR) of Algorithm 1, with t = 1, 2, ...

    Examples
    --------
    >>> [prune_rate(t, 0.01, 0.1) for t in (1, 2, 20)]
    [0.01, 0.02, 0.1]
    """
    return min(init_rate * t, max_rate)


def batch_sizes(
    rate: float, sizes: Sequence[int], pruned: Sequence[int], limits: Sequence[int]
) -> list[int]:
    """Return how many elements of each part to prune now: its share, but never past its limit.

    A part that is short of its limit loses at least one element, or a small core would never
    be pruned at the first rates.

    Examples
    --------
    >>> batch_sizes(0.03, sizes=[8, 300, 90], pruned=[0, 100, 44], limits=[4, 150, 45])
    [1, 9, 1]
    """
    return [
        min(max(1, math.floor(rate * size)), max(0, limit - done))
        for size, done, limit in zip(sizes, pruned, limits, strict=True)
    ]


def manual_limits(sizes: Sequence[int], sparsity: float) -> list[int]:
    """Return how many elements of each part a target sparsity asks to prune in all.

    Examples
    --------
    >>> manual_limits([8, 300, 90], 0.3)
    [3, 90, 27]
    """
    return [math.ceil(sparsity * size) for size in sizes]


def auto_limits(shape: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """Return how many elements of each part the automatic mode may prune in all.

    A factor keeps as many elements as it has rows, the core as many as its longest side: with
    fewer, some row or slice is empty for certain.

    Examples
    --------
    >>> auto_limits(shape=(100, 30), ranks=(3, 2))
    [3, 200, 30]
    """
    core = math.prod(ranks) - max(ranks)
    return [core, *(dim * (rank - 1) for dim, rank in zip(shape, ranks, strict=True))]
