"""Candidates, fitted to the entries of each split, and which of them is best."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.noise.candidates import Candidate
from vest_tucker.fitting.noise.held import Pooled, Split
from vest_tucker.fitting.noise.journal import Journal
from vest_tucker.fitting.noise.posterior import Posterior, Target
from vest_tucker.fitting.noise.wanted import Wanted
from vest_tucker.model.offset import Offset

# How much lower an error must be to prefer what has more elements: at least this share of it, and
# this over the root of the number of entries that it is measured on.
BETTER = 0.002
CHANCE = 0.3


@dataclass
class Trial:
    """A candidate, fitted to the entries of each split."""

    candidate: Candidate
    fits: list[Posterior]
    offsets: list[Offset | None]
    error: float
    n_held: int
    journal: Journal
    n_elements: int = field(init=False)
    n_fitted: int = field(init=False)

    def __post_init__(self) -> None:
        self.n_elements = sum(each.parts.n_live for each in self.fits) // len(self.fits)
        self.n_fitted = self.fits[0].target.X.nnz


def expected_error(posterior: Posterior) -> float:
    """Return the error to expect on other entries, of a fit with none held out.

    The noise is what the entries fitted leave for each degree of freedom; each one that elements
    have taken adds as much again.
    """
    priors, X = posterior.priors, posterior.target.X
    return math.sqrt(priors.noise * (X.nnz + priors.taken)) / X.norm


def best_of(trials: list[Trial]) -> Trial:
    """Return the trial of lowest error; of those that are about as good, the one of least size."""
    return min(near_lowest(trials), key=lambda trial: trial.n_elements)


def near_lowest(trials: list[Trial]) -> list[Trial]:
    """Return the trials whose errors are about as low as the lowest."""
    lowest = min(trials, key=lambda trial: trial.error)
    measured_on = lowest.n_held or lowest.n_fitted
    margin = max(BETTER, CHANCE / math.sqrt(measured_on))
    return [trial for trial in trials if not trial.error > (1.0 + margin) * lowest.error]


def only_best_kept(trials: list[Trial]) -> Trial:
    """Return the best trial; fits, which take memory, of those that cannot become it go.

    A trial of lower error than the best is kept: a later one, lower still, may leave the best
    behind and not this one. What is out of reach of the lowest stays so, for that only falls.
    """
    best = best_of(trials)
    needed = [id(each) for each in near_lowest(trials) if each is best or each.error < best.error]
    for trial in trials:
        if id(trial) not in needed:
            trial.fits.clear()
    return best


def try_candidate(
    candidate: Candidate,
    splits: list[Split],
    wanted: Wanted,
    rng: np.random.Generator,
    journal: Journal,
) -> Trial:
    """Fit a candidate to the entries of each split, and measure it on those held out."""
    fits, offsets, n_held, pooled = [], [], 0, Pooled()
    for train, held in splits:
        target, offset = target_of(candidate, train, wanted)
        if wanted.start is None:
            fitted = candidate.fit(target, rng, journal)
        else:
            parts = [each.copy() for each in wanted.start]
            fitted = candidate.fit_again(target, parts, journal)
        fits.append(fitted)
        offsets.append(offset)
        if held is not None:
            pooled.add(held, held.error(fitted.parts, offset, target))
            n_held += held.tensor.nnz
    error = pooled.error if pooled.norms > 0.0 else expected_error(fits[0])
    return Trial(candidate, fits, offsets, error, n_held, journal)


def target_of(
    candidate: Candidate, X: SparseTensor, wanted: Wanted
) -> tuple[Target, Offset | None]:
    """Return what a candidate fits of the entries of a tensor."""
    return candidate.target(X, wanted.threads, wanted.constraints, wanted.allocation)
