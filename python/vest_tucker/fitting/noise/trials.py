"""Candidates, fitted to the entries of each split, and which of them is best."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from vest_tucker.base.telling.steps import Step, step
from vest_tucker.base.types import Floats
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.checkpoint.record import Kept, beside, stage
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


@stored
@dataclass
class Known:
    """What is known of a trial without its fits.

    Attributes
    ----------
    error : float
    predicted : list of ndarray
        Predictions of the entries held out, for each split that has some.
    n_elements, n_fitted : int
    cost, noise : float
    """

    error: float
    predicted: list[Floats]
    n_elements: int
    n_fitted: int
    cost: float
    noise: float

    @classmethod
    def of(
        cls, fits: list[Posterior], targets: Targets, error: float, predicted: list[Floats]
    ) -> Known:
        """Look at the fits of a trial."""
        sizes = [each.parts.n_live for each in fits]
        sizes += [0 if offset is None else offset.n_parameters for _, offset in targets]
        noise = sum(each.priors.noise for each in fits) / len(fits)
        cost, n_fitted = sum(map(total_cost, fits)), fits[0].target.X.nnz
        return cls(error, predicted, sum(sizes) // len(fits), n_fitted, cost, noise)


@dataclass
class Trial:
    """A candidate, fitted to the entries of each split, with predictions of those held out.

    A trial that was let go has no fits. If a call goes on from a checkpoint that was written after
    that, the trial has none from the start: what is known of it is all that is asked for again.
    """

    candidate: Candidate
    targets: Targets
    fits: list[Posterior]
    known: Known
    held: list[Held]
    journal: Journal
    where: Kept = field(default_factory=Kept)
    is_gone: bool = False

    @property
    def error(self) -> float:
        """The error on the entries held out, or the one to expect there."""
        return self.known.error

    @property
    def predicted(self) -> list[Floats]:
        """What is predicted of the entries held out."""
        return self.known.predicted

    @property
    def n_elements(self) -> int:
        """How many elements are not zero, in the fit to a split."""
        return self.known.n_elements

    @property
    def cost(self) -> float:
        """What the evidence lacks, in all splits together."""
        return self.known.cost

    @property
    def n_fitted(self) -> int:
        """How many entries are fitted."""
        return self.known.n_fitted

    def let_go(self) -> None:
        """Forget the fits, which take memory, here and in a checkpoint."""
        if not self.is_gone:
            self.is_gone = True
            self.fits.clear()
            self.targets = []
            self.where.change(lambda stored: {**stored, "fits": []})

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
        lost = float(without_few(rises).sum()) / max(self.known.noise, LEAST)
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
    return [trial for trial in trials if not trial.is_gone]


def only_kept(best: Trial, trials: list[Trial]) -> Trial:
    """Return the best trial; the fits of the others, which take memory, go."""
    for trial in trials:
        if trial is not best:
            trial.let_go()
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
        held = [each for _, each in self.splits if each is not None]
        where = Kept()

        def all_fits() -> Trial:
            fits = []
            for number, (target, _) in enumerate(targets):
                with sweeps(title, number + 1, len(targets)):
                    fits.append(fitted(number, target))
                fits[-1].rest()
            known = self.measured(fits, targets)
            return Trial(candidate, targets, fits, known, held, journal, where)

        def keep(trial: Trial) -> dict[str, Any]:
            return {"fits": [each.to_store() for each in trial.fits], "known": trial.known}

        def back(was: dict[str, Any]) -> Trial:
            both = zip(was["fits"], targets, strict=bool(was["fits"]))
            fits = [Posterior.at_rest(each, target) for each, (target, _) in both]
            return Trial(candidate, targets, fits, was["known"], held, journal, where)

        with beside(self.rng, journal.history):
            return stage(title, all_fits, keep=keep, back=back, kept=where)

    def measured(self, fits: list[Posterior], targets: Targets) -> Known:
        """Return what is known of fits, with their error on the entries held out."""
        pooled, predicted = Pooled(), []
        for (_, held), fitted in zip(self.splits, fits, strict=True):
            if held is not None:
                predicted.append(Judge(held, fitted.target).predicted(fitted.parts))
                pooled.add(held, held.of(predicted[-1]))
        error = pooled.error if pooled.norms > 0.0 else expected_error(fits[0])
        return Known.of(fits, targets, error, predicted)


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
