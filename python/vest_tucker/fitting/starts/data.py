"""The start that the data make: several short fits from random numbers, the best one settled.

A random start needs a hundred iterations to come near what the data hold, if it comes there at
all. Penalties on the data's own scale, which first hold back what is weak and then follow the
noise, and the canonical form between updates get there in twenty.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterator

import numpy as np

from vest_tucker import _core
from vest_tucker.base.types import Floats
from vest_tucker.fitting.basis.canonical import make_canonical
from vest_tucker.fitting.basis.sparse import rotate
from vest_tucker.fitting.engine import finite, make_solver, record_of, update
from vest_tucker.fitting.penalty import Scale, charge, lam_scale
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.progress import Progress
from vest_tucker.fitting.schedule import Schedule
from vest_tucker.fitting.starts.random import random_start, sized_start
from vest_tucker.fitting.starts.start import Start, StartKind
from vest_tucker.fitting.state import FitState
from vest_tucker.model.history import IterationRecord

BURN_INS = 5
# Each burn-in's first penalty, in units of `Scale.penalty`. Too high a penalty kills weak
# components for good, too low a one lets noise in. We cannot know which it is, so each burn-in
# tries another one, and the lowest error wins. The last one is for data with next to no noise, in
# which components that are weak beside the first one count. With noise it overfits, which lowers
# the error a little, so it wins only if it lowers the error by a tenth.
HELD_AT = (1.0, 0.3, 3.0, 10.0, 0.01)
BELIEVED = (1.0, 1.0, 1.0, 1.0, 0.9)
SWEEPS = 10  # at that penalty, and again at the one that goes with the noise
SETTLING = 40  # most sweeps that follow for the best burn-in
SETTLED = 1e-4  # the best burn-in has settled if its error falls by less than this share of it
EVERYTHING = Schedule()


def data_start(
    problem: Problem,
    burn_ins: int,
    rng: np.random.Generator,
    given: tuple[Floats, list[Floats]] | None = None,
) -> Start:
    """Return where the best of several burn-ins settles, or the parts given do, and its penalty."""
    shape, ranks = problem.X.shape, problem.ranks
    if problem.nothing_left:
        return Start(
            *(given or random_start(shape, ranks, rng)), title="data", in_another_basis=True
        )
    run = WarmUp(problem)
    if given is not None:
        run.take(*given)
    best: list[Floats] = []
    lowest = math.inf
    for k in range(burn_ins if given is None else 0):
        run.take(*sized_start(problem, rng))
        with run.shown(f"burn-in {k + 1}/{burn_ins}  ", 2 * SWEEPS) as show:
            run.sweep(SWEEPS, show, held_at=HELD_AT[k % len(HELD_AT)])
            run.sweep(SWEEPS, show)
        if run.own_error < BELIEVED[k % len(BELIEVED)] * lowest:
            lowest, best = run.own_error, [part.copy() for part in run.parts]
    if best:
        run.take(best[0], best[1:], lowest)
    with run.shown("settling  ", SETTLING) as show:
        run.sweep(SETTLING, show, tol=SETTLED)
    core, *factors = run.parts
    return Start(
        core,
        factors,
        title="data",
        lam=run.scale.lam(problem, run.own_error),
        in_another_basis=True,
    )


def rotated(start: Start, problem: Problem, rng: np.random.Generator) -> Start | None:
    """Return a start in a sparse basis, the other left as it is; None where no mode may turn."""
    modes = problem.constraints.turnable(problem.X.order)
    if not modes or start.lam is None:
        return None
    size = Scale.of(problem.rms, problem.X.order).size
    core, factors = rotate(start.core, start.factors, problem.row_amounts, size, modes, rng)
    return dataclasses.replace(start, core=core, factors=factors, title="data, rotated")


class WarmUp:
    """A solver of the quadratic penalty in whose arrays one burn-in follows the other."""

    def __init__(self, problem: Problem) -> None:
        simple = dataclasses.replace(
            problem.options, penalty="lf", lam_core=None, lam_rows="equal", callback=None
        )
        self.problem = dataclasses.replace(problem, options=simple)
        self.scale = Scale.of(problem.rms, problem.X.order)
        self.modes = problem.constraints.turnable(problem.X.order)
        self.shares = [each / problem.X.total_weight for each in problem.row_amounts]
        shapes = [problem.ranks, *zip(problem.X.shape, problem.ranks, strict=True)]
        core, *factors = (np.zeros(shape) for shape in shapes)
        self.state = FitState(core, factors)
        self.solver: _core.Solver = make_solver(self.problem, self.state, EVERYTHING, 0.0)
        self.own_error = 1.0  # relative to what the offset leaves
        self.done = 0

    @property
    def parts(self) -> list[Floats]:
        """The core and the factors, as they stand."""
        return [self.state.core, *self.state.factors]

    def take(self, core: Floats, factors: list[Floats], own_error: float = 1.0) -> None:
        """Go on from other values."""
        for part, values in zip(self.parts, (core, *factors), strict=True):
            np.copyto(part, values)
        self.problem.constraints.impose_on(self.state.core, self.state.factors)
        self.own_error, self.done = own_error, 0
        self.solver.values_changed()

    def shown(self, title: str, most: int) -> Progress:
        """Return what shows the sweeps that follow, if they are to be shown."""
        self.done = 0
        return Progress(self.problem.options.progress, most, title=title)

    def sweep(
        self,
        count: int,
        show: Callable[[IterationRecord], None],
        *,
        held_at: float | None = None,
        tol: float | None = None,
    ) -> None:
        """Update everything ``count`` times at a penalty held, or at the one of the noise."""
        problem, solver = self.problem, self.solver
        for t in range(count):
            began = time.perf_counter()
            if held_at is None:
                lam = self.scale.lam(problem, self.own_error)
            else:
                lam = held_at * self.scale.penalty / lam_scale(problem)
            charge(solver, problem, lam)
            make_canonical(*self._arrays(), self.shares, self.scale.size, self.modes)
            solver.values_changed()
            update(solver, problem, EVERYTHING, lam)
            self.done += 1
            error = finite(solver.error(), self.done)
            before, self.own_error = self.own_error, error * problem.X.norm / problem.target.norm
            seconds = time.perf_counter() - began
            show(record_of(solver, self.done, error, 0.0, seconds, math.nan))
            fell = before - self.own_error
            if tol is not None and t > 2 and 0.0 <= fell < tol * self.own_error:
                break

    def _arrays(self) -> tuple[Floats, list[Floats]]:
        return self.state.core, self.state.factors


def starts(problem: Problem, rng: np.random.Generator, core_turns: int) -> Iterator[Start]:
    """Yield the start that the data make; if it will be pruned, also in a sparse basis."""
    start = make(problem, rng)
    turned = None if problem.options.sparsity == 0.0 else rotated(start, problem, rng)
    yield from (start,) if turned is None else (turned, start)


def make(problem: Problem, rng: np.random.Generator) -> Start:
    """Burn in as often as is asked for."""
    return data_start(problem, problem.options.n_starts or BURN_INS, rng)


KIND = StartKind(
    name="data",
    make=make,
    starts=starts,
    lam_unit=lambda problem, seed: Scale.of(problem.rms, problem.X.order).lam(problem, 1.0),
    first_sweeps=5,
    sweeps=5,
    is_searched=True,
)
