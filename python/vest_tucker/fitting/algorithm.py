"""Algorithm 1 of the paper: update, measure, prune, until the error settles."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from vest_tucker import _core
from vest_tucker.base.errors import ClusterError
from vest_tucker.base.types import Floats
from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.checkpoint.record import Loop, loop
from vest_tucker.fitting.early_stopping import HeldOut
from vest_tucker.fitting.engine import finite, make_solver, record_of, update
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.pruning import prune_rate, too_far
from vest_tucker.fitting.schedule import Schedule
from vest_tucker.fitting.starts.start import Start
from vest_tucker.fitting.state import FitState, Phase
from vest_tucker.model.history import IterationRecord


@dataclass(frozen=True)
class Run:
    """What stays the same while a fit runs.

    ``tell`` is called after each iteration; it answers whether the user wants to stop.
    """

    solver: _core.Solver
    problem: Problem
    schedule: Schedule
    lam: float
    held_out: HeldOut | None = None
    tell: Callable[[FitState], bool] = lambda state: False


@stored
@dataclass(frozen=True)
class Outcome:
    """Where a fit from one start has ended: the parts, not yet standardized, and how it went.

    ``judged`` is the error to choose among several by: on entries held back, if there are any.
    ``lam`` is the penalty that was paid.
    """

    core: Floats
    factors: list[Floats]
    error: float
    judged: float
    history: list[IterationRecord]
    stopped: str
    lam: float


def fit_from(
    start: Start,
    problem: Problem,
    lam: float,
    *,
    held_out: HeldOut | None = None,
    tell: Callable[[FitState], bool] = lambda state: False,
    rng: np.random.Generator | None = None,
) -> Outcome:
    """Fit from a start, which becomes the result.

    An interrupt leaves it as it then stands; before the first iteration is complete, and when it is
    the second, it is an ordinary KeyboardInterrupt.
    """
    with loop("iterations") as here:
        state = here.state or FitState(start.core, start.factors, rng=rng)
        solver = resumed_solver(state, problem, start.schedule, lam)
        run = Run(solver, problem, start.schedule, lam, held_out, tell)
        if here.state is None:
            state.phase = first_phase(run)
        return finish(state, run, here)


def resumed_solver(
    state: FitState, problem: Problem, schedule: Schedule, lam: float
) -> _core.Solver:
    """Return a solver that goes on from a state, in its arrays."""
    marks = [each.copy() for each in state.marks]
    solver = make_solver(problem, state, schedule, lam)
    for part, mark in enumerate(marks):
        solver.set_marks(part, mark)
    return solver


def finish(state: FitState, run: Run, here: Loop[FitState]) -> Outcome:
    """Repeat steps until the fit has ended."""
    solver = run.solver
    try:
        while not state.stopped:
            step(state, run)
            if not ended_by_callback(state):  # whoever resumes wants to go on
                here.reached(state)
        here.is_left = ended_by_callback(state)
        error = final_error(solver, state.history)
        if state.best.parts:
            for part, best in zip((state.core, *state.factors), state.best.parts, strict=True):
                np.copyto(part, best)
            error = state.best.own_error
    except KeyboardInterrupt:
        if not state.history:
            raise  # there is nothing but the start
        here.is_left = True
        state.stopped, error = "interrupted", error_left(solver, state.history)
    judged = error
    if run.held_out is not None:  # all starts may end before they are as sparse as wanted
        last = state.history[-1].validation_error
        judged = state.best.error if state.best.parts else last
    return Outcome(state.core, state.factors, error, judged, state.history, state.stopped, run.lam)


def error_left(solver: _core.Solver, history: Sequence[IterationRecord]) -> float:
    """Return the error that an interrupt has left.

    It may have ended those that have the entries, too, as Ctrl-C does on a cluster of processes of
    the same terminal: then that of the last iteration.
    """
    getattr(solver, "hurry", lambda: None)()
    try:
        return solver.error()
    except ClusterError:
        return history[-1].error


def ended_by_callback(state: FitState) -> bool:
    """Tell whether the user has ended the fit."""
    return state.stopped == "callback"


def step(state: FitState, run: Run) -> None:
    """One iteration of Algorithm 1, from one complete state to the next."""
    began = time.perf_counter()
    t, phase = state.iteration + 1, state.phase
    pruning = phase is Phase.PRUNING
    update(run.solver, run.problem, run.schedule, run.lam, t)
    # Responsibilities are by-products of the error.
    error = finite(run.solver.error(judge=pruning), t)
    rate = prune(state, run, error) if pruning else 0.0
    if phase is Phase.SETTLING and t == run.schedule.before_pruning:
        state.phase = pruning_or_refining(run)
    unseen = math.nan if run.held_out is None else run.held_out.error(run.solver)
    seconds = time.perf_counter() - began
    state.history.append(record_of(run.solver, t, error, rate, seconds, unseen))
    if run.tell(state):
        state.stopped = "callback"
    elif phase is Phase.REFINING:
        state.stopped = why_refining_ends(state, run)
    if not state.stopped and t >= run.problem.options.max_iter:
        state.stopped = "max_iter"


def prune(state: FitState, run: Run, error: float) -> float:
    """Prune the least responsible elements, or see that the last batch was one too many."""
    options, pruning = run.problem.options, run.problem.pruning
    t = state.iteration + 1 - run.schedule.before_pruning
    rate = prune_rate(t, options.init_prune_rate, options.max_prune_rate)
    if options.sparsity == "auto" and too_far([*state.errors, error], rate, options.elbow):
        state.phase = Phase.REFINING
        if options.revive:
            run.solver.revive()
    else:
        run.solver.prune(pruning.batch(rate, run.solver))
        state.phase = pruning_or_refining(run)
    return rate


def first_phase(run: Run) -> Phase:
    """Return what the first iteration does."""
    return Phase.SETTLING if run.schedule.before_pruning else pruning_or_refining(run)


def pruning_or_refining(run: Run) -> Phase:
    """Return what comes next: pruning, as long as anything is left to prune."""
    return Phase.PRUNING if run.problem.pruning.goes_on(run.solver) else Phase.REFINING


def why_refining_ends(state: FitState, run: Run) -> str:
    """Return why a fit that no longer prunes ends here; nothing if it goes on."""
    if run.held_out is not None and not run.held_out.look(state, run.problem.options.patience):
        return "validation"
    return "converged" if converged(state.errors, run.problem.options.tol) else ""


def converged(errors: list[float], tol: float | None) -> bool:
    """Tell whether the error still falls, but by no more than ``tol``."""
    return tol is not None and len(errors) > 1 and 0.0 <= errors[-2] - errors[-1] <= tol


def final_error(solver: _core.Solver, history: list[IterationRecord]) -> float:
    """RE of a complete fit: the last one measured, unless elements were pruned after that."""
    return history[-1].error if history[-1].prune_rate == 0.0 else solver.error()
