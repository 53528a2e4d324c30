"""Candidates, fitted to the entries of each split, and which of them is best."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from vest_tucker.base.telling.steps import Step, step
from vest_tucker.base.types import Floats
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.checkpoint.record import beside, stage
from vest_tucker.fitting.noise.candidates import SHARES, Candidate
from vest_tucker.fitting.noise.held import (
    Held,
    Judge,
    Pooled,
    Split,
    judge_of,
    surely_rises,
    without_few,
)
from vest_tucker.fitting.noise.interactions.triples import fit_triples, with_triples
from vest_tucker.fitting.noise.journal import Journal
from vest_tucker.fitting.noise.posterior import LEAST, Parts, Posterior, Target
from vest_tucker.fitting.noise.tucker import Veto, reduce_ranks
from vest_tucker.fitting.noise.wanted import Wanted
from vest_tucker.model.offset import Offset

# How much lower an error must be to prefer what has more elements: at least this share of it, and
# this over the root of the number of entries that it is measured on.
BETTER = 0.002
CHANCE = 0.3
OUTWEIGHS = 10.0  # how much more evidence must be for a model than entries held out are against it


Targets: TypeAlias = list[tuple[Target, Offset | None]]


@dataclass
class Trial:
    """A candidate, fitted to the entries of each split, with predictions of those held out."""

    candidate: Candidate
    fits: list[Posterior]
    offsets: list[Offset | None]
    error: float
    held: list[Held]
    predicted: list[Floats]
    journal: Journal
    n_elements: int = field(init=False)
    n_fitted: int = field(init=False)
    cost: float = field(init=False)
    noise: float = field(init=False)

    def __post_init__(self) -> None:
        sizes = [each.parts.n_live for each in self.fits]
        sizes += [0 if each is None else each.n_parameters for each in self.offsets]
        self.n_elements = sum(sizes) // len(self.fits)
        self.n_fitted = self.fits[0].target.X.nnz
        self.cost = sum(map(total_cost, self.fits))
        self.noise = sum(each.priors.noise for each in self.fits) / len(self.fits)

    @property
    def targets(self) -> Targets:
        """What was fitted to the entries of each split, and what was taken off their values."""
        return [(fit.target, offset) for fit, offset in zip(self.fits, self.offsets, strict=True)]

    @property
    def n_held(self) -> int:
        """How many entries are held out, in all splits together."""
        return sum(each.tensor.nnz for each in self.held)

    def about_as_good_as(self, other: Trial) -> bool:
        """Whether its error is not larger by more than the margin."""
        measured_on = other.n_held or other.n_fitted
        margin = max(BETTER, CHANCE / math.sqrt(measured_on))
        return not self.error > (1.0 + margin) * other.error

    def surely_worse_than(self, other: Trial) -> bool:
        """Whether its error is larger by more than chance explains, and by what evidence outweighs.

        Squared errors on entries held out, in units of the noise, are evidence as well: together
        with that of the entries fitted, the evidence of all. As the latter is rough, it must be
        larger by far.
        """
        if not self.held:
            return not self.about_as_good_as(other)
        pairs = zip(self.held, self.predicted, other.predicted, strict=True)
        rises = np.concatenate([held.rises(mine, theirs) for held, mine, theirs in pairs])
        lost = float(without_few(rises).sum()) / max(self.noise, LEAST)
        return surely_rises(rises) and OUTWEIGHS * lost > other.cost - self.cost


def total_cost(posterior: Posterior) -> float:
    """Return what a fit costs, its offset included: what its evidence lacks."""
    X, offset = posterior.target.X, posterior.target.offset
    priced = 0 if offset is None else offset.n_parameters
    entries_each = X.order * X.nnz / sum(X.shape)
    return posterior.cost + priced * math.log(max(entries_each, 1.0))


def expected_error(posterior: Posterior) -> float:
    """Return the error to expect on other entries, of a fit with none held out.

    The noise is what the entries fitted leave for each degree of freedom; each one that elements
    have taken adds as much again.
    """
    priors, X = posterior.priors, posterior.target.X
    return math.sqrt(priors.noise * (X.nnz + max(priors.taken, 0.0))) / X.norm


def best_of(trials: list[Trial]) -> Trial:
    """Return the trial of lowest error; of those that are about as good, the one of least size."""
    lowest = min(trials, key=lambda trial: trial.error)
    near = [trial for trial in trials if trial.about_as_good_as(lowest)]
    return min(near, key=lambda trial: trial.n_elements)


def best_alike(trials: list[Trial]) -> Trial:
    """Return the best of models that differ in ranks and offset alone.

    The evidence decides between those whose error is not the larger one for sure: it knows all
    entries fitted, where a few that are held out may decide an error.
    """
    lowest = min(trials, key=lambda trial: trial.error)
    near = [trial for trial in trials if not trial.surely_worse_than(lowest)]
    return min(near, key=lambda trial: trial.cost)


def kept(trials: list[Trial]) -> list[Trial]:
    """Return the trials that `only_kept` has not let go: what is chosen must still be there.

    Of three trials, the smallest may be best beside the first and yet too far from the third, when
    the first, let go meanwhile, would be best.
    """
    return [trial for trial in trials if trial.fits]


def only_kept(best: Trial, trials: list[Trial]) -> Trial:
    """Return the best trial; the fits of the others, which take memory, go."""
    for trial in trials:
        if trial is not best:
            trial.fits.clear()
    return best


@dataclass
class Trier:
    """Tries candidates on the entries of the splits."""

    splits: list[Split]
    wanted: Wanted
    rng: np.random.Generator
    journal: Journal

    def fit(self, candidate: Candidate) -> Trial:
        """Fit a candidate to the entries of each split, and measure it on those held out."""
        targets = [target_of(candidate, train, self.wanted) for train, _ in self.splits]
        journal = self.journal.again()

        def fitted(number: int, target: Target) -> Posterior:
            if self.wanted.start is None:
                return candidate.fit(target, self.rng, journal)
            parts = [each.copy() for each in self.wanted.start]
            return candidate.fit_again(target, parts, journal)

        return self.trial(str(candidate), candidate, targets, journal, fitted)

    def reduced(self, trial: Trial) -> Trial:
        """Return a trial of a Tucker model without the components that it does as well without."""

        def fitted(number: int, target: Target) -> Posterior:
            judge = judge_of(self.splits[number][1], target)
            return reduce_ranks(trial.fits[number], trial.journal, veto_of(judge))

        title = f"{trial.candidate}, fewer components"
        return self.trial(title, trial.candidate, trial.targets, trial.journal, fitted)

    def again(self, trial: Trial) -> Trial:
        """Return a trial of a Tucker model that starts anew, with one component more in each mode.

        A start that assumes much noise finds what is strong first, and few ranks take little time.
        """
        candidate = dataclasses.replace(trial.candidate, share=max(SHARES))
        journal = self.journal.again()

        def fitted(number: int, target: Target) -> Posterior:
            pairs = zip(trial.fits[number].parts.ranks, candidate.ranks, strict=True)
            ranks = tuple(min(rank + 1, most) for rank, most in pairs)
            start = dataclasses.replace(candidate, ranks=ranks)
            return start.fit(target, self.rng, journal)

        return self.trial(str(candidate), candidate, trial.targets, journal, fitted)

    def with_triples(self, trial: Trial) -> Trial:
        """Return a trial of mean, effects and pairs that goes on with triples."""
        candidate = dataclasses.replace(trial.candidate, triples=True)
        journal = self.journal.again()

        def fitted(number: int, target: Target) -> Posterior:
            more = with_triples(trial.fits[number], self.wanted.ranks, self.rng)
            return fit_triples(more, journal)

        return self.trial(str(candidate), candidate, trial.targets, journal, fitted)

    def trial(
        self,
        title: str,
        candidate: Candidate,
        targets: Targets,
        journal: Journal,
        fitted: Callable[[int, Target], Posterior],
    ) -> Trial:
        """Return a trial of the fits to each split, and its error."""

        def all_fits() -> list[Posterior]:
            fits = []
            for number, (target, _) in enumerate(targets):
                with sweeps(title, number + 1, len(targets)):
                    fits.append(fitted(number, target))
                fits[-1].rest()
            return fits

        with beside(self.rng, journal.history):
            fits = stage(
                title,
                all_fits,
                keep=lambda fits: [each.to_store() for each in fits],
                back=lambda kept: [
                    Posterior.at_rest(each, target)
                    for each, (target, _) in zip(kept, targets, strict=True)
                ],
            )
        return self.measured(candidate, fits, [offset for _, offset in targets], journal)

    def measured(
        self,
        candidate: Candidate,
        fits: list[Posterior],
        offsets: list[Offset | None],
        journal: Journal,
    ) -> Trial:
        """Return a trial with its error on the entries held out."""
        pooled, measured, predicted = Pooled(), [], []
        for (_, held), fitted in zip(self.splits, fits, strict=True):
            if held is not None:
                measured.append(held)
                predicted.append(Judge(held, fitted.target).predicted(fitted.parts))
                pooled.add(held, held.of(predicted[-1]))
        error = pooled.error if pooled.norms > 0.0 else expected_error(fits[0])
        return Trial(candidate, fits, offsets, error, measured, predicted, journal)


def sweeps(what: str, number: int, of: int) -> Step:
    """Return the step of a fit to the entries of one of so many splits."""
    return step(f"{what}, split {number} of {of}" if of > 1 else what, unit="sweep")


def veto_of(judge: Judge | None) -> Veto | None:
    """Return an objection to parts that entries held out say are worse than others."""
    if judge is None:
        return None

    def veto(before: Parts, after: Parts) -> bool:
        one, other = judge.predicted(before), judge.predicted(after)
        return judge.surely_worse(other, one)

    return veto


def target_of(
    candidate: Candidate, X: SparseTensor, wanted: Wanted
) -> tuple[Target, Offset | None]:
    """Return what a candidate fits of the entries of a tensor."""
    return candidate.target(X, wanted.threads, wanted.constraints, wanted.allocation)
