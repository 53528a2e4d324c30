"""One pruning run of a path: fit, measure and prune, again and again, until little is left."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from vest_tucker import _core
from vest_tucker.base.telling.steps import step
from vest_tucker.fitting.algorithm import resumed_solver
from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.checkpoint.record import loop
from vest_tucker.fitting.early_stopping import HeldOut
from vest_tucker.fitting.engine import finite, record_of, update
from vest_tucker.fitting.penalty import lam_of
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.progress import describe
from vest_tucker.fitting.starts.data import rotated
from vest_tucker.fitting.starts.start import Start
from vest_tucker.fitting.state import FitState
from vest_tucker.model.criterion import description_length
from vest_tucker.model.history import IterationRecord
from vest_tucker.studies.path.snapshot import Snapshot

SHARE_OF_KEPT = 2.5  # a stop prunes at most this times `step` of the elements that are left
EXPLAINS_NOTHING = 0.999  # the error, relative to what the offset leaves, that ends a path


@stored
@dataclass
class Going:
    """Where a pruning run stands."""

    state: FitState
    records: list[IterationRecord] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    spreads: list[float] = field(default_factory=list)
    over: bool = False


@dataclass
class Pruned:
    """A pruning run from one start, with a record and a snapshot of each stop."""

    name: str
    problem: Problem
    start: Start
    held_out: HeldOut | None
    records: list[IterationRecord] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    spreads: list[float] = field(default_factory=list)

    @property
    def lam(self) -> float:
        """The penalty: the one asked for, or the start's own."""
        return lam_of(self.problem, self.start.lam)

    def go(self, share: float, refit: int) -> None:
        """Fit and prune until the plan's end, or until the model explains nothing."""
        plan, start = self.problem.pruning, self.start
        least = 1.0 - sum(plan.limits) / max(1, sum(plan.sizes))
        most = len(expected_stops(share, least))
        with step(f"pruning, {self.name}", most, "stop") as stopping, loop("stops") as here:
            at = here.state or Going(FitState(start.core, start.factors))
            self.records, self.snapshots, self.spreads = at.records, at.snapshots, at.spreads
            core, factors = at.state.core, at.state.factors
            self.start = dataclasses.replace(start, core=core, factors=factors)
            solver = resumed_solver(at.state, self.problem, start.schedule, self.lam)
            while not at.over:
                at.over = self._next(solver, share, refit)
                stopping.advance(words=partial(describe, self.records[-1]))
                here.reached(at)

    def _next(self, solver: _core.Solver, share: float, refit: int) -> bool:
        """Fit, measure, and prune; tell whether it was the last stop."""
        problem, plan, number = self.problem, self.problem.pruning, len(self.records) + 1
        began = time.perf_counter()
        with step(f"stop {number}", refit, "iteration") as refitting:
            for _ in range(refit):
                update(solver, problem, self.start.schedule, self.lam)
                refitting.advance()
        more = plan.goes_on(solver)
        error = finite(solver.error(judge=more), number)
        unseen = self._look()
        batch = plan.batch(share, solver, of_kept=min(1.0, SHARE_OF_KEPT * share))
        rate, seconds = sum(batch) / max(1, sum(plan.sizes)), time.perf_counter() - began
        # Last, so that only complete stops have one.
        self.records.append(record_of(solver, number, error, rate, seconds, unseen))
        if not more or error * problem.X.norm > EXPLAINS_NOTHING * problem.target.norm:
            return True
        solver.prune(batch)
        return False

    def _look(self) -> float:
        """Store a snapshot; return its error on the entries held back."""
        core, factors = self.start.core, self.start.factors
        unseen = spread = math.nan
        if self.held_out is not None:
            unseen, spread = self.held_out.judge(core, factors)
        self.spreads.append(spread)
        self.snapshots.append(Snapshot.of([core, *factors]))
        return unseen

    @property
    def n_parameters(self) -> list[int]:
        """Number of parameters of each stop, those of the offset included."""
        offset = self.problem.offset
        more = 0 if offset is None else offset.n_parameters
        complete = self.snapshots[: len(self.records)]
        return [snapshot.n_nonzero + more for snapshot in complete]

    @property
    def criteria(self) -> list[float]:
        """The criterion at each stop."""
        errors = [record.error for record in self.records]
        lengths = description_length(errors, self.n_parameters, self.problem.X.total_weight)
        return [float(length) for length in lengths]


def bases(
    dense: Start, problem: Problem, basis: str, rng: np.random.Generator
) -> Iterator[tuple[str, Start]]:
    """Yield the starts to prune from, by name; only the plain one if no mode may be rotated."""
    turned = None if basis == "plain" else rotated(dense, problem, rng)
    if turned is not None:
        yield "rotated", turned
    if turned is None or basis == "auto":
        yield "plain", dense


def expected_stops(step: float, least: float) -> list[float]:
    """Return the approximate share of elements that are left at each stop, down to ``least``.

    Examples
    --------
    >>> [round(left, 2) for left in expected_stops(0.1, 0.75)]
    [1.0, 0.9, 0.8, 0.75]
    >>> len(expected_stops(0.02, 0.03))
    82
    """
    left = [1.0]
    while left[-1] > least + 1e-9:
        left.append(max(least, left[-1] - step * min(1.0, SHARE_OF_KEPT * left[-1])))
    return left
