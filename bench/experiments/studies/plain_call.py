"""What a plain call reaches: `vt.fit(X)` beside the published algorithm, the mean and biases.

    VEST_DATA=folder .venv/bin/python bench/experiments/studies/plain_call.py [ml tweets ...]

Prints a table; the summaries of the plain call's models go to standard error. Errors are relative
errors on entries that no fit has seen: random tenths of ML_small (means over three splits), the
test file of MovieTweetings, random tenths of planted tensors of which half, or 85 %, is zero. Data
sets that are not in the folder are left out.

The published algorithm gets the true ranks of what was planted, and of ratings those of the other
tables: the ranks of a core of effects and pairs, which is nearly all zeros by design, do not suit
it (13, 13, 13, 13 on ML_small: 0.29 after 100 s).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import vest_tucker as vt
from vest_tucker.fitting.offset import fit_offset
from vest_tucker.model.measure import constant_error

Split = tuple[vt.SparseTensor, vt.SparseTensor]
SEEDS = (0, 1, 2)
RATINGS = (6, 6, 2, 2)  # the paper needs ranks: those of the other tables


@dataclass(frozen=True)
class Measured:
    """One split: errors on the entries held out, zeros of the plain call's model, its seconds."""

    paper: float
    plain: float
    mean: float
    biases: float
    zeros: float
    seconds: float


def splits(X: vt.SparseTensor) -> Iterator[Split]:
    """Yield nine tenths of the entries and a tenth, the first of a permutation for each seed."""
    for seed in SEEDS:
        held = np.zeros(X.nnz, dtype=bool)
        held[np.random.default_rng(seed).permutation(X.nnz)[: X.nnz // 10]] = True
        yield X.subset(~held), X.subset(held)


def measure(train: vt.SparseTensor, test: vt.SparseTensor, ranks: tuple[int, ...]) -> Measured:
    """Fit in all four ways."""
    began = time.perf_counter()
    plain = vt.fit(train, seed=0)
    seconds = time.perf_counter() - began
    print(f"\n{plain}", file=sys.stderr)
    paper = vt.fit(train, ranks, preset="paper", seed=0)
    biases = fit_offset(train, "biases").values_at(test.coords)
    return Measured(
        paper=vt.relative_error(paper, test),
        plain=vt.relative_error(plain, test),
        mean=constant_error(train.mean, test),
        biases=float(np.linalg.norm(test.values - biases) / test.norm),
        zeros=plain.sparsity,
        seconds=seconds,
    )


def movielens(folder: Path) -> tuple[list[Split], tuple[int, ...]]:
    """ML_small: (user, movie, year, hour) -> rating."""
    return list(splits(vt.read(folder / "ML_small.tns.gz"))), RATINGS


def movietweetings(folder: Path) -> tuple[list[Split], tuple[int, ...]]:
    """MovieTweetings: (user, movie, month, hour) -> rating, split as it came."""
    train, test = (vt.read(folder / f"movietweetings_{part}.tns.gz") for part in ("train", "test"))
    shape = tuple(map(max, train.shape, test.shape))
    return [
        (
            vt.SparseTensor(train.coords, train.values, shape),
            vt.SparseTensor(test.coords, test.values, shape),
        )
    ], RATINGS


def planted(sparsity: float) -> tuple[list[Split], tuple[int, ...]]:
    """60 x 50 x 40, ranks 3, 20 % noise."""
    X, _ = vt.datasets.synthetic(
        (60, 50, 40), ranks=3, sparsity=sparsity, nnz=20_000, noise=0.2, seed=0
    )
    return list(splits(X)), (3, 3, 3)


CASES = {
    "ml": ("ML_small", movielens),
    "tweets": ("MovieTweetings", movietweetings),
    "planted": ("planted 60 x 50 x 40, 50 % zeros", lambda folder: planted(0.5)),
    "planted-85": ("planted 60 x 50 x 40, 85 % zeros", lambda folder: planted(0.85)),
}


def main() -> None:
    folder = Path(os.environ.get("VEST_DATA", "."))
    print('| data | `preset="paper"` | `vt.fit(X)` | mean | biases | zeros | seconds |')
    print("|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or CASES:
        title, load = CASES[name]
        try:
            pairs, ranks = load(folder)
        except FileNotFoundError as missing:
            print(f"{title} is left out; set VEST_DATA ({missing})", file=sys.stderr)
            continue
        found = [measure(train, test, ranks) for train, test in pairs]
        row = [
            f"{np.mean([getattr(each, column) for each in found]):.{digits}f}"
            for column, digits in [
                ("paper", 4), ("plain", 4), ("mean", 4), ("biases", 4), ("zeros", 2), ("seconds", 1)
            ]
        ]  # fmt: skip
        print(f"| {title} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
