"""TTP, the truncated tensor power method: power iterations that keep the largest elements only.

From W. W. Sun, J. Lu, H. Liu and G. Cheng, Provable sparse tensor decomposition, 2017.
"""

from __future__ import annotations

import math

import numpy as np

from peers.clock import Clock
from peers.peer import Fitted, Floats, Task
from peers.written.deflated import Deflated, Vectors, random_start, unit

CLOSE = 1e-6  # a vector that moved by less has settled


def fit(task: Task, clock: Clock) -> Fitted:
    """Take off the setting "rank" of components, each the heaviest of several starts."""
    rng = np.random.default_rng(task.seed)
    left = Deflated(task)
    kept = [max(1, math.ceil(task.settings["keep"] * dim)) for dim in task.shape]
    for _ in range(task.settings["rank"] or max(task.ranks)):
        found = [
            settled(left, random_start(rng, task.shape), kept, task.settings["max_iter"])
            for _ in range(task.settings["starts"])
        ]
        left.take_off(max(found, key=lambda one: abs(left.contracted(one, 0) @ one[0])))
    return left.fitted()


def settled(left: Deflated, vectors: Vectors, kept: list[int], most: int) -> Vectors:
    """Iterate: contract, scale to norm 1, truncate, scale again, mode after mode."""
    for _ in range(most):
        before = list(vectors)
        for mode in range(left.order):
            grown = unit(left.contracted(vectors, mode))
            vectors[mode] = unit(truncated(grown, kept[mode]))
        moved = max(
            float(np.linalg.norm(now - then)) for now, then in zip(vectors, before, strict=True)
        )
        if moved < CLOSE:
            break
    return vectors


def truncated(vector: Floats, kept: int) -> Floats:
    """Keep so many elements of the largest magnitude, the others become 0."""
    largest = np.argsort(-np.abs(vector), kind="stable")[:kept]
    result = np.zeros_like(vector)
    result[largest] = vector[largest]
    return result
