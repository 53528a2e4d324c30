"""What a basis, a knee and a planted truth are, in slow plain NumPy, one cell or element at a time.

Nothing here comes from vest_tucker but the types of what it is asked about.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def every_prediction(core: Floats, factors: Sequence[Floats]) -> Floats:
    """B of every cell: the Tucker sum as it is written."""
    shape = tuple(len(factor) for factor in factors)
    predicted = np.zeros(shape)
    for cell in np.ndindex(shape):
        for at in np.ndindex(core.shape):
            term = core[at]
            for factor, i, j in zip(factors, cell, at, strict=True):
                term *= factor[i, j]
            predicted[cell] += term
    return predicted


def weighted_products(factor: Floats, weights: Floats) -> Floats:
    """A' diag(p) A, row by row."""
    total = np.zeros((factor.shape[1],) * 2)
    for row, weight in zip(factor, weights, strict=True):
        total += weight * np.outer(row, row)
    return total


def slice_products(core: Floats, mode: int) -> Floats:
    """The inner products of the core's slices along a mode."""
    slices = [np.take(core, j, axis=mode).ravel() for j in range(core.shape[mode])]
    return np.array([[float(a @ b) for b in slices] for a in slices])


def criterion(error: float, n_parameters: int, nnz: int) -> float:
    """The Bayesian information criterion of Gaussian noise, up to a constant."""
    return nnz * math.log(error**2) + n_parameters * math.log(nnz)


def sparsest_within_one_standard_error(squares: Sequence[Floats]) -> int:
    """Of models by their squared residuals, the last that is about as good as the best."""
    means = [float(each.mean()) for each in squares]
    best = means.index(min(means))
    bound = means[best] + float(squares[best].std(ddof=1)) / math.sqrt(len(squares[best]))
    return max(k for k, mean in enumerate(means) if mean <= bound)


def f1(parts: Sequence[Floats], truth: Sequence[Floats]) -> float:
    """F1 of the non-zeros of a core and factors, components matched to the truth by trying all."""
    core, *factors = parts
    true_core, *true_factors = truth
    matched: list[Floats] = []
    for mode, (a, b) in enumerate(zip(factors, true_factors, strict=True)):
        alike = np.abs(_unit(b).T @ _unit(a))
        ranks = range(a.shape[1])
        order = max(itertools.permutations(ranks), key=lambda p: sum(alike[j, p[j]] for j in ranks))
        matched.append(a[:, list(order)])
        core = np.take(core, order, axis=mode)
    found = np.concatenate([part.ravel() != 0.0 for part in (core, *matched)])
    true = np.concatenate([part.ravel() != 0.0 for part in (true_core, *true_factors)])
    return 2.0 * float((found & true).sum()) / float(found.sum() + true.sum())


def _unit(factor: Floats) -> Floats:
    norms = np.sqrt((factor**2).sum(axis=0))
    scaled: Floats = factor / np.where(norms > 0.0, norms, 1.0)
    return scaled
