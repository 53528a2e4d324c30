"""lam="auto": a short search for the penalty, and the start to go with it, on entries held out."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vest_tucker.base.errors import AllZeroError, OptionError
from vest_tucker.data.split import train_test_split
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.algorithm import fit_from, update
from vest_tucker.fitting.early_stopping import Watch
from vest_tucker.fitting.noise_level import noise_level
from vest_tucker.fitting.problem import Problem, posed
from vest_tucker.fitting.starts.data import Scale
from vest_tucker.fitting.starts.launch import make_start
from vest_tucker.fitting.starts.start import Start, longest_pair, with_core_turns

HELD_OUT = 0.1
# Penalties to try, from small to large so that each warms up the next, in units of `unit_of`.
GRIDS = {
    "pairs": (0.21, 0.262, 0.328, 0.41, 0.512, 0.64, 0.8),
    "random": (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0),
    "data": (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0),
}
SWEEPS = {"pairs": 3, "random": 5, "data": 5}
FIRST_SWEEPS = {"pairs": 6, "random": 15, "data": 5}
SEARCHED = ("data", "pairs")  # from "random", what the data hold takes too long to appear
BURN_INS = 2
CORE_TURNS = 4
CLOSE = 1.02  # a start this far behind the best is not worth a complete fit
ATTEMPTS = 3


@dataclass(frozen=True)
class Choice:
    """The penalty and the start of a fit, and if they were searched for, how that went.

    ``error`` is on the entries held out, beside that of the baseline alone. ``given`` tells
    whether the fit starts from arrays or a model, for which the search takes a random start.
    """

    lam: float
    init: str = "random"
    core_turns: int = 0
    tried: int = 0
    error: float = math.nan
    baseline_error: float = math.nan
    given: bool = False
    seed: int | None = None  # of the start that was judged

    def __str__(self) -> str:
        if not self.tried:
            return ""
        verdict = "" if self.error < self.baseline_error else "no better than "
        what = "this lam is" if self.given else f'init="{self.init}" and this lam are'
        return (
            f"{what} the best of {self.tried} {'random fits' if self.given else 'fits'} to "
            f"{1 - HELD_OUT:.0%} of the entries: on the others error {self.error:.4f}, {verdict}"
            f"baseline {self.baseline_error:.4f}"
        )


def decide(problem: Problem, init: object, rng: np.random.Generator) -> Choice:
    """Return the penalty and the start that were asked for, or find them."""
    named = init if isinstance(init, str) else "random"
    lam = problem.options.lam
    if lam != "auto":
        return Choice(problem.default_lam if lam is None else lam, named)
    searched = [name for name in SEARCHED if name != "pairs" or not problem.known.names_elements]
    found = search(problem, searched if init is None else [named], rng)
    return dataclasses.replace(found, given=not (init is None or isinstance(init, str)))


def search(problem: Problem, inits: Iterable[str], rng: np.random.Generator) -> Choice:
    """Try penalties without pruning, then finish the best at the sparsity that is wanted.

    What is best is a multiple of a unit that the data set, so it holds for all entries as well.
    """
    n_starts = problem.options.n_starts or BURN_INS
    quiet = dataclasses.replace(problem.options, progress=False, callback=None, n_starts=n_starts)
    train, held = hold_out(problem.X, rng)
    part = posed(train, problem.ranks, quiet, problem.known)
    watch = Watch.over(part, held, patience=1)
    seed = int(rng.integers(2**63))
    starts = {init: make_start(init, part, np.random.default_rng(seed)) for init in inits}
    units = {init: unit_of(part, init, seed) for init in starts}
    trials = {
        init: sweep_grid(part, watch, init, start.copy(), units[init])
        for init, start in starts.items()
    }
    promising = CLOSE * min(min(each) for each in trials.values())[0]
    ends: list[End] = []
    for init, tried in trials.items():
        if min(tried)[0] <= promising:
            ends += finish_best(part, watch, starts[init], init, tried, units[init])
    best = min(ends)
    lam = best.multiple * unit_of(problem, best.init, seed)
    return Choice(
        lam, best.init, best.core_turns, len(ends), best.error, watch.error_alone(), seed=seed
    )


def hold_out(X: SparseTensor, rng: np.random.Generator) -> tuple[SparseTensor, SparseTensor]:
    """Split entries into those to fit and those to judge by, if both can be told from zero."""
    if round(HELD_OUT * X.nnz) < 1:
        raise OptionError(
            f'lam="auto" holds out a tenth of the entries, which is none of {X.nnz}; give lam a '
            f"number"
        )
    train, held = train_test_split(X, test=HELD_OUT, seed=rng)
    for part, name in ((train, "kept"), (held, "held out")):
        if not part.values.any():
            raise AllZeroError(
                f'lam="auto" holds out {held.nnz:,} of {X.nnz:,} entries, and all {part.nnz:,} '
                f"{name} are zero, which says nothing of an error; try another seed, or give lam a "
                f"number"
            )
    return train, held


class End(NamedTuple):
    """A complete fit to a part of the entries, and its error on the others."""

    error: float
    core_turns: int
    init: str
    multiple: float


def finish_best(
    problem: Problem,
    watch: Watch,
    start: Start,
    init: str,
    trials: Sequence[tuple[float, float]],
    unit: float,
) -> list[End]:
    """Finish, at the sparsity that is wanted, what was best without pruning.

    Warmed up by smaller ones, a penalty may do that empties the model when a fit starts with it:
    then the next smaller ones are tried, too.
    """
    best = min(trials)[1]
    ends: list[End] = []
    below = sorted((each for _, each in trials if each <= best), reverse=True)
    for multiple in below[:ATTEMPTS]:
        for core_turns in (0, CORE_TURNS) if init == "pairs" else (0,):
            begin = start.copy() if core_turns == 0 else with_core_turns(start, core_turns)
            outcome = fit_from(begin, problem, multiple * unit, lambda record: None)
            if outcome.stopped == "interrupted":
                raise KeyboardInterrupt  # there is no model of all entries yet
            error = watch.error_of(outcome.core, outcome.factors)
            ends.append(End(error, core_turns, init, multiple))
        if min(ends).error < watch.error_alone():
            break
    return ends


def sweep_grid(
    problem: Problem, watch: Watch, init: str, start: Start, unit: float
) -> list[tuple[float, float]]:
    """Return (error held out, multiple of the unit) for each penalty of the grid tried."""
    solver = problem.solver(start, GRIDS[init][0] * unit)
    trials: list[tuple[float, float]] = []
    for multiple in GRIDS[init]:
        problem.charge(solver, multiple * unit)
        for _ in range(SWEEPS[init] if trials else FIRST_SWEEPS[init]):
            update(solver, problem, start, multiple * unit, t=1)
        trials.append((watch.error(solver), multiple))
        if len(trials) > 2 and trials[-3][0] < trials[-2][0] < trials[-1][0]:
            break
    return trials


def unit_of(problem: Problem, init: str, seed: int) -> float:
    """Return the lam that penalties are measured in: noise just passes it, or rms squared."""
    if init == "data":
        return Scale.of(problem.rms, problem.X.order).lam(problem, 1.0)
    if init != "pairs" or problem.options.loss != "lf":
        unscaled = 1.0 if problem.options.scale_lam else problem.entries_per_element
        return unscaled * problem.rms**2
    first, second = longest_pair(problem.X.shape)
    coords = problem.X.coords[:, [first, second]]
    shape = (problem.X.shape[first], problem.X.shape[second])
    weights = (problem.row_weights(first), problem.row_weights(second))
    rng = np.random.default_rng(seed)
    level = noise_level(coords, problem.deviations, shape, weights, rng)
    return level / problem.lam_scale
