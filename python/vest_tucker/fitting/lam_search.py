"""lam="auto": a short search for the penalty, and the start to go with it, on entries held out."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from vest_tucker.base.errors import AllZeroError, OptionError
from vest_tucker.base.telling.steps import step
from vest_tucker.data.split import train_test_split
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.algorithm import fit_from
from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.checkpoint.record import stage
from vest_tucker.fitting.early_stopping import HeldOut
from vest_tucker.fitting.engine import make_solver, update
from vest_tucker.fitting.penalty import charge
from vest_tucker.fitting.problem import Problem, make_problem
from vest_tucker.fitting.progress import watch
from vest_tucker.fitting.shards.entries import collected
from vest_tucker.fitting.starts import DEFAULT, KINDS
from vest_tucker.fitting.starts.start import Start, StartKind
from vest_tucker.fitting.state import FitState

HELD_OUT = 0.1  # share of the entries
BURN_INS = 2
CLOSE = 1.02  # a start whose error is this many times the lowest is not worth a complete fit
ATTEMPTS = 3


@stored
@dataclass(frozen=True)
class Choice:
    """The start of a fit, and if ``lam="auto"`` was asked for, the penalty found and how.

    Attributes
    ----------
    init : str
        The kind of start.
    lam : float or None
        What the search has found; None if there was none.
    core_turns : int
    tried : int
        Number of complete fits that were compared.
    error, baseline_error : float
        On the entries held out, of the best fit and of the baseline alone.
    given : bool
        Whether the fit starts from arrays or a model, for which the search takes a random start.
    seed : int or None
        Of the start that was judged.
    """

    init: str = DEFAULT
    lam: float | None = None
    core_turns: int = 0
    tried: int = 0
    error: float = math.nan
    baseline_error: float = math.nan
    given: bool = False
    seed: int | None = None

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
    """Return the start that was asked for, and search if that is asked for too."""
    named = init if isinstance(init, str) else DEFAULT
    if problem.options.lam != "auto":
        return Choice(named)
    searched = [
        kind for kind in KINDS.values() if kind.is_searched and kind.allows(problem.constraints)
    ]
    kinds = searched if init is None else [KINDS[named]]
    with step("searching lam"):
        found = stage("search", lambda: search(problem, kinds, rng))
    return dataclasses.replace(found, given=not (init is None or isinstance(init, str)))


def search(problem: Problem, kinds: Iterable[StartKind], rng: np.random.Generator) -> Choice:
    """Try penalties without pruning, then finish the best at the sparsity that is wanted.

    What is best is a multiple of a unit that the data set, so it holds for all entries as well.
    """
    n_starts = problem.options.n_starts or BURN_INS
    quiet = dataclasses.replace(problem.options, callback=None, n_starts=n_starts)
    train, held = hold_out(problem.X, rng)
    part = make_problem(train, problem.ranks, quiet, problem.constraints)
    held_out = HeldOut.over(part, collected(held))
    seed = int(rng.integers(2**63))
    candidates = [
        Candidate(kind, kind.make(part, np.random.default_rng(seed)), kind.lam_unit(part, seed))
        for kind in kinds
    ]
    trials = [stage("grid", partial(sweep_grid, part, held_out, each)) for each in candidates]
    promising = CLOSE * min(min(each) for each in trials)[0]
    ends: list[End] = []
    for candidate, tried in zip(candidates, trials, strict=True):
        if min(tried)[0] <= promising:
            ends += finish_best(part, held_out, candidate, tried)
    best = min(ends)
    lam = best.multiple * KINDS[best.init].lam_unit(problem, seed)
    baseline = held_out.baseline_error()
    return Choice(best.init, lam, best.core_turns, len(ends), best.error, baseline, seed=seed)


class Candidate(NamedTuple):
    """A start to search from, and the unit of the penalties to try."""

    kind: StartKind
    start: Start
    unit: float


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
    held_out: HeldOut,
    candidate: Candidate,
    trials: Sequence[tuple[float, float]],
) -> list[End]:
    """Finish, at the sparsity that is wanted, what was best without pruning.

    Warmed up by smaller ones, a penalty may do that empties the model when a fit starts with it:
    then the next smaller ones are tried, too.
    """
    kind, start, unit = candidate
    best = min(trials)[1]
    ends: list[End] = []
    below = sorted((each for _, each in trials if each <= best), reverse=True)
    for multiple in below[:ATTEMPTS]:
        for core_turns in kind.core_turns:
            turned, lam = kind.with_core_turns(start, core_turns), multiple * unit
            with step(f"trying lam={lam:.3g} on a part", problem.options.max_iter, "iteration"):
                outcome = fit_from(turned, problem, lam, tell=watch)
            if outcome.stopped == "interrupted":
                raise KeyboardInterrupt  # there is no model of all entries yet
            error = held_out.error_of(outcome.core, outcome.factors)
            ends.append(End(error, core_turns, kind.name, multiple))
        if min(ends).error < held_out.baseline_error():
            break
    return ends


def sweep_grid(
    problem: Problem, held_out: HeldOut, candidate: Candidate
) -> list[tuple[float, float]]:
    """Return (error held out, multiple of the unit) for each penalty of the grid tried."""
    kind, start, unit = candidate
    state = FitState(start.core.copy(), [each.copy() for each in start.factors])
    solver = make_solver(problem, state, start.schedule, kind.grid[0] * unit)
    trials: list[tuple[float, float]] = []
    with step(f"penalties, {kind.name}", len(kind.grid), "penalty") as tried:
        for multiple in kind.grid:
            charge(solver, problem, multiple * unit)
            for _ in range(kind.sweeps if trials else kind.first_sweeps):
                update(solver, problem, start.schedule, multiple * unit)
            trials.append((held_out.error(solver), multiple))
            tried.advance(words=f"held-out {trials[-1][0]:.4f}")
            if len(trials) > 2 and trials[-3][0] < trials[-2][0] < trials[-1][0]:
                break
    return trials
