"""The plain call: try structures on a part of the entries, prune the best, refit it on all of them.

Nothing is believed unchecked. What is chosen, and how far it is pruned, is decided on entries that
were held out; the summary reports the error on these, beside that of the mean and of biases alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vest_tucker.base.telling.steps import step
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.checkpoint.record import beside, stage
from vest_tucker.fitting.noise.candidates import second_round
from vest_tucker.fitting.noise.finish import Finish, Found
from vest_tucker.fitting.noise.held import MANY, Pooled, Split, sample, splits_of
from vest_tucker.fitting.noise.interactions.triples import may_have_triples
from vest_tucker.fitting.noise.journal import Journal
from vest_tucker.fitting.noise.trials import Trial, Trier, best_alike, best_of, kept, only_kept
from vest_tucker.fitting.noise.wanted import Wanted
from vest_tucker.model.history import IterationRecord

COMPARABLE = 2.5  # errors up to this times the lowest may be the lowest once ranks are reduced
NEAR = 1.5  # triples are tried if the error of pairs is up to this times the lowest
MOST_STARTS = 8  # of a Tucker model once its ranks are known,
MISSES = 2  # until so many in a row found nothing better,
GAINS = 10.0  # by this much evidence
CLEARLY = 0.01  # how much lower on a part of the entries, to leave effects and pairs out


@dataclass
class Search:
    """One plain call."""

    X: SparseTensor
    wanted: Wanted
    rng: np.random.Generator
    journal: Journal
    complete: Trial | None = None  # the best so far, until its own finish is under way
    finishing: bool = False

    @property
    def history(self) -> list[IterationRecord]:
        """The history of the fit that is under way."""
        return self.journal.latest

    def run(self) -> Found:
        """Choose, prune and refit."""
        best, splits, tried = self.choose()
        self.complete, self.finishing = best, True
        return Finish(self.X, self.wanted, self.rng, best).run(splits, tried)

    def choose(self) -> tuple[Trial, list[Split], dict[str, float]]:
        """Return the best structure, fitted to each split, the splits, and all errors by name."""
        splits = list(splits_of(self.X, self.wanted.holdout, self.wanted.validation, self.rng))
        few: list[Split] = splits
        if splits[0][0].nnz > MANY:
            few = [(sample(splits[0][0], self.rng), splits[0][1])]
        trials, best = self.compare(few)
        tried = errors_by_name(trials)
        if few is not splits:
            trials, best = self.compare_again(trials, best, splits)
            tried |= errors_by_name(trials)
        return best, splits, tried

    def compare(self, splits: list[Split]) -> tuple[list[Trial], Trial]:
        """Fit all candidates; return them with their errors on the entries held out, and the best.

        Triples are tried only if pairs are better than effects alone; a Tucker model is tried with
        more and less noise, and its ranks are reduced, only if it is the best, or if it is by all
        evidence: then it is the best if it is so once it is pruned.
        """
        trier = self.on(splits)
        effects, tucker = [], []
        candidates = self.wanted.candidates(splits[0][0])
        with step("comparing structures", len(candidates), "structure") as compared:
            for candidate in candidates:
                if candidate.kind == "tucker":
                    tucker.append(trier.fit(candidate))
                else:
                    effects.append(trier.fit(candidate))
                    only_kept(best_of(kept(effects)), effects)
                self.complete = best_of(kept([*effects, *tucker]))
                lowest = min(each.error for each in [*effects, *tucker])
                compared.advance(words=lowest_so_far(lowest))
        if effects and best_of(kept(effects)).error <= NEAR * lowest:
            effects += self.triples(best_of(kept(effects)), trier)
            only_kept(best_of(kept(effects)), effects)
        best = best_of(kept([*effects, *tucker]))
        several = len(effects) + len(tucker) > 1 and all(held is not None for _, held in splits)
        if best.candidate.kind == "tucker":
            near = [trial for trial in tucker if trial.error <= COMPARABLE * best.error]
            far = [trial for trial in [*effects, *tucker] if trial not in near]
            only_kept(best, far)
            variants, best = self.reduce(near, trier, several=several)
            return [*far, *variants], best
        only_kept(best, effects)
        if several:
            best = self.or_pruned(best, effects, tucker, trier)
        self.complete = best
        return [*effects, *tucker], only_kept(best, tucker)

    def or_pruned(
        self, best: Trial, effects: list[Trial], tucker: list[Trial], trier: Trier
    ) -> Trial:
        """Return effects, or the Tucker model that evidence is for, if it is better once pruned."""
        near = [trial for trial in tucker if trial.error <= COMPARABLE * best.error]
        hope = min(near, key=lambda trial: trial.cost, default=best)
        if hope.cost < best.cost:
            only_kept(hope, tucker)
            variants, found = self.reduce([hope], trier, several=True)
            found.known.error = self.pruned_error(found, trier.splits)
            tucker += variants
            if not best.about_as_good_as(found):  # effects are simpler to read
                return only_kept(found, effects)
        return best

    def reduce(
        self, near: list[Trial], trier: Trier, *, several: bool
    ) -> tuple[list[Trial], Trial]:
        """Return Tucker models with reduced ranks, with other noise at first, too; and the best.

        It is started again from hardly more than the ranks that it has, which takes little time,
        until that is of no use.
        """
        variants: list[Trial] = []
        with step("reducing ranks", len(near), "model") as reduced:
            for trial in near:
                best = self.reduced(trial, variants, trier)
                reduced.advance(words=lowest_so_far(best.error))
        others = list(second_round(best.candidate)) if several else []
        with step("comparing levels of noise", len(others), "level") as compared:
            for more in others:
                best = self.reduced(trier.fit(more), variants, trier)
                compared.advance(words=lowest_so_far(best.error))
        starts = misses = 0
        with step("starting again", MOST_STARTS, "start") as compared:
            while several and starts < MOST_STARTS and misses < MISSES:
                before = best
                best = self.reduced(trier.again(best), variants, trier)
                compared.advance(words=lowest_so_far(best.error))
                starts += 1
                misses = 0 if best.cost < before.cost - GAINS else misses + 1
        return variants, best

    def reduced(self, trial: Trial, variants: list[Trial], trier: Trier) -> Trial:
        """Add a trial with reduced ranks to its variants, in its place; return the best of them."""
        variants.append(trier.reduced(trial))
        self.complete = best = only_kept(best_alike(kept(variants)), variants)
        only_kept(best, [trial])
        return best

    def pruned_error(self, trial: Trial, splits: list[Split]) -> float:
        """Return the error of a trial on the entries held out once it is pruned.

        Where most values are zero, the zeros of a Tucker model are what entries tell of it: a dense
        one may predict worse than effects do, and yet be the right one by all its evidence.
        """
        finish, pooled = Finish(self.X, self.wanted, self.rng, trial), Pooled()

        def error() -> float:
            for (_, held), fitted in zip(splits, trial.fits, strict=True):
                if held is not None:
                    other = fitted.replaced(fitted.parts.copy(), fitted.priors.copy())
                    pooled.add(held, finish.sparse(other, held).held_out)
                    other.rest()
            return pooled.error

        with beside(self.rng, trial.journal.history):
            return stage("pruned to compare", error)

    def triples(self, best: Trial, trier: Trier) -> list[Trial]:
        """Return a trial of triples, if pairs are the best of effects and three modes may join."""
        if best.candidate.has_pairs and not self.wanted.ranks and may_have_triples(self.X.shape):
            return [trier.with_triples(best)]
        return []

    def compare_again(
        self, some: list[Trial], best: Trial, splits: list[Split]
    ) -> tuple[list[Trial], Trial]:
        """Fit to all entries what was best on some of them.

        Some entries tell whether effects and pairs suit the data, or a Tucker model does. Whether
        pairs add anything to effects only all entries tell: each row has too few among some.
        """
        trier = self.on(splits)
        effects = {trial.candidate: trial.error for trial in some}
        effects = {each: error for each, error in effects.items() if each.kind == "effects"}
        lowest = min(effects.values(), default=math.inf)
        if best.candidate.kind == "tucker" and best.error < lowest * (1.0 - CLEARLY):
            return self.tucker_again(some, best, trier)
        trials: list[Trial] = []
        candidates = [
            each for each in self.wanted.candidates(splits[0][0]) if each.kind == "effects"
        ]
        with step("comparing on all entries", len(candidates), "structure") as compared:
            for candidate in candidates:
                trials.append(trier.fit(candidate))
                self.complete = best = only_kept(best_of(kept(trials)), trials)
                compared.advance(words=lowest_so_far(best.error))
        if any(each.triples and error <= lowest for each, error in effects.items()):
            trials += self.triples(best, trier)
        return trials, only_kept(best_of(kept(trials)), trials)

    def tucker_again(
        self, some: list[Trial], best: Trial, trier: Trier
    ) -> tuple[list[Trial], Trial]:
        """Fit to all entries the Tucker models that were near the best on some of them.

        Some entries show few components, and so not around what all that there are fit best.
        """
        near = {best.candidate.offset: best.candidate}
        for trial in sorted(some, key=lambda trial: trial.error):
            if trial.candidate.kind == "tucker" and trial.error <= NEAR * best.error:
                near.setdefault(trial.candidate.offset, trial.candidate)
        variants: list[Trial] = []
        with step("comparing on all entries", len(near), "structure") as compared:
            for candidate in near.values():
                best = self.reduced(trier.fit(candidate), variants, trier)
                compared.advance(words=lowest_so_far(best.error))
        return variants, best

    def on(self, splits: list[Split]) -> Trier:
        """Return who tries candidates on the entries of these splits."""
        return Trier(splits, self.wanted, self.rng, self.journal)


def lowest_so_far(error: float) -> str:
    """Say how good the best of what was compared is."""
    return f"the best {error:.4f}"


def errors_by_name(trials: list[Trial]) -> dict[str, float]:
    """Return the lowest error of the trials of each name."""
    errors: dict[str, float] = {}
    for trial in trials:
        name = str(trial.candidate)
        errors[name] = min(trial.error, errors.get(name, math.inf))
    return errors
