"""The judge of offsets: mean and biases in slow, plain Python, one entry and one row at a time.

x = mean + sum over n of b_n(i_n) + noise. Effects of mode n have the variance t_n, the noise has v.
b_n(i) is the sum of what the others leave of the row's entries over (their number + v / t_n). After
a mode, t_n becomes the mean over its rows with entries of b^2 plus what is unsure of it; after all
modes v becomes the mean of r^2 plus what is unsure of the effects in it. With weights, an entry of
weight w counts as w entries in all of these sums, numbers and means.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def baseline(mean: float, biases: list[Floats], cell: NDArray[np.int32]) -> float:
    return mean + math.fsum(effects[i] for effects, i in zip(biases, cell, strict=True))


def fit_biases(
    coords: NDArray[np.int32],
    values: Floats,
    shape: tuple[int, ...],
    *,
    most: int,
    settled: float,
    weights: Floats | None = None,
) -> tuple[float, list[Floats], list[float]]:
    """Mean, biases and v / t_n, swept until the noise changes by no more than ``settled`` of it."""
    w = np.ones(len(values)) if weights is None else weights
    total = math.fsum(w)
    mean = math.fsum(w * values) / total
    biases = [np.zeros(dim) for dim in shape]
    v = math.fsum(w * (values - mean) ** 2) / total
    t = [v / 3.0] * len(shape)
    ratios = [3.0] * len(shape)
    for _ in range(most):
        unsure_of_noise = 0.0
        for mode, dim in enumerate(shape):
            ratios[mode] = ratio = v / t[mode]
            squares, rows = [], 0
            for i in range(dim):
                here = [k for k in range(len(values)) if coords[k, mode] == i]
                if not here:
                    continue
                rows += 1
                biases[mode][i] = 0.0
                n = math.fsum(w[here])
                left = math.fsum(
                    w[k] * (values[k] - baseline(mean, biases, coords[k])) for k in here
                )
                biases[mode][i] = left / (n + ratio)
                squares.append(biases[mode][i] ** 2 + v / (n + ratio))
                unsure_of_noise += n * v / (n + ratio)
            t[mode] = math.fsum(squares) / rows
        triples = zip(w, coords, values, strict=True)
        missed = math.fsum(
            each * (x - baseline(mean, biases, cell)) ** 2 for each, cell, x in triples
        )
        before, v = v, (missed + unsure_of_noise) / total
        if abs(v - before) <= settled * before:
            break
    return mean, biases, ratios
