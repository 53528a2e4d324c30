"""The function vt.path: checks its options, makes the pruning runs and returns the better one."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.base import memory
from vest_tucker.base.errors import InitError, OptionError
from vest_tucker.base.options import (
    ALLOCATIONS,
    Allocation,
    OffsetKind,
    check_choice,
    check_rate,
    check_whole,
    generator,
)
from vest_tucker.base.public import public
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.constraints import Where
from vest_tucker.fitting.early_stopping import HeldOut
from vest_tucker.fitting.options import FitOptions
from vest_tucker.fitting.penalty import lam_scale
from vest_tucker.fitting.problem import FitFacts, Problem, check_and_make_problem
from vest_tucker.fitting.pruning import Pruning
from vest_tucker.fitting.starts.data import BURN_INS, data_start
from vest_tucker.fitting.starts.given import checked_arrays
from vest_tucker.studies.path.prune_down import Basis, Pruned, bases, expected_stops

if TYPE_CHECKING:
    from vest_tucker.studies.path.result import Path

# Models whose criterion differs by less than this are about equally good.
NO_DIFFERENCE = 2.0


@public
def path(
    X: SparseTensor,
    ranks: int | Iterable[int],
    *,
    elbow: Literal["curve", "validation"] = "curve",
    validation: SparseTensor | None = None,
    step: float = 0.02,
    refit: int = 5,
    least: float = 0.03,
    basis: Basis = "auto",
    n_starts: int = BURN_INS,
    loss: Literal["l1", "lf"] = "lf",
    allocation: Allocation = "global",
    offset: OffsetKind | None = None,
    lam: float | None = None,
    init: Literal["data"] | tuple[ArrayLike, Iterable[ArrayLike]] = "data",
    nonnegative: bool | str | int | Iterable[str | int] = False,
    support: Mapping[str | int, Where] | None = None,
    keep: Mapping[str | int, Where] | None = None,
    fixed: Mapping[str | int, ArrayLike] | None = None,
    seed: int | np.random.Generator | None = None,
    threads: int = 0,
    progress: bool = False,
    check_memory: bool = True,
) -> Path:
    """Prune from the dense model on, refitting at each stop, and find how sparse to go.

    One run gives a model of every sparsity. The curve of their errors shows from which sparsity on
    zeros increase the error, and the model at its knee is chosen.

    Parameters
    ----------
    X : SparseTensor
        The observed entries.
    ranks : int or sequence of int
        As for `fit`.
    elbow : {"curve", "validation"}
        How the best model is chosen. "curve" takes the lowest nnz log(RE^2) + k log(nnz), the
        Bayesian information criterion, with k the number of parameters; "validation" takes the
        sparsest model within one standard error of the best on the entries held back.
    validation : SparseTensor, optional
        Entries that are not fitted. The error on them is measured at each stop.
    step : float
        The share of all elements that a stop prunes; but at most 2.5 times this share of those
        that are left, so that the steps become smaller at the sparse end.
    refit : int
        How many iterations to fit at each stop.
    least : float
        The share of elements at which the path ends. It ends sooner if the model explains nothing.
    basis : {"auto", "rotated", "plain"}
        Pruning depends on the basis of the components. "rotated" first changes each mode to a
        sparse basis, "plain" does not; "auto" prunes both, and returns the one with the lower
        criterion, "rotated" if they are about equal. A mode is not changed if ``nonnegative``,
        ``support``, ``keep`` or ``fixed`` name it, and no mode is if they name the core.
    n_starts : int
        How many random starts to burn in; the best one is pruned.
    loss, allocation, offset
        As for `fit`.
    lam : float, optional
        The weight of the penalty as for `fit`; by default it follows from the noise, which is
        estimated by the squared error of the dense model.
    init : "data" or (core, factors)
        The start: burn-ins as for `fit`, or arrays, which are fitted until the error settles.
    nonnegative, support, keep, fixed
        As for `fit`.
    seed, threads, progress, check_memory
        As for `fit`.

    Returns
    -------
    Path
        After Ctrl-C the path so far is returned, with a warning. Before the first stop is
        complete, Ctrl-C raises KeyboardInterrupt as usual.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, truth = vt.datasets.synthetic((40, 30, 20), 2, nnz=6000, sparsity=0.6, seed=0)
    >>> path = vt.path(X, 2, seed=0)
    >>> abs(path.best.sparsity - truth.sparsity) < 0.05
    True
    >>> path.at(sparsity=0.3)
    TuckerModel(shape=(40, 30, 20), ranks=(2, 2, 2), sparsity=0.3...)
    """
    from vest_tucker.studies.path.result import Elbow  # seldom needed, so not loaded before

    check_choice("elbow", elbow, get_args(Elbow))
    check_choice("basis", basis, get_args(Basis))
    if elbow == "validation" and validation is None:
        raise OptionError('elbow="validation" needs entries held back: validation=...')
    step, least = check_rate("step", step), check_rate("least", least)
    refit = check_whole("refit", refit, at_least=1)
    options = options_of(
        loss=loss, allocation=allocation, offset=offset, lam=lam,
        n_starts=check_whole("n_starts", n_starts, at_least=1),
        threads=threads, progress=progress, check_memory=check_memory,
    )  # fmt: skip
    given = check_start(init)
    rng = generator(seed)
    wanted = {"nonnegative": nonnegative, "support": support, "keep": keep, "fixed": fixed}
    problem = with_plan(check_and_make_problem(X, ranks, options, **wanted), least)
    require_memory(problem, step, least, basis)
    held_out = None if validation is None else HeldOut.over(problem, validation)
    parts = None if given is None else checked_arrays(given, X.shape, problem.ranks)
    dense = data_start(problem, n_starts, rng, parts)
    runs: list[Pruned] = []
    try:
        for name, start in bases(dense, problem, basis, rng):
            runs.append(Pruned(name, problem, start, held_out))
            runs[-1].go(step, refit)
    except KeyboardInterrupt:
        del runs[1:]  # the knee of half a curve cannot be compared
        if not runs or not runs[0].records:
            raise
        message = f"interrupted after {len(runs[0].records)} stops; the path ends there"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    return result_of(runs, elbow)


def with_plan(problem: Problem, least: float) -> Problem:
    """Return a problem whose pruning goes down to this share of elements."""
    fixed = frozenset(problem.constraints.fixed)
    allocation = problem.options.allocation
    plan = Pruning.down_to(problem.X.shape, problem.ranks, least, allocation, fixed)
    return dataclasses.replace(problem, pruning=plan)


def require_memory(problem: Problem, step: float, least: float, basis: Basis) -> None:
    """Raise unless there is memory for the models of all stops."""
    X, options = problem.X, problem.options
    models = sum(expected_stops(step, least)) * (2 if basis == "auto" else 1)
    if options.check_memory:
        memory.require(
            X.shape, X.nnz, problem.ranks, options.threads,
            allocation=ALLOCATIONS[options.allocation], models=models,
            weighted=X.weights is not None,
        )  # fmt: skip


def result_of(runs: list[Pruned], elbow: Any) -> Path:
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
        steps, elbow, best.name, dict(zip((run.name for run in runs), lowest, strict=True)),
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
