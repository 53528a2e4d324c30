"""Walks of fits with variances, from dense to sparse, and the errors on entries held out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from vest_tucker.base.telling.steps import step
from vest_tucker.base.types import Floats
from vest_tucker.data.per_row import sum_of_squares
from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.checkpoint.record import loop
from vest_tucker.fitting.early_stopping import spread_of_squares
from vest_tucker.fitting.noise.held import Held, Judge
from vest_tucker.fitting.noise.posterior import Posterior
from vest_tucker.model.history import IterationRecord
from vest_tucker.studies.path.prune_down import EXPLAINS_NOTHING

T = TypeVar("T")


@dataclass(frozen=True)
class Unseen:
    """Sums of squares over the entries held out of one or more splits, at each stop.

    Attributes
    ----------
    squares, spreads : ndarray, shape (stops,)
        Squared residuals, and the standard errors of these sums.
    norm2 : float
        The squared values.
    """

    squares: Floats
    spreads: Floats
    norm2: float

    @classmethod
    def of(cls, found: Sequence[tuple[float, float]], norm2: float) -> Unseen:
        """Return the sums of one split from pairs of a sum and its standard error."""
        squares, spreads = np.array(found).T
        return cls(squares, spreads, norm2)

    @classmethod
    def together(cls, several: Sequence[Unseen]) -> Unseen:
        """Return the sums over several splits; one that ended early stays as it was."""
        longest = max(len(each.squares) for each in several)

        def total(columns: list[Floats]) -> Floats:
            padded = [np.pad(each, (0, longest - len(each)), mode="edge") for each in columns]
            summed: Floats = np.sum(padded, axis=0)
            return summed

        return cls(
            total([each.squares for each in several]),
            np.sqrt(total([each.spreads**2 for each in several])),
            sum(each.norm2 for each in several),
        )

    @property
    def errors(self) -> Floats:
        """RE at each stop."""
        found: Floats = np.sqrt(self.squares / self.norm2)
        return found

    @property
    def spreads_of_squared_errors(self) -> Floats:
        """Standard errors of the squares of these."""
        return self.spreads / self.norm2


@stored
@dataclass
class Walked:
    """Where a walk stands.

    Attributes
    ----------
    posterior : Posterior
        The fit, dense at first.
    live : int
        How many elements were not zero at the last stop.
    done : int
        How many stops there were.
    over : bool
        Whether there are no more.
    found : list of (float, float)
        For each stop, the sum of squared residuals on entries held out, and its standard error.
    kept
        What whoever walks has kept so far.
    """

    posterior: Posterior
    live: int
    done: int = 0
    over: bool = False
    found: list[tuple[float, float]] = field(default_factory=list)
    kept: Any = None


@dataclass
class Walk:
    """The path of one fit, from dense to sparse.

    Attributes
    ----------
    posterior : Posterior
        The fit, dense at first.
    stops : list of float
        The share of elements that is left at each stop.
    refit : int
        Sweeps at each stop.
    held : Held or None
        Entries to measure each stop on.
    found : list of (float, float)
        For each stop, the sum of squared residuals on these, and its standard error.
    kept
        What whoever walks has kept so far.
    """

    posterior: Posterior
    stops: Sequence[float]
    refit: int
    held: Held | None
    found: list[tuple[float, float]] = field(default_factory=list)
    kept: Any = None

    def go(self, kept: T, look: Callable[[IterationRecord, T], bool]) -> T:
        """Prune to each share in turn, refit, measure, and have each stop looked at.

        ``look`` is given how the fit stands and what is kept, which it adds to; it tells whether
        the walk ends there.
        """
        with loop("stops", self.posterior.target) as here:
            at = here.state or Walked(self.posterior, self.posterior.parts.n_live, kept=kept)
            self.posterior.become(at.posterior)
            at.posterior, self.found, self.kept = self.posterior, at.found, at.kept
            while not at.over:
                record = self._next(at)
                at.over = record is None or look(record, at.kept) or at.done == len(self.stops)
                here.reached(at)
        found: T = at.kept
        return found

    def _next(self, at: Walked) -> IterationRecord | None:
        """Go to the next stop; None if what is left is never pruned."""
        posterior, total = self.posterior, max(self.posterior.parts.n_elements, 1)
        began = time.perf_counter()
        count = posterior.parts.n_live - math.floor(self.stops[at.done] * total)
        if at.done > 0:
            if not sum(posterior.solver.n_free):
                return None
            posterior.prune(max(count, 0))
        with step(f"stop {at.done + 1}", self.refit, "sweep") as refitting:
            for sweep in range(1, self.refit + 1):
                posterior.sweep(learn=False, judge=sweep == self.refit)
                refitting.advance()
        if self.held is not None:
            at.found.append(self._measured(self.held))
        rate, at.live = (at.live - posterior.parts.n_live) / total, posterior.parts.n_live
        at.done += 1
        return self._record(at.done, 1.0 - at.live / total, rate, time.perf_counter() - began)

    def _measured(self, held: Held) -> tuple[float, float]:
        target, X = self.posterior.target, held.tensor
        left = X.values - Judge(held, target).predicted(self.posterior.parts)
        return sum_of_squares(left, X.weights), spread_of_squares(left, X.weights)

    def _record(self, number: int, pruned: float, rate: float, seconds: float) -> IterationRecord:
        target = self.posterior.target
        error = self.posterior.error * target.norm / target.X.norm
        return IterationRecord(number, error, pruned, pruned, rate, seconds)

    @property
    def explains_nothing(self) -> bool:
        """Whether the fit leaves as much as what was taken off the values first does."""
        return self.posterior.error > EXPLAINS_NOTHING

    @property
    def unseen(self) -> Unseen:
        """The errors on the entries held out so far."""
        assert self.held is not None
        return Unseen.of(self.found, self.held.tensor.norm**2)
