"""The compiled core at work on a problem: its solver, one sweep of updates, what it left.

Algorithm 1, paths and burn-ins all drive it through these functions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from vest_tucker import _core
from vest_tucker.base.errors import DivergedError
from vest_tucker.base.interrupts import RUNNING
from vest_tucker.base.options import ALLOCATIONS, penalty_kind
from vest_tucker.base.parts import CORE
from vest_tucker.base.types import Floats
from vest_tucker.fitting.penalty import balanced_core_lam, charge, charge_core, lam_scale
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.schedule import Schedule
from vest_tucker.fitting.shards.entries import solver_on
from vest_tucker.fitting.state import FitState
from vest_tucker.model.history import IterationRecord


def make_solver(problem: Problem, state: FitState, schedule: Schedule, lam: float) -> _core.Solver:
    """Make a solver that works in the arrays of a state, which sees its marks from then on."""
    core, factors, options = state.core, state.factors, problem.options
    constraints = problem.constraints.and_also(schedule.constraints)
    if problem.nothing_left:
        core.fill(0.0)  # from zero nothing grows
    constraints.impose_on(core, factors)
    solver = solver_on(
        problem.plan.made, core, factors, kind=penalty_kind(options.penalty).penalty,
        lam=lam_scale(problem) * lam, threads=options.threads,
        allocation=ALLOCATIONS[options.allocation], norm=problem.X.norm,
    )  # fmt: skip
    charge(solver, problem, lam)
    constraints.apply_to(solver)
    state.marks = [solver.marks(part) for part in range(problem.X.order + 1)]
    return solver


def plain_solver(problem: Problem, core: Floats, factors: Sequence[Floats]) -> _core.Solver:
    """Make a solver that measures parts, and changes nothing."""
    options = problem.options
    return solver_on(
        problem.plan.made, core, factors, kind=_core.PenaltyKind.LF, lam=0.0,
        threads=options.threads, norm=problem.X.norm,
    )  # fmt: skip


def update(
    solver: _core.Solver, problem: Problem, schedule: Schedule, lam: float, t: int = 1
) -> None:
    """Lines 4 and 5 of Algorithm 1: the factors in mode order, then the core."""
    RUNNING.check()
    solver.update_factors([each for each in problem.free_modes if schedule.updates_factor(each)])
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
