"""One sweep of updates, and what is told of it: for Algorithm 1, for paths and for burn-ins."""

from __future__ import annotations

import math

from vest_tucker import _core
from vest_tucker.base.errors import DivergedError
from vest_tucker.base.parts import CORE
from vest_tucker.fitting.penalty import balanced_core_lam, charge_core
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.schedule import Schedule
from vest_tucker.model.history import IterationRecord


def update(
    solver: _core.Solver, problem: Problem, schedule: Schedule, lam: float, t: int = 1
) -> None:
    """Lines 4 and 5 of Algorithm 1: the factors in mode order, then the core."""
    for mode in problem.free_modes:
        if schedule.updates_factor(mode):
            solver.update_factor(mode)
    if schedule.updates_core(t) and CORE not in problem.constraints.fixed:
        if schedule.core_joins_late:  # its penalty keeps its scale that of the factors
            factors = [solver.factor(mode) for mode in range(solver.order)]
            modes = schedule.modes or range(solver.order)
            charge_core(solver, problem, balanced_core_lam(problem, factors, modes, lam))
        solver.update_core()


def finite(error: float, t: int) -> float:
    """Return the error of iteration ``t``, provided that it is a number."""
    if not math.isfinite(error):
        raise DivergedError(
            f"the error became {error} in iteration {t}; scale the values to a magnitude near 1, "
            f"or raise lam"
        )
    return error


def record_of(
    solver: _core.Solver,
    t: int,
    error: float,
    rate: float,
    seconds: float,
    validation_error: float,
) -> IterationRecord:
    """Sum up iteration ``t`` as it has just ended."""
    total = sum(solver.sizes)
    return IterationRecord(
        iteration=t,
        error=error,
        sparsity=sum(solver.n_zeros) / total,
        pruned=sum(solver.n_pruned) / total,
        prune_rate=rate,
        seconds=seconds,
        validation_error=validation_error,
    )
