"""The parts of a model by number, as the C++ core has them: the core tensor, then the factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

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


def along_mode(numbers: NDArray[Any], mode: int, order: int) -> NDArray[Any]:
    """Return a number per component of a mode as an array that broadcasts with the core.

    Examples
    --------
    >>> import numpy as np
    >>> (np.ones((2, 3)) * along_mode(np.array([1.0, 5.0]), mode=0, order=2)).tolist()
    [[1.0, 1.0, 1.0], [5.0, 5.0, 5.0]]
    """
    return numbers.reshape(-1, *(1,) * (order - 1 - mode))
