"""The solver of a problem: the one place where a problem meets the compiled core."""

from __future__ import annotations

from vest_tucker import _core
from vest_tucker.base.options import ALLOCATIONS, loss_kind
from vest_tucker.fitting.penalty import charge, lam_scale
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.schedule import Schedule
from vest_tucker.fitting.state import FitState


def make_solver(problem: Problem, state: FitState, schedule: Schedule, lam: float) -> _core.Solver:
    """Make a solver that works in the arrays of a state, which sees its marks from then on."""
    core, factors, options = state.core, state.factors, problem.options
    constraints = problem.constraints.and_also(schedule.constraints)
    if problem.nothing_left:
        core.fill(0.0)  # from zero nothing grows
    constraints.impose_on(core, factors)
    solver = _core.Solver(
        problem.target, core, factors, loss=loss_kind(options.loss).solver,
        lam=lam_scale(problem) * lam, threads=options.threads,
        allocation=ALLOCATIONS[options.allocation], norm=problem.X.norm,
    )  # fmt: skip
    charge(solver, problem, lam)
    constraints.apply_to(solver)
    state.marks = [solver.marks(part) for part in range(problem.X.order + 1)]
    return solver
