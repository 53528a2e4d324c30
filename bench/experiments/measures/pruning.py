"""What zeros cost, by who chooses them: responsibility, the smallest values, or chance.

A dense fit with the paper's squared penalty loses the same share of every part, step by step: once
as it is, all ranked at the start; and with two iterations after each step, ranked anew each time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import vest_tucker as vt
from experiments.harness.job import Job, spared
from experiments.sets.tensors import SETS

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
WAYS = ("responsibility", "value", "random")
TENSORS = ("ML-s", "planted-s", "ML_small")
BETWEEN = 2  # iterations after each step
# Columns keep the norms that the penalty gives them, for with others it would pull anew.
PENALTY: dict[str, Any] = {
    "preset": "paper", "penalty": "lf", "sparsity": 0.0, "standardize": False, "threads": 1,
}  # fmt: skip
Parts = list[NDArray[Any]]


def jobs(whole: bool) -> Iterator[Job]:
    """Yield each way on each tensor, for each seed."""
    for seed in range(10 if whole else 5):
        for name in TENSORS:
            if not SETS[name].is_here:
                continue
            for refit in (0, BETWEEN):
                for way in WAYS:
                    settings = {"set": name, "by": way, "refit": refit}
                    measure = partial(measured, name, way, refit, seed)
                    yield Job(settings, seed, measure, spared(seed))


def measured(name: str, way: str, refit: int, seed: int) -> dict[str, Any]:
    """Prune a dense model step by step; return the errors on both kinds of entries."""
    train, test = SETS[name].split(seed)
    ranks = SETS[name].ranks
    model = vt.fit(train, ranks, **PENALTY, seed=seed)
    rng = np.random.default_rng(seed)
    scores = scored(model, train, way, rng)
    pruned = [np.zeros(part.shape, dtype=bool) for part in scores]
    zeros, fitted, held = [], [], []
    for share in SHARES:
        if refit and share:
            scores = scored(model, train, way, rng)
        pruned = [mark(part, old, share) for part, old in zip(scores, pruned, strict=True)]
        model = without(model, pruned)
        if refit and share:
            model = again(model, train, pruned, refit)
        zeros.append(model.sparsity)
        fitted.append(vt.relative_error(model, train))
        held.append(vt.relative_error(model, test))
    return {"zeros": zeros, "re": fitted, "test": held, "shares": list(SHARES)}


def scored(
    model: vt.TuckerModel, train: vt.SparseTensor, way: str, rng: np.random.Generator
) -> Parts:
    """Return a number for each element of core and factors; the lowest go first."""
    parts = [model.core, *model.factors]
    if way == "responsibility":
        return list(model.responsibilities(train))
    if way == "value":
        return [np.abs(part) for part in parts]
    return [rng.random(part.shape) for part in parts]


def mark(scores: NDArray[Any], pruned: NDArray[Any], share: float) -> NDArray[Any]:
    """Return which elements are zero when this share of the part is to be."""
    order = np.argsort(np.where(pruned, -np.inf, scores), axis=None, kind="stable")
    marks = np.zeros(scores.size, dtype=bool)
    marks[order[: math.ceil(share * scores.size)]] = True
    return np.asarray(marks.reshape(scores.shape) | pruned)


def without(model: vt.TuckerModel, pruned: Sequence[NDArray[Any]]) -> vt.TuckerModel:
    """Return the model with these elements set to zero."""
    parts = zip((model.core, *model.factors), pruned, strict=True)
    core, *factors = (np.where(marks, 0.0, part) for part, marks in parts)
    return vt.TuckerModel(core, factors)


def again(
    model: vt.TuckerModel, train: vt.SparseTensor, pruned: Sequence[NDArray[Any]], iterations: int
) -> vt.TuckerModel:
    """Fit what is left for some iterations, with the same penalty."""
    core, *factors = (~marks for marks in pruned)
    support: dict[str | int, Any] = {"core": core}
    support.update(enumerate(factors))
    found = vt.fit(
        train,
        model.ranks,
        **PENALTY,
        max_iter=iterations,
        tol=None,
        init=(model.core, model.factors),
        support=support,
    )
    return vt.TuckerModel(found.core, found.factors)
