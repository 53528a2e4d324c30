"""Pruning a fit with variances: how far, without an elbow.

An element is worth keeping if what is known of it says more than its prior did: its square over
its variance is above the logarithm of how much narrower the data have made it. Elements below that
are pruned, the least responsible first, with an update after each batch; priors and noise stay as
they were, for those of the survivors alone would be too wide. Where entries are held out, pruning
ends when it costs more than a small share of the error on them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.telling.steps import underway
from vest_tucker.base.types import Floats
from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.checkpoint.record import loop
from vest_tucker.fitting.noise.held import Judge
from vest_tucker.fitting.noise.posterior import Parts, Posterior
from vest_tucker.fitting.noise.sweeping import sweep_often
from vest_tucker.fitting.noise.tucker import Tell
from vest_tucker.fitting.progress import zeros

BATCH = 0.12  # share of the live elements that a batch prunes at most,
LARGE_BATCH = 0.2  # and where there are many, so that there are fewer batches
MANY = 100_000
SMALL = 0.002  # pruning ends where fewer than this share of the live elements are worth nothing
MOST_BATCHES = 60
COSTS = 0.0005  # how much larger the error on entries held out may become, relative to the lowest
PATIENCE = 8  # batches that may cost more than this before pruning ends
STEPS = 16  # batches to a given sparsity
REFINE = 3  # sweeps after the last batch


@stored
@dataclass
class Pruned:
    """A state of pruning: the parts as they stood, which elements are pruned, errors.

    ``by_rows`` tells that each row chose its elements.
    """

    parts: Parts
    masks: list[NDArray[np.bool_]]
    error: float
    held_out: float
    by_rows: bool = False

    @property
    def sparsity(self) -> float:
        """The share of elements that are zero, of those that need not be."""
        return 1.0 - self.parts.n_live / max(self.parts.n_elements, 1)


def sparsest_that_costs_nothing(errors: Sequence[float]) -> int:
    """Return the number of the last model whose error on entries held out is about the lowest.

    Examples
    --------
    >>> sparsest_that_costs_nothing([0.25, 0.2, 0.20005, 0.22])
    2
    """
    most = (1.0 + COSTS) * min(errors)
    return max(number for number, error in enumerate(errors) if error <= most)


def worthless(posterior: Posterior) -> int:
    """Return how many live elements are not worth their price."""
    parts, precisions = posterior.parts, posterior.priors.precision
    each = zip(parts.values, parts.variances, precisions, strict=True)
    return sum(int(np.count_nonzero(not_worth(*some))) for some in each)


def not_worth(values: Floats, variances: Floats, precision: Floats) -> NDArray[np.bool_]:
    """Return which live elements of a part are not worth their price."""
    live = variances > 0.0
    narrowed = np.where(live, precision * variances, 1.0)
    score = np.where(live, values**2, 1.0) / np.where(live, variances, 1.0)
    found: NDArray[np.bool_] = live & (score < -np.log(np.minimum(narrowed, 1.0)))
    return found


@stored
@dataclass
class ByWorth:
    """Where pruning by worth stands: the sparsest state that costs nothing, and the lowest error.

    ``lowest`` are the predictions of entries held out that have it; ``waited`` says for how many
    batches pruning has cost more than it may.
    """

    posterior: Posterior
    best: Pruned
    lowest: Floats
    lowest_error: float
    batches: int = 0
    waited: int = 0
    over: bool = False

    @classmethod
    def begun(cls, posterior: Posterior, judge: Judge | None) -> ByWorth:
        """Return where it begins."""
        lowest, error = np.empty(0), math.nan
        if judge is not None:
            lowest = judge.predicted(posterior.parts)
            error = judge.held.of(lowest)
        return cls(posterior, snapshot(posterior, error), lowest, error)


def prune_by_worth(posterior: Posterior, judge: Judge | None, tell: Tell) -> Pruned:
    """Prune what is not worth its price; return the sparsest state that costs nothing."""
    with loop("pruning", posterior.target) as here:
        at = here.state or ByWorth.begun(posterior, judge)
        posterior.become(at.posterior)
        at.posterior = posterior
        while not at.over:
            prune_a_batch(at, judge, tell)
            here.reached(at)
    if judge is None:
        sweep_often(posterior, REFINE, tell)
        return snapshot(posterior, math.nan)
    best: Pruned = at.best
    return best


def prune_a_batch(at: ByWorth, judge: Judge | None, tell: Tell) -> None:
    """Prune once more, unless next to nothing is worthless, and see what it costs."""
    posterior = at.posterior
    count, live = worthless(posterior), posterior.parts.n_live
    if count <= SMALL * live:
        at.over = True
        return
    share = BATCH if live < MANY else LARGE_BATCH
    posterior.prune(min(count, max(1, int(share * live))))
    posterior.sweep(learn=False, judge=True)
    tell(posterior)
    at.batches += 1
    at.over = at.batches == MOST_BATCHES
    if judge is None:
        return
    predicted = judge.predicted(posterior.parts)
    error = judge.held.of(predicted)
    total = max(posterior.parts.n_elements, 1)
    underway().say(partial(zeros, 1.0 - posterior.parts.n_live / total, error))
    if error < at.lowest_error:
        at.lowest, at.lowest_error = predicted, error
    if not judge.costs(predicted, at.lowest, COSTS):
        at.best, at.waited = snapshot(posterior, error), 0
    else:
        at.waited += 1
        at.over |= at.waited >= PATIENCE


@stored
@dataclass
class ToShare:
    """Where pruning to a share of zeros stands; ``dense`` is how many there were at first."""

    posterior: Posterior
    dense: int
    steps: int = 0


def prune_to(posterior: Posterior, sparsity: float, judge: Judge | None, tell: Tell) -> Pruned:
    """Prune to a share of zeros in equal steps."""
    total = posterior.parts.n_elements
    wanted = math.ceil(sparsity * total)
    with loop("pruning", posterior.target) as here:
        at = here.state or ToShare(posterior, total - posterior.parts.n_live)
        posterior.become(at.posterior)
        at.posterior = posterior
        while at.steps < STEPS:
            at.steps += 1
            goal = at.dense + math.ceil((wanted - at.dense) * at.steps / STEPS)
            count = goal - (total - posterior.parts.n_live)
            if count > 0:
                posterior.prune(count)
            posterior.sweep(learn=False, judge=True)
            tell(posterior)
            here.reached(at)
    sweep_often(posterior, REFINE, tell)
    return snapshot(posterior, math.nan if judge is None else judge.error(posterior.parts))


def snapshot(posterior: Posterior, held_out: float, *, by_rows: bool = False) -> Pruned:
    """Return how a fit stands."""
    return Pruned(posterior.parts.copy(), posterior.masks, posterior.error, held_out, by_rows)
