"""One number per cell, so that sorting cells is sorting numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vest_tucker.checks import Coords

INT64_MAX = np.iinfo(np.int64).max


def cell_numbers(coords: Coords, shape: Sequence[int], modes: Sequence[int]) -> NDArray[np.int64]:
    """Give the tuples that entries have in some modes numbers, in the order of the tuples.

    Examples
    --------
    >>> coords = np.array([[0, 0, 1], [1, 0, 2], [0, 0, 2]], dtype=np.int32)
    >>> cell_numbers(coords, (2, 1, 3), (0, 2)).tolist()
    [1, 5, 2]
    """
    numbers = np.zeros(len(coords), dtype=np.int64)
    cells = 1
    for mode in modes:
        cells *= shape[mode]
        if cells > INT64_MAX:  # number those that occur, and go on from there
            found, numbers = np.unique(numbers, return_inverse=True)
            cells = len(found) * shape[mode]
        numbers *= shape[mode]
        numbers += coords[:, mode]
    return numbers
