"""Which rows stay dense: the paper finds the films that everybody knows among them.

Without a MovieLens folder rows have numbers for names; with one in $VEST_MOVIELENS (a release's
folder or .zip, 100K or latest-small for a quick run) they have titles.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import vest_tucker as vt
from experiments.harness.job import Job
from experiments.sets.tensors import SETS, ml_small

SHOWN = 20  # as in the paper's figure
FILMS = 1  # the mode of films
WAYS: dict[str, dict[str, Any]] = {
    "vest-lf-manual": {"preset": "paper", "penalty": "lf", "sparsity": 0.6},
    "vest-l1-manual": {"preset": "paper", "penalty": "l1", "sparsity": 0.6},
    "vest-lf-auto": {"preset": "paper", "penalty": "lf"},
    "vest-l1-auto": {"preset": "paper", "penalty": "l1"},
    "vest-tucker": {},
}


def jobs(whole: bool) -> Iterator[Job]:
    """Yield every way on every tensor of films."""
    for seed in range(5 if whole else 3):
        for name in tensors():
            for way in WAYS:
                settings = {"set": name, "system": way}
                yield Job(settings, seed, partial(measured, name, way, seed), seed)


def tensors() -> list[str]:
    """Return the tensors of films that are here."""
    here = ["ML_small"] if SETS["ML_small"].is_here else []
    return [*here, *(["MovieLens"] if os.environ.get("VEST_MOVIELENS") else [])]


def measured(name: str, way: str, seed: int) -> dict[str, Any]:
    """Fit all entries, and hold what is left of each film's row against its number of ratings."""
    X = ml_small() if name == "ML_small" else vt.datasets.movielens(os.environ["VEST_MOVIELENS"])
    ranks = () if way == "vest-tucker" else ((6, 6, 2, 2),)
    model = vt.fit(X, *ranks, **WAYS[way], seed=seed, threads=1)
    factor = model.factors[FILMS][:, int(model.constant) :]
    counts = np.bincount(X.coords[:, FILMS], minlength=X.shape[FILMS])
    seen = np.flatnonzero(counts)
    left, counts = np.count_nonzero(factor[seen], axis=1), counts[seen]
    weight = np.abs(factor[seen]).sum(axis=1)
    order = np.lexsort((-weight, -left))[:SHOWN]
    popular = set(np.argsort(-counts, kind="stable")[:SHOWN].tolist())
    titles = X.labels[FILMS]
    return {
        "zeros": model.sparsity,
        "rank": factor.shape[1],
        "correlation": correlation(left, counts),
        "among_popular": len(popular & set(order.tolist())),
        "by_popularity": [float(part.mean()) for part in deciles(left, counts)],
        "ratings_by_popularity": [float(part.mean()) for part in deciles(counts, counts)],
        "films": [
            [str(titles[seen[k]]) if titles is not None else int(seen[k]) + 1, int(left[k]),
             int(counts[k]), int((counts > counts[k]).sum()) + 1]
            for k in order
        ],
        "of": len(seen),
    }  # fmt: skip


def correlation(left: NDArray[Any], counts: NDArray[Any]) -> float:
    """Return Spearman's: the correlation of ranks, ties sharing theirs."""
    ranks = [_ranks(each) for each in (left, counts)]
    if any(each.std() == 0.0 for each in ranks):
        return 0.0
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(values: NDArray[Any]) -> NDArray[Any]:
    _, which, times = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    return np.asarray((last - (times - 1) / 2.0)[which])


def deciles(values: NDArray[Any], counts: NDArray[Any]) -> list[NDArray[Any]]:
    """Return the values of films in ten groups, the rarest first."""
    order = np.argsort(counts, kind="stable")
    return [values[part] for part in np.array_split(order, 10)]
