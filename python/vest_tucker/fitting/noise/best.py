"""The plain call: try structures on a part of the entries, prune the best, refit it on all of them.

Nothing is believed unchecked. What is chosen, and how far it is pruned, is decided on entries that
were held out; the summary reports the error on these, beside that of the mean and of biases alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.noise.candidates import Candidate, second_round
from vest_tucker.fitting.noise.finish import Finish, Found
from vest_tucker.fitting.noise.held import Split, sample, splits_of
from vest_tucker.fitting.noise.journal import Journal
from vest_tucker.fitting.noise.trials import Trial, Trier, best_alike, best_of, kept, only_kept
from vest_tucker.fitting.noise.wanted import Wanted
from vest_tucker.model.history import IterationRecord

MANY = 200_000  # entries from which on structures are compared on a part of them
COMPARABLE = 2.5  # errors up to this times the lowest may be the lowest once ranks are reduced
CLEARLY = 0.01  # how much lower on a part of the entries, to leave effects and pairs out


@dataclass
class Search:
    """One plain call."""

    X: SparseTensor
    wanted: Wanted
    rng: np.random.Generator
    journal: Journal

    @property
    def history(self) -> list[IterationRecord]:
        """The history of the fit that is under way."""
        return self.journal.latest

    def run(self) -> Found:
        """Choose, prune and refit."""
        best, splits, tried = self.choose()
        return Finish(self.X, self.wanted, self.rng, best).run(splits, tried)

    def choose(self) -> tuple[Trial, list[Split], dict[str, float]]:
        """Return the best structure, fitted to each split, the splits, and all errors by name."""
        splits = list(splits_of(self.X, self.wanted.holdout, self.wanted.validation, self.rng))
        few: list[Split] = splits
        if splits[0][0].nnz > MANY:
            few = [(sample(splits[0][0], self.rng), splits[0][1])]
        trials, best = self.compare(few)
        tried = {str(trial.candidate): trial.error for trial in reversed(trials)}
        if few is not splits:
            again, trials = self.worth_fitting(trials, splits[0][0]), []
            for candidate in again:
                trials.append(self.on(splits).fit(candidate))
                best = only_kept(best_of(kept(trials)), trials)
            tried |= {str(trial.candidate): trial.error for trial in reversed(trials)}
        return best, splits, tried

    def compare(self, splits: list[Split]) -> tuple[list[Trial], Trial]:
        """Fit all candidates; return them with their errors on the entries held out, and the best.

        A Tucker model is tried with more and less noise, and its ranks are reduced, only if it is
        the best.
        """
        trier = self.on(splits)
        candidates = self.wanted.candidates(splits[0][0])
        effects, tucker = [], []
        for candidate in candidates:
            if candidate.kind == "tucker":
                tucker.append(trier.fit(candidate))
            else:
                effects.append(trier.fit(candidate))
                only_kept(best_of(kept(effects)), effects)
        best = best_of(kept([*effects, *tucker]))
        if best.candidate.kind != "tucker":
            return [*effects, *tucker], only_kept(best, tucker)
        near = [trial for trial in tucker if trial.error <= COMPARABLE * best.error]
        far = [trial for trial in [*effects, *tucker] if trial not in near]
        only_kept(best, far)
        variants: list[Trial] = []
        for trial in near:
            variants.append(trier.reduced(trial))
            best = only_kept(best_alike(kept(variants)), variants)
        if len(candidates) > 1 and all(held is not None for _, held in splits):
            for more in second_round(best.candidate):
                variants.append(trier.reduced(trier.fit(more)))
                best = only_kept(best_alike(kept(variants)), variants)
        return [*far, *variants], best

    def worth_fitting(self, trials: list[Trial], X: SparseTensor) -> list[Candidate]:
        """Return the candidates for all entries, after trials on some of them.

        Some entries tell whether effects and pairs suit the data, or a Tucker model does. Whether
        pairs add anything to effects only all entries tell: each row has too few among some.
        """
        effects = [trial.error for trial in trials if trial.candidate.kind == "effects"]
        others = [trial for trial in trials if trial.candidate.kind != "effects"]
        if others and (not effects or best_of(others).error < min(effects) * (1.0 - CLEARLY)):
            return [best_of(others).candidate]
        return [each for each in self.wanted.candidates(X) if each.kind == "effects"]

    def on(self, splits: list[Split]) -> Trier:
        """Return who tries candidates on the entries of these splits."""
        return Trier(splits, self.wanted, self.rng, self.journal)
