"""Sparse CP: rank-one components by power iterations with a lasso penalty in each mode.

From G. I. Allen, Sparse higher-order principal components analysis, 2012: with the other vectors
fixed, the penalised vector is the soft threshold of the contraction, scaled to norm 1.
"""

from __future__ import annotations

import math

import numpy as np

from peers.clock import Clock
from peers.peer import Fitted, Floats, Task
from peers.written.deflated import Deflated, Vectors, random_start, unit

CLOSE = 1e-6  # a vector that moved by less has settled


def fit(task: Task, clock: Clock) -> Fitted:
    """Take off components; the setting "lam" is the threshold, or None lets the BIC choose."""
    rng = np.random.default_rng(task.seed)
    left = Deflated(task)
    for _ in range(task.settings["rank"] or max(task.ranks)):
        start = random_start(rng, task.shape)
        left.take_off(settled(left, start, task.settings["lam"], task.settings["max_iter"]))
    return left.fitted()


def settled(left: Deflated, vectors: Vectors, lam: float | None, most: int) -> Vectors:
    """Iterate from a few plain power iterations; a vector that becomes zero stays it."""
    for step in range(most):
        before = list(vectors)
        for mode in range(left.order):
            grown = left.contracted(vectors, mode)
            threshold = 0.0 if step < 5 else bic_threshold(left, grown) if lam is None else lam
            vectors[mode] = unit(soft(grown, threshold))
        moved = max(
            float(np.linalg.norm(now - then)) for now, then in zip(vectors, before, strict=True)
        )
        if step >= 5 and moved < CLOSE:
            break
    return vectors


def soft(vector: Floats, threshold: float) -> Floats:
    """Draw every element to 0 by the threshold."""
    return np.asarray(np.sign(vector) * np.maximum(np.abs(vector) - threshold, 0.0))


def bic_threshold(left: Deflated, grown: Floats) -> float:
    """Return the threshold of lowest Bayesian information criterion.

    The criterion is log(squares left / cells) + log(cells) / cells x elements kept; with the other
    vectors fixed, the squares left are those before less the square of the component's weight.
    Thresholds between two magnitudes keep the same elements, so the magnitudes are tried.
    """
    magnitudes = np.sort(np.abs(grown))[::-1]
    tried = np.append(magnitudes[1:], 0.0)  # the k-th keeps the k + 1 largest
    counts = np.arange(1, magnitudes.size + 1)
    sums, squares = np.cumsum(magnitudes), np.cumsum(magnitudes**2)
    norms = np.sqrt(np.maximum(squares - 2 * tried * sums + counts * tried**2, 0.0))
    weights = np.divide(squares - tried * sums, norms, out=np.zeros_like(norms), where=norms > 0)
    remain = np.maximum(left.squares - weights**2, 1e-12 * left.squares)
    criterion = np.log(remain) + math.log(left.cells) / left.cells * counts
    return float(tried[np.argmin(criterion)])
