"""The start that the data make: several short fits from random numbers, the best one settled.

A random start needs a hundred iterations to come near what the data hold, if it comes there at
all. Penalties on the data's own scale, which first hold back what is weak and then follow the
noise, and the canonical form between updates get there in twenty.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vest_tucker import _core
from vest_tucker.base.parts import part_sizes
from vest_tucker.base.types import Floats
from vest_tucker.fitting.algorithm import finite, record_of, update
from vest_tucker.fitting.basis.canonical import make_canonical
from vest_tucker.fitting.basis.sparse import rotate
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.progress import Progress
from vest_tucker.fitting.starts.start import Start, random_start
from vest_tucker.model.history import IterationRecord

BURN_INS = 4
# Each burn-in's first penalty, in units of `Scale.penalty`: too much and weak components die for
# good, too little and noise takes their place; which is which, the errors tell.
HELD_AT = (1.0, 0.3, 3.0, 10.0)
SWEEPS = 10  # there, and again at the penalty that goes with the noise
SETTLING = 40  # more at most for the best burn-in,
SETTLED = 1e-4  # until the error falls by no more than this share of it
LEAST = 1e-4  # of the unit, where there is no noise


@dataclass(frozen=True)
class Scale:
    """What size elements have if core and factors share that of the values, and what to charge.

    With ``spread`` for every element, a prediction has the size of a value; ``penalty`` is then
    what the squares of an element's features come to per entry.
    """

    spread: float
    penalty: float

    @classmethod
    def of(cls, rms: float, order: int) -> Scale:
        """Return the scale of values of this root mean square.

        Examples
        --------
        >>> Scale.of(16.0, order=3)
        Scale(spread=2.0, penalty=64.0)
        """
        spread = rms ** (1.0 / (order + 1))
        return cls(spread, spread ** (2 * order))

    def lam(self, problem: Problem, own_error: float) -> float:
        """Return the penalty that goes with an error: what is left unexplained is noise.

        A model of as many elements as there are entries can fit noise as well, and leaves less of
        it; so what it leaves is shared out among the entries that it has no element for.
        """
        free = 1.0 - sum(part_sizes(problem.X.shape, problem.ranks)) / problem.X.nnz
        noise = own_error**2 / free if free > own_error**2 else 1.0
        weight = self.penalty * max(noise, LEAST) / problem.lam_scale
        # An element of this size pays the same by its magnitude as by its square.
        return weight * self.spread if problem.options.loss == "l1" else weight


def turnable(problem: Problem) -> list[int]:
    """Return modes whose basis may change: nothing is known of their factor, nor of the core."""
    known = problem.known
    concerned = known.nonnegative | known.zero.keys() | known.kept.keys() | known.fixed.keys()
    if 0 in concerned:
        return []
    return [mode for mode in range(problem.X.order) if mode + 1 not in concerned]


def data_start(
    problem: Problem,
    burn_ins: int,
    rng: np.random.Generator,
    given: tuple[Floats, list[Floats]] | None = None,
) -> Start:
    """Return where the best of several burn-ins settles, or the parts given do, and its penalty."""
    shape, ranks = problem.X.shape, problem.ranks
    if problem.nothing_left:
        return Start(*(given or random_start(shape, ranks, rng)), kind="data")
    run = WarmUp(problem)
    if given is not None:
        run.take(*given)
    best: list[Floats] = []
    lowest = math.inf
    for k in range(burn_ins if given is None else 0):
        run.take(*random_start(shape, ranks, rng))
        with run.shown(f"burn-in {k + 1}/{burn_ins}  ", 2 * SWEEPS) as show:
            run.sweep(SWEEPS, show, held_at=HELD_AT[k % len(HELD_AT)])
            run.sweep(SWEEPS, show)
        if run.own_error < lowest:
            lowest, best = run.own_error, [part.copy() for part in run.parts]
    if best:
        run.take(best[0], best[1:], lowest)
    with run.shown("settling  ", SETTLING) as show:
        run.sweep(SETTLING, show, tol=SETTLED)
    core, *factors = run.parts
    return Start(core, factors, kind="data", lam=run.scale.lam(problem, run.own_error))


def rotated(start: Start, problem: Problem, rng: np.random.Generator) -> Start | None:
    """Return a start in a sparse basis, the other left as it is; None where no mode may turn."""
    modes = turnable(problem)
    if not modes or start.lam is None:
        return None
    spread = Scale.of(problem.rms, problem.X.order).spread
    core, factors = rotate(start.core, start.factors, problem.entries, spread, modes, rng)
    return dataclasses.replace(start, core=core, factors=factors, kind="data, rotated")


class WarmUp:
    """A solver of the quadratic loss in whose arrays one burn-in follows the other."""

    def __init__(self, problem: Problem) -> None:
        simple = dataclasses.replace(
            problem.options, loss="lf", lam_core=None, lam_rows="equal", callback=None
        )
        self.problem = dataclasses.replace(problem, options=simple)
        self.scale = Scale.of(problem.rms, problem.X.order)
        self.modes = turnable(problem)
        self.shares = [each / problem.X.nnz for each in problem.entries]
        shapes = [problem.ranks, *zip(problem.X.shape, problem.ranks, strict=True)]
        core, *factors = (np.zeros(shape) for shape in shapes)
        self.start = Start(core, factors)
        self.solver: _core.Solver = self.problem.solver(self.start, 0.0)
        self.own_error = 1.0  # relative to what the offset leaves
        self.done = 0

    @property
    def parts(self) -> list[Floats]:
        """The core and the factors, as they stand."""
        return [self.start.core, *self.start.factors]

    def take(self, core: Floats, factors: list[Floats], own_error: float = 1.0) -> None:
        """Go on from other values."""
        for part, values in zip(self.parts, (core, *factors), strict=True):
            np.copyto(part, values)
        self.problem.known.put_into(self.start.core, self.start.factors)
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
                lam = held_at * self.scale.penalty / problem.lam_scale
            problem.charge(solver, lam)
            make_canonical(*self._arrays(), self.shares, self.scale.spread, self.modes)
            solver.values_changed()
            update(solver, problem, self.start, lam, t + 1)
            self.done += 1
            error = finite(solver.error(), self.done)
            before, self.own_error = self.own_error, error * problem.X.norm / problem.values.norm
            seconds = time.perf_counter() - began
            show(record_of(solver, self.done, error, 0.0, seconds, math.nan))
            fell = before - self.own_error
            if tol is not None and t > 2 and 0.0 <= fell < tol * self.own_error:
                break

    def _arrays(self) -> tuple[Floats, list[Floats]]:
        return self.start.core, self.start.factors
