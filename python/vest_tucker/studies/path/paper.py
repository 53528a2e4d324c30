"""A path with a penalty of the paper: makes the pruning runs and returns the better one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from vest_tucker.base import memory
from vest_tucker.base.errors import InitError, OptionError
from vest_tucker.base.interrupts import deferred_interrupt
from vest_tucker.base.options import ALLOCATIONS, check_whole, generator
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.basis.sparse import bytes_to_turn
from vest_tucker.fitting.early_stopping import HeldOut
from vest_tucker.fitting.options import FitOptions
from vest_tucker.fitting.penalty import lam_scale
from vest_tucker.fitting.problem import FitFacts, Problem, check_and_make_problem
from vest_tucker.fitting.pruning import Pruning
from vest_tucker.fitting.starts.data import BURN_INS, data_start
from vest_tucker.fitting.starts.given import checked_arrays
from vest_tucker.studies.path.prune_down import Pruned, bases, expected_stops

if TYPE_CHECKING:
    from vest_tucker.studies.path.result import Path

# Models whose criterion differs by less than this are about equally good.
NO_DIFFERENCE = 2.0
REFIT = 5  # iterations at each stop


def paper_path(X: SparseTensor, arguments: Mapping[str, Any]) -> tuple[Path, bool]:
    """Make the pruning runs with a penalty of the paper; ``arguments`` are those of `path`.

    Return the path, and whether an interrupt has ended it.
    """
    knee, basis = arguments["knee"], arguments["basis"]
    validation, n_starts, refit = (arguments[name] for name in ("validation", "n_starts", "refit"))
    n_starts = BURN_INS if n_starts is None else check_whole("n_starts", n_starts, at_least=1)
    refit = REFIT if refit is None else check_whole("refit", refit, at_least=1)
    step, least = arguments["step"], arguments["least"]
    named = ("penalty", "allocation", "offset", "lam", "threads", "check_memory")
    options = options_of(n_starts=n_starts, **{name: arguments[name] for name in named})
    given = check_start(arguments["init"])
    rng = generator(arguments["seed"])
    wanted = {name: arguments[name] for name in ("nonnegative", "support", "keep", "fixed")}
    problem = check_and_make_problem(X, arguments["ranks"], options, **wanted)
    problem = with_plan(problem, least)
    require_memory(problem, step, least, basis)
    held_out = HeldOut.asked_for(problem, validation)
    parts = None if given is None else checked_arrays(given, X.shape, problem.ranks)
    dense = data_start(problem, n_starts, rng, parts)
    runs: list[Pruned] = []
    ended = False
    try:
        for name, start in bases(dense, problem, basis, rng):
            runs.append(Pruned(name, problem, start, held_out))
            runs[-1].go(step, refit)
    except KeyboardInterrupt:
        del runs[1:]  # the knee of half a curve cannot be compared
        if not runs or not runs[0].records:
            raise
        ended = True
    with deferred_interrupt() as late:
        found = result_of(runs, "curve" if knee == "auto" else knee)
    return found, ended or bool(late)


def with_plan(problem: Problem, least: float) -> Problem:
    """Return a problem whose pruning goes down to this share of elements."""
    fixed = frozenset(problem.constraints.fixed)
    allocation = problem.options.allocation
    plan = Pruning.down_to(problem.X.shape, problem.ranks, least, allocation, fixed)
    return dataclasses.replace(problem, pruning=plan)


def require_memory(problem: Problem, step: float, least: float, basis: str) -> None:
    """Raise unless there is memory for the models of all stops."""
    X, options = problem.X, problem.options
    models = sum(expected_stops(step, least)) * (2 if basis == "auto" else 1)
    if options.check_memory:
        memory.require(
            X.shape, X.nnz, problem.ranks, options.threads,
            allocation=ALLOCATIONS[options.allocation], models=models,
            weighted=X.weights is not None, turning=bytes_to_turn(X.shape, problem.ranks),
        )  # fmt: skip


def result_of(runs: list[Pruned], knee: Any) -> Path:
    """Return the run with the lower criterion as a path; the first run if they are about equal."""
    from vest_tucker.studies.path.result import Path, PathStep

    lowest = [min(run.criteria) for run in runs]
    best = runs[-1] if lowest[-1] < lowest[0] - NO_DIFFERENCE else runs[0]
    problem = best.problem
    steps = tuple(
        PathStep(
            1.0 - snapshot.n_nonzero / snapshot.size, snapshot.n_nonzero, n_parameters,
            record.error, record.validation_error, spread, criterion,
        )
        for record, snapshot, spread, n_parameters, criterion in zip(
            best.records, best.snapshots, best.spreads, best.n_parameters, best.criteria,
            strict=False,
        )
    )  # fmt: skip
    seconds = sum(record.seconds for record in best.records)
    facts: FitFacts = {
        **problem.facts,
        "lam": best.lam, "lam_used": lam_scale(problem) * best.lam, "seconds": seconds,
    }  # fmt: skip
    if best.held_out is not None:
        facts["validation_baseline"] = best.held_out.baseline_error()
    return Path(
        steps, knee, best.name, dict(zip((run.name for run in runs), lowest, strict=True)),
        tuple(best.snapshots), tuple(best.records), facts, tuple(problem.scaled_modes),
    )  # fmt: skip


def options_of(**given: Any) -> FitOptions:
    """Return the options of the fits at each stop."""
    if given["lam"] == "auto":
        raise OptionError(
            'lam is "auto"; a path takes a number, or None for one that the data set: '
            'fit(lam="auto") searches, for one sparsity'
        )
    return FitOptions(sparsity=0.0, **given)


def check_start(init: Any) -> tuple[ArrayLike, Iterable[ArrayLike]] | None:
    """Return the arrays of a given start; None for ``init="data"``."""
    if isinstance(init, str) or init is None:
        if init != "data":
            raise InitError(f'init is {init!r}; choose "data", or a pair (core, factors)')
        return None
    arrays: tuple[ArrayLike, Iterable[ArrayLike]] = init
    return arrays
