"""Predictions of Tucker and CP models that are plain arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from peers.peer import Floats, Ints, Predictor

BLOCK = 10_000  # cells at a time


def tucker_predictor(core: ArrayLike, factors: Sequence[ArrayLike]) -> Predictor:
    """Predict cells from a core and factors."""
    core = np.asarray(core, np.float64)
    matrices = [np.asarray(factor, np.float64) for factor in factors]

    def block(coords: Ints) -> Floats:
        left = core[np.newaxis]  # cells x the ranks not yet contracted
        for mode, factor in enumerate(matrices):
            left = np.einsum("cj...,cj->c...", left, factor[coords[:, mode]])
        return left

    return lambda coords: in_blocks(block, coords)


def cp_predictor(weights: ArrayLike, factors: Sequence[ArrayLike]) -> Predictor:
    """Predict cells from the weights of rank-one components and their vectors."""
    scale = np.asarray(weights, np.float64)
    matrices = [np.asarray(factor, np.float64) for factor in factors]

    def block(coords: Ints) -> Floats:
        product = np.broadcast_to(scale, (len(coords), scale.size))
        for mode, factor in enumerate(matrices):
            product = product * factor[coords[:, mode]]
        return np.asarray(product.sum(axis=1))

    return lambda coords: in_blocks(block, coords)


def in_blocks(block: Predictor, coords: Ints) -> Floats:
    """Predict some cells at a time, because what lies between may be large."""
    parts = np.array_split(coords, len(coords) // BLOCK + 1)
    return np.concatenate([block(part) for part in parts])
