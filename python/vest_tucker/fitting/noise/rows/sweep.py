"""Sweeps in which every row chooses its elements, until the pattern stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.parts import CORE
from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.checkpoint.record import loop
from vest_tucker.fitting.noise.posterior import Posterior
from vest_tucker.fitting.noise.rows.choice import chosen_elements, price_of_rarity
from vest_tucker.fitting.noise.sparser import REFINE, not_worth
from vest_tucker.fitting.noise.sweeping import sweep_often
from vest_tucker.fitting.noise.tucker import Tell

MOST_SWEEPS = 12
BLOCK = 4096  # rows at a time
MOST_ROWS = 20_000  # of all modes together: more take longer than they are worth


def may_choose(posterior: Posterior) -> bool:
    """Whether rows may choose: elements that somebody speaks of are for others to prune."""
    target = posterior.target
    constraints = target.constraints
    free = not (constraints.names_elements or constraints.nonnegative or posterior.parts.constant)
    return free and target.allocation == "global" and sum(target.X.shape) <= MOST_ROWS


@stored
@dataclass
class Choosing:
    """Where these sweeps stand: how many are done, and which elements the last one has left."""

    posterior: Posterior
    done: int = 0
    pattern: list[NDArray[np.bool_]] = field(default_factory=list)
    over: bool = False


def prune_by_rows(posterior: Posterior, tell: Tell) -> None:
    """Let every row choose among the elements that it has left; priors and noise stay."""
    with loop("rows choose", posterior.target) as here:
        at = here.state or Choosing(posterior)
        posterior.become(at.posterior)
        at.posterior = posterior
        while not at.over:
            choose_all(posterior)
            tell(posterior)
            pattern = [each > 0.0 for each in posterior.parts.variances]
            at.done += 1
            same = bool(at.pattern) and all(map(np.array_equal, at.pattern, pattern))
            at.pattern, at.over = pattern, same or at.done == MOST_SWEEPS
            here.reached(at)
    sweep_often(posterior, REFINE, tell)


def choose_all(posterior: Posterior) -> None:
    """Let the rows of all factors choose in turn, then the core."""
    posterior.priors.tell(posterior.solver)
    for mode in range(posterior.target.X.order):
        choose_rows(posterior, mode)
    choose_core(posterior)
    posterior.sweeps += 1
    posterior.error = posterior.solver.error()


def choose_rows(posterior: Posterior, mode: int) -> None:
    """Give the rows of a factor the elements that are worth it, and their means."""
    solver, parts, priors = posterior.solver, posterior.parts, posterior.priors
    factor, variances = parts.factors[mode], parts.variances[mode + 1]
    precision, price = priors.precision[mode + 1], price_of_rarity(variances > 0.0)
    every = np.arange(len(factor), dtype=np.int32)
    for rows in np.array_split(every, max(1, -(-len(every) // BLOCK))):
        V, b = solver.row_sums(mode, rows)  # zero for elements that are pruned
        means, kept = chosen_elements(V, b, precision, priors.noise, price)
        alone = np.einsum("njj->nj", V) / priors.noise + precision
        factor[rows] = means
        variances[rows] = np.where(kept, 1.0 / alone, 0.0)
    solver.set_pruned(mode + 1, variances == 0.0)
    solver.values_changed()


def choose_core(posterior: Posterior) -> None:
    """Update the core, and prune what is not worth its price."""
    posterior.solver.update_core()
    parts = posterior.parts
    variances = parts.variances[CORE]
    gone = not_worth(parts.core, variances, posterior.priors.precision[CORE]) | (variances == 0.0)
    if np.count_nonzero(~gone):
        parts.core[gone] = variances[gone] = 0.0
        posterior.solver.set_pruned(CORE, gone)
        posterior.solver.values_changed()
