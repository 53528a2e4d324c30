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
from vest_tucker.fitting.noise.trials import Trial, best_of, only_best_kept, try_candidate
from vest_tucker.fitting.noise.wanted import Wanted
from vest_tucker.model.history import IterationRecord

MANY = 200_000  # entries from which on structures are compared on a part of them
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
        tried: dict[str, float] = {}
        if splits[0][0].nnz > MANY:
            few = [(sample(splits[0][0], self.rng), splits[0][1])]
        trials = self.compare(few)
        if few is not splits:
            tried = {str(trial.candidate): trial.error for trial in reversed(trials)}
            again = self.worth_fitting(trials, splits[0][0])
            trials = []
            for candidate in again:
                trials.append(self.fit(candidate, splits))
                only_best_kept(trials)
        tried |= {str(trial.candidate): trial.error for trial in reversed(trials)}
        return best_of(trials), splits, tried

    def compare(self, splits: list[Split]) -> list[Trial]:
        """Fit all candidates; return them with their errors on the entries held out."""
        trials: list[Trial] = []
        for candidate in self.wanted.candidates(splits[0][0]):
            trials.append(self.fit(candidate, splits))
            best = only_best_kept(trials)
        if len(trials) > 1 and all(held is not None for _, held in splits):
            for more in second_round(best.candidate):
                trials.append(self.fit(more, splits))
                only_best_kept(trials)
        return trials

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

    def fit(self, candidate: Candidate, splits: list[Split]) -> Trial:
        """Fit a candidate to the entries of each split."""
        return try_candidate(candidate, splits, self.wanted, self.rng, self.journal.again())
