"""The plain call: try structures on a part of the entries, prune the best, refit it on all of them.

Nothing is believed unchecked. What is chosen, and how far it is pruned, is decided on entries that
were held out; the summary reports the error on these, beside that of the mean and of biases alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.data.per_row import sum_of_squares
from vest_tucker.data.split import train_test_split
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.noise.bases import make_sparse
from vest_tucker.fitting.noise.candidates import Candidate, first_round, second_round
from vest_tucker.fitting.noise.effects import shares_by_order
from vest_tucker.fitting.noise.posterior import Parts, Posterior, Target
from vest_tucker.fitting.noise.priors import Priors
from vest_tucker.fitting.noise.sparser import Pruned, prune_by_worth, prune_to
from vest_tucker.fitting.noise.tucker import fit_tucker, started
from vest_tucker.fitting.offset import fit_offset
from vest_tucker.model import prediction
from vest_tucker.model.cells import find_cells
from vest_tucker.model.history import IterationRecord
from vest_tucker.model.meaning.importance import Importance
from vest_tucker.model.offset import Offset

FOLDS = 5  # splits by which candidates are compared, at most
ENOUGH = 10_000  # entries in all splits together that are enough to compare by
MANY = 200_000  # entries from which on structures are compared on a part of them
SAMPLE = 60_000
TURNED = 4  # sweeps in a sparse basis before pruning
REFIT = 4  # sweeps on all entries, if there are very many
VERY_MANY = 3_000_000
WARMER = 5  # sweeps on all entries before they are pruned, if there are not
# How much lower an error must be to prefer what has more elements: at least this share of it, and
# this over the root of the number of entries that it is measured on.
BETTER = 0.002
CHANCE = 0.3
MUCH_WORSE = 0.2  # how much larger the error on all entries may be than that on those held out
CLEARLY = 0.01  # how much lower on a part of the entries, to leave effects and pairs out

Split: TypeAlias = "tuple[SparseTensor, Held | None]"


@dataclass(frozen=True)
class Wanted:
    """What the caller asks for.

    Attributes
    ----------
    ranks : tuple of int or None
        At most these; None to find them.
    offset : {"auto", None, "mean", "biases"}
    sparsity : "auto" or float
    allocation : {"global", "per_matrix"}
    constraints : Constraints
    holdout : float
        The share of entries to hold out; 0 for none.
    validation : SparseTensor or None
        Entries to use instead.
    start : list of ndarray or None
        Core and factors to start from.
    threads : int
    """

    ranks: tuple[int, ...] | None
    offset: str | None
    sparsity: float | str
    allocation: str
    constraints: Constraints
    holdout: float
    validation: SparseTensor | None
    start: list[Floats] | None
    threads: int

    @property
    def free(self) -> bool:
        """Whether the structure is for the fit to choose."""
        named = self.constraints.names_elements or self.constraints.nonnegative
        return self.offset == "auto" and not named and self.start is None

    def candidates(self, X: SparseTensor) -> list[Candidate]:
        """Return the structures to compare."""
        if self.start is not None:
            ranks = self.start[0].shape
            offset = None if self.offset == "auto" else self.offset
            return [Candidate("tucker", ranks, offset)]  # type: ignore[arg-type]
        offset = self.offset
        if offset == "auto" and not self.free:
            offset = None
        return list(first_round(X.shape, X.nnz, self.ranks, offset, effects=self.free))


@dataclass
class Held:
    """Entries that are not fitted, and how to measure a model on them."""

    tensor: SparseTensor

    def error(self, parts: Parts, offset: Offset | None, target: Target) -> float:
        """RE of parts on them."""
        X = target.X
        cells = find_cells(self.tensor, X.mode_labels, X.shape, strict=False)
        predicted = prediction.predict(
            parts.core, parts.factors, target.row_amounts, X.mode_labels, cells, unseen="mean",
            threads=target.threads, offset=offset, constant=parts.constant,
        )  # fmt: skip
        return self.of(predicted)

    def of(self, predicted: Floats) -> float:
        """RE of predictions."""
        left = self.tensor.values - predicted
        return math.sqrt(sum_of_squares(left, self.tensor.weights)) / self.tensor.norm


@dataclass
class Journal:
    """What a fit tells while it runs, and the history of the fit that is kept."""

    tell: Callable[[IterationRecord, Posterior], None]
    history: list[IterationRecord] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)
    latest: list[IterationRecord] = field(default_factory=list)
    first: Journal | None = None

    def __call__(self, posterior: Posterior) -> None:
        """Note and tell how a fit stands after a sweep."""
        now = time.perf_counter()
        parts = posterior.parts
        total = parts.n_elements
        share = 1.0 - parts.n_live / total if total else 0.0
        record = IterationRecord(
            iteration=len(self.history) + 1,
            error=posterior.error * posterior.target.norm / posterior.target.X.norm,
            sparsity=share,
            pruned=share,
            prune_rate=0.0,
            seconds=now - self.began,
            validation_error=math.nan,
        )
        self.began = now
        self.history.append(record)
        (self.first or self).latest = self.history
        self.tell(record, posterior)

    def again(self) -> Journal:
        """Return a journal of another fit."""
        return Journal(self.tell, first=self)


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
    lowest = min(trials, key=lambda trial: trial.error)
    measured_on = lowest.n_held or lowest.n_fitted
    margin = max(BETTER, CHANCE / math.sqrt(measured_on))
    near = [trial for trial in trials if not trial.error > (1.0 + margin) * lowest.error]
    return min(near, key=lambda trial: trial.n_elements)


def only_best_kept(trials: list[Trial]) -> Trial:
    """Return the best trial; the fits of the others, which take memory, go."""
    best = best_of(trials)
    for trial in trials:
        if trial is not best:
            trial.fits.clear()
    return best


@dataclass(frozen=True)
class Found:
    """The model that a plain call returns, in parts."""

    parts: Parts
    priors: Priors
    offset: Offset | None
    candidate: Candidate
    error: float
    held_out: float
    mean_error: float
    biases_error: float
    n_held: int
    history: list[IterationRecord]
    shares: list[float]
    ranks_before: tuple[int, ...]
    tried: dict[str, float]
    measured: Importance
    note: str = ""

    @property
    def chosen(self) -> str:
        """What was chosen, and what else was tried, with errors on entries held out."""
        name = f"{self.candidate}, {self.note}" if self.note else str(self.candidate)
        if len(self.tried) < 2:
            return name
        others = [
            f"{name} {error:.4f}"
            for name, error in sorted(self.tried.items(), key=lambda each: each[1])
            if name != str(self.candidate)
        ]
        return f"{name}; also tried: {', '.join(others)}"


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
        splits = list(self.splits())
        few: list[Split] = splits
        tried: dict[str, float] = {}
        if splits[0][0].nnz > MANY:
            few = [(self.sample(splits[0][0]), splits[0][1])]
        trials = self.compare(few)
        if few is not splits:
            tried = {str(trial.candidate): trial.error for trial in reversed(trials)}
            again = self.worth_fitting(trials, splits[0][0])
            trials = []
            for candidate in again:
                trials.append(self.fit(candidate, splits))
                only_best_kept(trials)
        tried |= {str(trial.candidate): trial.error for trial in reversed(trials)}
        return self.finish(best_of(trials), splits, tried)

    # --- Which entries ----------------------------------------------------------------------------

    def splits(self) -> Iterator[Split]:
        """Yield entries to fit and entries held out."""
        wanted, X = self.wanted, self.X
        if wanted.validation is not None:
            yield X, Held(wanted.validation)
        elif wanted.holdout == 0.0 or X.nnz < 10:
            yield X, None
        else:
            held = min(max(round(wanted.holdout * X.nnz), 1), X.nnz - 1)
            none = True
            for _ in range(min(max(math.ceil(ENOUGH / X.nnz), 1), FOLDS)):
                seed = int(self.rng.integers(2**32))
                train, test = train_test_split(X, test=held, seed=seed)
                if min(train.norm, test.norm) > 0.0:  # else errors cannot be relative to it
                    none = False
                    yield train, Held(test)
            if none:
                yield X, None

    def sample(self, X: SparseTensor) -> SparseTensor:
        """Return some of many entries, to compare structures on."""
        chosen = np.zeros(X.nnz, dtype=bool)
        chosen[self.rng.permutation(X.nnz)[:SAMPLE]] = True
        return X.subset(chosen)

    # --- Which structure --------------------------------------------------------------------------

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
        fits, offsets, squares, norms, n_held = [], [], 0.0, 0.0, 0
        journal = self.journal.again()
        for train, held in splits:
            target, offset = self.target_of(candidate, train)
            if self.wanted.start is None:
                fitted = candidate.fit(target, self.rng, journal)
            else:
                parts = [each.copy() for each in self.wanted.start]
                fitted = fit_tucker(started(target, parts, candidate.share), journal, burn_in=2)
            fits.append(fitted)
            offsets.append(offset)
            if held is not None:
                squares += (held.error(fitted.parts, offset, target) * held.tensor.norm) ** 2
                norms += held.tensor.norm**2
            n_held += 0 if held is None else held.tensor.nnz
        error = math.sqrt(squares / norms) if norms > 0.0 else expected_error(fits[0])
        return Trial(candidate, fits, offsets, error, n_held, journal)

    def target_of(self, candidate: Candidate, X: SparseTensor) -> tuple[Target, Offset | None]:
        """Return what a candidate fits of the entries of a tensor."""
        wanted = self.wanted
        return candidate.target(X, wanted.threads, wanted.constraints, wanted.allocation)

    # --- How sparse -------------------------------------------------------------------------------

    def turn(self, posterior: Posterior, journal: Journal) -> None:
        """Turn a fit to a sparse basis, as far as it may be turned."""
        target, constraints = posterior.target, self.wanted.constraints
        modes = [] if posterior.parts.constant else constraints.turnable(target.X.order)
        if not modes:
            return
        make_sparse(posterior.parts, target.row_amounts, target.size, modes, self.rng)
        posterior.solver.values_changed()
        posterior.error = posterior.solver.error()
        posterior.learn(noise=False)
        for _ in range(TURNED):
            posterior.sweep(learn=True)
            journal(posterior)

    def prune(
        self, posterior: Posterior, offset: Offset | None, held: Held | None, journal: Journal
    ) -> Pruned:
        """Prune a fit, in a sparse basis where it may be turned."""
        target, wanted = posterior.target, self.wanted
        self.turn(posterior, journal)

        def error(parts: Parts) -> float:
            assert held is not None
            return held.error(parts, offset, target)

        judge = None if held is None else error
        if wanted.sparsity == "auto":
            return prune_by_worth(posterior, judge, journal)
        return prune_to(posterior, float(wanted.sparsity), judge, journal)

    # --- The model --------------------------------------------------------------------------------

    def finish(
        self,
        best: Trial,
        splits: list[Split],
        tried: dict[str, float],
    ) -> Found:
        """Prune on the entries of the splits, measure, and refit on all entries."""
        first = best.fits[0]
        dense, priors = first.parts.copy(), first.priors.copy()
        squares = norms = 0.0
        sparsities: list[float] = []
        pruned: list[Pruned] = []
        for (_, held), fitted, offset in zip(splits, best.fits, best.offsets, strict=True):
            done = self.sparse(fitted, offset, held, best.journal)
            pruned.append(done)
            sparsities.append(1.0 - done.parts.n_live / max(done.parts.n_elements, 1))
            if held is not None:
                error = held.error(done.parts, offset, fitted.target)
                squares += (error * held.tensor.norm) ** 2
                norms += held.tensor.norm**2
        mean_error, biases_error = self.baselines(splits)
        target, offset = self.target_of(best.candidate, self.X)
        if splits[0][1] is None or target.X.nnz > VERY_MANY or self.wanted.validation is not None:
            posterior = self.resumed(target, pruned[0], first.priors, best.journal)
        else:
            wanted = self.wanted.sparsity
            share = float(np.mean(sparsities) if wanted == "auto" else wanted)
            posterior = self.on_all(target, dense, priors, share, best)
        measured = math.sqrt(squares / norms) if norms > 0.0 else math.nan
        error = posterior.error * target.norm / self.X.norm
        note = ""
        if error > (1.0 + MUCH_WORSE) * measured:  # what was measured must hold of what is returned
            posterior = self.resumed(target, pruned[0], first.priors, best.journal)
            note = f"pruned on a part of the entries, because on all the error became {error:.4f}"
            error = posterior.error * target.norm / self.X.norm
        parts = posterior.parts
        return Found(
            parts, posterior.priors, offset, best.candidate,
            error=error, held_out=measured, note=note,
            mean_error=mean_error, biases_error=biases_error, n_held=best.n_held,
            history=best.journal.history, tried=tried, measured=posterior.measured(),
            shares=shares_by_order(parts, target) if parts.constant else [],
            ranks_before=best.candidate.ranks,
        )  # fmt: skip

    def sparse(
        self, fitted: Posterior, offset: Offset | None, held: Held | None, journal: Journal
    ) -> Pruned:
        """Prune a fit, unless nothing is to be pruned."""
        if self.wanted.sparsity == 0.0:
            return Pruned(fitted.parts.copy(), fitted.masks, fitted.error, math.nan)
        return self.prune(fitted, offset, held, journal)

    def on_all(
        self, target: Target, parts: Parts, priors: Priors, sparsity: float, best: Trial
    ) -> Posterior:
        """Fit a dense model to all entries, and prune it as far as was found to be good."""
        posterior = Posterior(target, parts, priors)
        for _ in range(WARMER):
            posterior.sweep(learn=True)
            best.journal(posterior)
        if sparsity > 0.0:
            self.turn(posterior, best.journal)
            prune_to(posterior, sparsity, None, best.journal)
        return posterior

    def resumed(
        self, target: Target, pruned: Pruned, priors: Priors, journal: Journal
    ) -> Posterior:
        """Go on with what is left on all entries, without learning priors and pruning."""
        posterior = Posterior(target, pruned.parts, priors, pruned.masks)
        for _ in range(REFIT):
            posterior.sweep(learn=False)
            journal(posterior)
        return posterior

    def baselines(self, splits: list[Split]) -> tuple[float, float]:
        """Return the errors of the mean and of mean and biases on the entries held out."""
        squares, norms = np.zeros(2), 0.0
        for train, held in splits:
            if held is None:
                return math.nan, math.nan
            cells = find_cells(held.tensor, train.mode_labels, train.shape, strict=False)
            biases = fit_offset(train, "biases")
            alone = np.full(len(cells.coords), train.mean)
            for k, values in enumerate((alone, biases.values_at(cells.coords, cells.unseen))):
                squares[k] += (held.of(values) * held.tensor.norm) ** 2
            norms += held.tensor.norm**2
        if norms == 0.0:
            return math.nan, math.nan
        mean, biased = np.sqrt(squares / norms).tolist()
        return mean, biased
