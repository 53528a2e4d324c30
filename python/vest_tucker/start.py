"""Where a fit starts: at random as in the paper, from the data, or from another model."""

from __future__ import annotations

import numpy as np

from vest_tucker.checks import Floats
from vest_tucker.options import generator


def random_start(
    shape: tuple[int, ...], ranks: tuple[int, ...], seed: int | np.random.Generator | None
) -> tuple[Floats, list[Floats]]:
    """Line 1 of Algorithm 1: uniform on [0, 1), the factors in mode order, then the core."""
    rng = generator(seed)
    factors = [rng.random((dim, rank)) for dim, rank in zip(shape, ranks, strict=True)]
    return rng.random(ranks), factors
