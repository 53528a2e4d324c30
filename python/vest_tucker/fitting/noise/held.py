"""Which entries are fitted and which are held out, and how a model is measured on these."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.data.per_row import sum_of_squares
from vest_tucker.data.split import train_test_split
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.early_stopping import cells_held_out
from vest_tucker.fitting.noise.posterior import Parts, Target
from vest_tucker.fitting.offset import fit_offset
from vest_tucker.fitting.problem import Lazily
from vest_tucker.fitting.shards.entries import collected
from vest_tucker.model import prediction
from vest_tucker.model.cells import Cells

FOLDS = 5  # splits by which candidates are compared, at most
ENOUGH = 10_000  # entries in all splits together that are enough to compare by
FEW = 3  # entries that may not decide alone,
ENTRIES_PER_FEW = 30  # one in as many at most
SURELY = 1.0  # standard deviations by which an error must rise to be believed
MANY = 200_000  # entries from which on structures are compared on a part of them
SAMPLE = 60_000  # of many entries, to compare structures on

Split: TypeAlias = "tuple[SparseTensor, Held | None]"


@dataclass
class Held:
    """Entries that are not fitted, and how to measure a model on them."""

    tensor: SparseTensor

    def of(self, predicted: Floats) -> float:
        """RE of predictions."""
        left = self.tensor.values - predicted
        return math.sqrt(sum_of_squares(left, self.tensor.weights)) / self.tensor.norm

    def rises(self, after: Floats, before: Floats) -> Floats:
        """Return by how much each squared error rises from some predictions to others."""
        values, weights = self.tensor.values, self.tensor.weights
        rises: Floats = (values - after) ** 2 - (values - before) ** 2
        return rises if weights is None else rises * weights


@dataclass(frozen=True)
class Judge:
    """Measures parts that were fitted to a target on entries held out."""

    held: Held
    target: Target

    @Lazily
    def cells(self) -> Cells:
        """Where the entries held out are; looked up once, for pruning asks after each batch."""
        X = self.target.X
        return cells_held_out(self.held.tensor, X)

    def predicted(self, parts: Parts) -> Floats:
        """Return what parts predict for the entries held out."""
        return prediction.predict(
            parts.core, parts.factors, self.target.row_amounts, self.target.X.mode_labels,
            self.cells,
            unseen="mean", threads=self.target.threads, offset=self.target.offset,
            constant=parts.constant,
        )  # fmt: skip

    def error(self, parts: Parts) -> float:
        """RE of parts."""
        return self.held.of(self.predicted(parts))

    def costs(self, after: Floats, before: Floats, share: float) -> bool:
        """Whether predictions are worse by more than a share of the error, without a few, too."""
        rises = self.held.rises(after, before)
        allowed = ((1.0 + share) ** 2 - 1.0) * (self.held.of(before) * self.held.tensor.norm) ** 2
        return float(min(rises.sum(), without_few(rises).sum())) > allowed

    def risk(self, after: Floats, before: Floats) -> float:
        """By which share of the error predictions may be worse: one standard error above the rise.

        Where a few values are far larger than the rest, a small rise says little.
        """
        most = without_few(self.held.rises(after, before))
        squares = (self.held.of(before) * self.held.tensor.norm) ** 2
        if squares == 0.0:
            return math.inf if most.any() else 0.0
        return float(most.sum() + math.sqrt(float((most**2).sum()))) / (2.0 * squares)

    def surely_worse(self, after: Floats, before: Floats) -> bool:
        """Whether predictions are worse than others by more than chance explains."""
        return surely_rises(self.held.rises(after, before))


def judge_of(held: Held | None, target: Target) -> Judge | None:
    """Return who measures fits of a target, if entries are held out."""
    return None if held is None else Judge(held, target)


def without_few(rises: Floats) -> Floats:
    """Return rises of squared errors without the few largest, up or down.

    Where values are large and rare, two or three entries would decide alone.

    Examples
    --------
    >>> float(without_few(np.array([0.5, 9.0, *[0.0] * 28])).sum())
    0.5
    """
    few = min(FEW, len(rises) // ENTRIES_PER_FEW)
    kept: Floats = rises[np.argsort(np.abs(rises), kind="stable")[: len(rises) - few]]
    return kept


def surely_rises(rises: Floats) -> bool:
    """Whether an error rises by more than its scatter over the entries explains."""
    most = without_few(rises)
    return float(most.sum()) > SURELY * math.sqrt(float((most**2).sum()))


def distinct_entries(held: Sequence[Held]) -> int:
    """Return how many entries are held out in one split at least: splits of few entries overlap."""
    if len(held) < 2:
        return sum(each.tensor.nnz for each in held)
    coords = np.concatenate([each.tensor.coords for each in held])
    return len(np.unique(coords, axis=0))


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


def number_of_splits(nnz: int) -> int:
    """Return by how many splits candidates are compared: the more, the fewer entries there are."""
    return min(max(math.ceil(ENOUGH / nnz), 1), FOLDS)


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
        for _ in range(number_of_splits(X.nnz)):
            seed = int(rng.integers(2**32))
            train, test = train_test_split(X, test=held, seed=seed)
            if min(train.norm, test.norm) > 0.0:  # else errors cannot be relative to it
                none = False
                yield train, Held(collected(test))
        if none:
            yield X, None


def sample(X: SparseTensor, rng: np.random.Generator) -> SparseTensor:
    """Return some of many entries, to compare structures on."""
    chosen = np.zeros(X.nnz, dtype=bool)
    chosen[rng.permutation(X.nnz)[:SAMPLE]] = True
    return collected(X.subset(chosen))


def baselines(splits: list[Split]) -> tuple[float, float]:
    """Return the errors of the mean and of mean and biases on the entries held out."""
    alone, biased = Pooled(), Pooled()
    for train, held in splits:
        if held is None:
            continue
        cells = cells_held_out(held.tensor, train)
        biases = fit_offset(train, "biases").values_at(cells.coords, cells.unseen)
        alone.add(held, held.of(np.full(len(cells.coords), train.mean)))
        biased.add(held, held.of(biases))
    return alone.error, biased.error
