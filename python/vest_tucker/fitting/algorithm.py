"""Algorithm 1 of the paper: update, measure, prune, until the error settles."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vest_tucker import _core
from vest_tucker.base.errors import DivergedError
from vest_tucker.base.types import Floats
from vest_tucker.fitting.early_stopping import Watch
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.pruning import prune_rate, too_far
from vest_tucker.fitting.starts.start import Start
from vest_tucker.model.history import IterationRecord


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
    show: Callable[[IterationRecord], None],
    watch: Watch | None = None,
) -> Outcome:
    """Fit from a start, which becomes the result; an interrupt leaves it as it then stands."""
    core, factors = start.core, start.factors
    solver = problem.solver(start, lam)
    history: list[IterationRecord] = []
    try:
        stopped = repeat(solver, problem, start, lam, history, show, watch)
        error = final_error(solver, history)
        if watch is not None and watch.best_state:
            watch.go_back(core, factors)
            error = watch.own_error
    except KeyboardInterrupt:
        stopped, error = "interrupted", error_as_it_stands(solver)
    judged = error
    if watch is not None:  # all starts may end before they are as sparse as wanted
        unseen = history[-1].validation_error if history else math.inf
        judged = watch.best_error if watch.best_state else unseen
    return Outcome(core, factors, error, judged, history, stopped, lam)


def repeat(
    solver: _core.Solver,
    problem: Problem,
    start: Start,
    lam: float,
    history: list[IterationRecord],
    show: Callable[[IterationRecord], None],
    watch: Watch | None = None,
) -> str:
    """Run the loop of Algorithm 1, one record per complete iteration; return why it ended."""
    options, plan = problem.options, problem.pruning
    errors: list[float] = []
    more = plan.goes_on(solver)
    for t in range(1, options.max_iter + 1):
        began = time.perf_counter()
        pruning = more and t > start.before_pruning
        refining = not more and t > start.before_pruning
        update(solver, problem, start, lam, t)
        errors.append(finite(solver.error(judge=pruning), t))  # responsibilities are by-products

        step = t - start.before_pruning
        rate = prune_rate(step, options.init_prune_rate, options.max_prune_rate) if pruning else 0.0
        if pruning and options.sparsity == "auto" and too_far(errors, rate, options.elbow):
            more = False
            if options.revive:
                solver.revive()  # the last batch was one too many
        elif pruning:
            solver.prune(plan.batch(rate, solver))
            more = plan.goes_on(solver)

        unseen = watch.error(solver) if watch is not None else math.nan
        seconds = time.perf_counter() - began
        history.append(record_of(solver, t, errors[-1], rate, seconds, unseen))
        show(history[-1])
        if asked_to_stop(options.callback, history[-1]):
            return "callback"
        if refining and watch is not None and not watch.look(history[-1], solver):
            return "validation"
        if refining and converged(errors, options.tol):
            return "converged"
    return "max_iter"


def update(solver: _core.Solver, problem: Problem, start: Start, lam: float, t: int) -> None:
    """Lines 4 and 5 of Algorithm 1: the factors in mode order, then the core."""
    for mode in problem.free_modes:
        if start.modes is None or mode in start.modes:
            solver.update_factor(mode)
    if start.updates_core(t) and 0 not in problem.known.fixed:
        if start.core_turns is not None:  # it joins late, and must not upset what has settled
            problem.charge_core(solver, problem.balanced(start, lam))
        solver.update_core()


def converged(errors: list[float], tol: float | None) -> bool:
    """Tell whether the error still falls, but by no more than ``tol``."""
    return tol is not None and len(errors) > 1 and 0.0 <= errors[-2] - errors[-1] <= tol


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


def asked_to_stop(
    callback: Callable[[IterationRecord], object] | None, record: IterationRecord
) -> bool:
    """Call back; only True itself stops, so that a callback may return whatever it happens to."""
    answer = callback(record) if callback is not None else None
    return isinstance(answer, bool | np.bool_) and bool(answer)


def final_error(solver: _core.Solver, history: list[IterationRecord]) -> float:
    """RE of a complete fit: the last one measured, unless elements were pruned after that."""
    return history[-1].error if history[-1].prune_rate == 0.0 else solver.error()


def error_as_it_stands(solver: _core.Solver) -> float:
    """RE of a fit that was interrupted at whatever step."""
    try:
        return solver.error()
    except KeyboardInterrupt:
        return math.nan  # whoever interrupts twice will not wait for it
