"""Which entries are fitted and which are held out, and how a model is measured on these."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.data.per_row import sum_of_squares
from vest_tucker.data.split import train_test_split
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.noise.posterior import Parts, Target
from vest_tucker.fitting.offset import fit_offset
from vest_tucker.model import prediction
from vest_tucker.model.cells import find_cells
from vest_tucker.model.offset import Offset

FOLDS = 5  # splits by which candidates are compared, at most
ENOUGH = 10_000  # entries in all splits together that are enough to compare by
SAMPLE = 60_000  # of many entries, to compare structures on

Split: TypeAlias = "tuple[SparseTensor, Held | None]"


@dataclass
class Held:
    """Entries that are not fitted, and how to measure a model on them."""

    tensor: SparseTensor

    def error(self, parts: Parts, offset: Offset | None, target: Target) -> float:
        """RE of parts on them."""
        return self.of(self.predicted(parts, offset, target))

    def predicted(self, parts: Parts, offset: Offset | None, target: Target) -> Floats:
        """Return what parts predict for them."""
        X = target.X
        cells = find_cells(self.tensor, X.mode_labels, X.shape, strict=False)
        return prediction.predict(
            parts.core, parts.factors, target.row_amounts, X.mode_labels, cells, unseen="mean",
            threads=target.threads, offset=offset, constant=parts.constant,
        )  # fmt: skip

    def of(self, predicted: Floats) -> float:
        """RE of predictions."""
        left = self.tensor.values - predicted
        return math.sqrt(sum_of_squares(left, self.tensor.weights)) / self.tensor.norm


@dataclass
class Pooled:
    """The error on the entries held out of several splits together."""

    squares: float = 0.0
    norms: float = 0.0

    def add(self, held: Held, error: float) -> None:
        """Add the error on the entries held out of one split."""
        self.squares += (error * held.tensor.norm) ** 2
        self.norms += held.tensor.norm**2

    @property
    def error(self) -> float:
        """RE on all of them; NaN if there are none."""
        return math.sqrt(self.squares / self.norms) if self.norms > 0.0 else math.nan


def splits_of(
    X: SparseTensor, holdout: float, validation: SparseTensor | None, rng: np.random.Generator
) -> Iterator[Split]:
    """Yield entries to fit and entries held out: a share of them, or those given."""
    if validation is not None:
        yield X, Held(validation)
    elif holdout == 0.0 or X.nnz < 10:
        yield X, None
    else:
        held = min(max(round(holdout * X.nnz), 1), X.nnz - 1)
        none = True
        for _ in range(min(max(math.ceil(ENOUGH / X.nnz), 1), FOLDS)):
            seed = int(rng.integers(2**32))
            train, test = train_test_split(X, test=held, seed=seed)
            if min(train.norm, test.norm) > 0.0:  # else errors cannot be relative to it
                none = False
                yield train, Held(test)
        if none:
            yield X, None


def sample(X: SparseTensor, rng: np.random.Generator) -> SparseTensor:
    """Return some of many entries, to compare structures on."""
    chosen = np.zeros(X.nnz, dtype=bool)
    chosen[rng.permutation(X.nnz)[:SAMPLE]] = True
    return X.subset(chosen)


def baselines(splits: list[Split]) -> tuple[float, float]:
    """Return the errors of the mean and of mean and biases on the entries held out."""
    alone, biased = Pooled(), Pooled()
    for train, held in splits:
        if held is None:
            continue
        cells = find_cells(held.tensor, train.mode_labels, train.shape, strict=False)
        biases = fit_offset(train, "biases").values_at(cells.coords, cells.unseen)
        alone.add(held, held.of(np.full(len(cells.coords), train.mean)))
        biased.add(held, held.of(biases))
    return alone.error, biased.error
