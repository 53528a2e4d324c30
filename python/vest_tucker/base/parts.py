"""The parts of a model by number, as the C++ core has them: the core tensor, then the factors."""

from __future__ import annotations

import math
from collections.abc import Sequence

CORE = 0


def factor(mode: int) -> int:
    """Return the number of the part that is the factor of a mode.

    Examples
    --------
    >>> factor(mode=2)
    3
    """
    return mode + 1


def part_sizes(shape: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """Return the number of elements of each part: |G|, then I_n J_n.

    Examples
    --------
    >>> part_sizes(shape=(100, 30), ranks=(3, 2))
    [6, 300, 60]
    """
    return [math.prod(ranks), *(dim * rank for dim, rank in zip(shape, ranks, strict=True))]
