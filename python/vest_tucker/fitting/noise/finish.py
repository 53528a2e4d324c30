"""The candidate that was chosen: pruned on entries of the splits, refitted on all, and measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from vest_tucker.base.telling.steps import step, underway
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.checkpoint.record import beside
from vest_tucker.fitting.noise.bases import balance, make_sparse
from vest_tucker.fitting.noise.candidates import Candidate
from vest_tucker.fitting.noise.held import (
    Held,
    Judge,
    Pooled,
    Split,
    baselines,
    distinct_entries,
    judge_of,
)
from vest_tucker.fitting.noise.interactions.effects import shares_by_order
from vest_tucker.fitting.noise.journal import Journal
from vest_tucker.fitting.noise.posterior import Parts, Posterior, Target
from vest_tucker.fitting.noise.priors import Priors
from vest_tucker.fitting.noise.rows.sweep import may_choose, prune_by_rows
from vest_tucker.fitting.noise.sparser import COSTS, Pruned, prune_by_worth, prune_to, snapshot
from vest_tucker.fitting.noise.sweeping import sweep_often
from vest_tucker.fitting.noise.trials import Trial, sweeps, target_of
from vest_tucker.fitting.noise.wanted import Wanted
from vest_tucker.fitting.progress import zeros
from vest_tucker.model.history import IterationRecord
from vest_tucker.model.meaning.importance import Importance
from vest_tucker.model.offset import Offset

TURNED = 4  # sweeps in a sparse basis before pruning
REFIT = 4  # sweeps on all entries, if there are very many
VERY_MANY = 3_000_000
WARMER = 5  # sweeps on all entries before they are pruned, if there are not
TELLS = 0.045  # a share of an error that n entries do not tell from none, times the root of n
RISKS = 0.01  # by how much rows that choose may make the error larger, as far as can be told
MUCH_WORSE = 0.2  # how much larger the error on all entries may be than that on those held out


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
        return chosen_text(self.candidate, self.note, self.tried, self.held_out)


def chosen_text(
    candidate: Candidate, note: str, tried: dict[str, float], held_out: float = math.nan
) -> str:
    """Say what was chosen, and what else was tried, with errors on entries held out.

    Others are compared before they are pruned, so one of them may have a lower error than what is
    returned, ``held_out``: then the text says why it was not chosen.
    """
    name = f"{candidate}, {note}" if note else str(candidate)
    if len(tried) < 2:
        return name
    others = [
        f"{name} {error:.4f}"
        for name, error in sorted(tried.items(), key=lambda each: each[1])
        if name != str(candidate)
    ]
    lowest = min(error for each, error in tried.items() if each != str(candidate))
    why, own = "", tried.get(str(candidate), math.nan)
    if lowest < held_out and own <= lowest:
        why = f" (before pruning, as this one with {own:.4f})"
    elif lowest < held_out:
        why = " (lower by no more than chance: fewer numbers, or the evidence, decided)"
    return f"{name}; also tried: {', '.join(others)}{why}"


@dataclass
class Finish:
    """What is done with the best trial."""

    X: SparseTensor
    wanted: Wanted
    rng: np.random.Generator
    best: Trial

    @property
    def journal(self) -> Journal:
        """That of the trial."""
        return self.best.journal

    def run(self, splits: list[Split], tried: dict[str, float]) -> Found:
        """Prune on the entries of the splits, measure, and refit on all entries."""
        with beside(self.rng, self.journal.history):
            return self._run(splits, tried)

    def _run(self, splits: list[Split], tried: dict[str, float]) -> Found:
        best, pooled = self.best, Pooled()
        first = best.fits[0]
        dense, priors = first.parts.copy(), first.priors.copy()
        pruned: list[Pruned] = []
        pairs = zip(splits, best.fits, strict=True)
        for number, ((_, held), fitted) in enumerate(pairs, start=1):
            with sweeps("pruning", number, len(splits)):
                pruned.append(self.sparse(fitted, held))
            fitted.rest()
            if held is not None:
                pooled.add(held, pruned[-1].held_out)
        with step("refitting to all entries", unit="sweep"):
            target, offset = target_of(best.candidate, self.X, self.wanted)
            given = self.wanted.validation is not None
            if splits[0][1] is None or target.X.nnz > VERY_MANY or given:
                posterior = self.resumed(target, pruned[0], first.priors)
            else:
                wanted = self.wanted.sparsity
                share = np.mean([each.sparsity for each in pruned]) if wanted == "auto" else wanted
                rows = all(each.by_rows for each in pruned)
                posterior = self.on_all(target, dense, priors, float(share), by_rows=rows)
            note, error = "", posterior.error * target.norm / self.X.norm
            if error > (1.0 + MUCH_WORSE) * pooled.error:  # it must hold of what is returned
                posterior = self.resumed(target, pruned[0], first.priors)
                note = (
                    f"pruned on a part of the entries, because on all the error became {error:.4f}"
                )
                error = posterior.error * target.norm / self.X.norm
        underway().say("measuring what parts carry")
        mean_error, biases_error = baselines(splits)
        parts = posterior.parts
        return Found(
            parts, posterior.priors, offset, best.candidate,
            error=error, held_out=pooled.error, note=note,
            mean_error=mean_error, biases_error=biases_error, n_held=distinct_entries(best.held),
            history=best.journal.history, tried=tried, measured=posterior.measured(),
            shares=shares_by_order(parts, target) if parts.constant else [],
            ranks_before=best.candidate.ranks,
        )  # fmt: skip

    def sparse(self, posterior: Posterior, held: Held | None) -> Pruned:
        """Prune a fit, in a sparse basis where it may be turned, unless nothing is to be pruned."""
        judge, sparsity = judge_of(held, posterior.target), self.wanted.sparsity
        if sparsity == 0.0:
            return snapshot(posterior, math.nan if judge is None else judge.error(posterior.parts))
        self.turn(posterior)
        if sparsity == "auto":
            return self.by_rows(posterior, judge) or prune_by_worth(posterior, judge, self.journal)
        return prune_to(posterior, float(sparsity), judge, self.journal)

    def by_rows(self, posterior: Posterior, judge: Judge | None) -> Pruned | None:
        """Let each row choose its elements; None, and the fit as it was, if that costs anything."""
        if judge is None or not may_choose(posterior):
            return None
        other = posterior.replaced(posterior.parts.copy(), posterior.priors)
        prune_by_rows(other, self.journal)
        before, after = judge.predicted(posterior.parts), judge.predicted(other.parts)
        share = max(COSTS, TELLS / math.sqrt(len(after)))
        costs = judge.costs(after, before, share) and judge.surely_worse(after, before)
        other.rest()  # who is told of fits still has it
        if costs or judge.risk(after, before) > RISKS:
            return None
        found = snapshot(other, judge.held.of(after), by_rows=True)
        underway().say(partial(zeros, found.sparsity, found.held_out))
        return found

    def turn(self, posterior: Posterior) -> bool:
        """Turn a fit to a sparse basis, as far as it may be turned; tell whether it may be."""
        target, constraints = posterior.target, self.wanted.constraints
        modes = [] if posterior.parts.constant else constraints.turnable(target.X.order)
        if not modes:
            return False
        make_sparse(posterior.parts, target.row_amounts, target.size, modes, self.rng)
        balance(posterior.parts, modes)
        posterior.solver.values_changed()
        posterior.error = posterior.solver.error()
        posterior.learn(noise=False)
        sweep_often(posterior, TURNED, self.journal, learn_from=0)
        return True

    def warmed(self, target: Target, parts: Parts, priors: Priors) -> Posterior:
        """Return a fit of all entries that goes on from what a part of them gave."""
        posterior = Posterior(target, parts, priors)
        sweep_often(posterior, WARMER, self.journal, learn_from=0)
        return posterior

    def on_all(
        self, target: Target, parts: Parts, priors: Priors, sparsity: float, *, by_rows: bool
    ) -> Posterior:
        """Fit a dense model to all entries, and prune it as was found to be good."""
        posterior = self.warmed(target, parts, priors)
        if by_rows:
            self.turn(posterior)
            prune_by_rows(posterior, self.journal)
        elif sparsity > 0.0:
            self.turn(posterior)
            prune_to(posterior, sparsity, None, self.journal)
        return posterior

    def resumed(self, target: Target, pruned: Pruned, priors: Priors) -> Posterior:
        """Go on with what is left on all entries, without learning priors and pruning."""
        posterior = Posterior(target, pruned.parts, priors, pruned.masks)
        sweep_often(posterior, REFIT, self.journal)
        return posterior
