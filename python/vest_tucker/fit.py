"""Algorithm 1 of the paper: update, measure, prune, until the error settles."""

from __future__ import annotations

import dataclasses
import math
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker import _core, checks, memory
from vest_tucker.checks import Floats
from vest_tucker.elbow import too_far
from vest_tucker.errors import DivergedError, EmptyModelWarning
from vest_tucker.interrupts import held_back
from vest_tucker.model import TuckerModel, constant_error
from vest_tucker.offset import deviations, fit_offset
from vest_tucker.options import ALLOCATIONS, LOSSES, Allocation, FitOptions, OffsetKind, generator
from vest_tucker.prediction import entries_per_row
from vest_tucker.progress import Progress
from vest_tucker.pruning import Pruning
from vest_tucker.record import IterationRecord
from vest_tucker.schedule import part_sizes, prune_rate
from vest_tucker.standardize import unit_columns
from vest_tucker.summary import why_zero
from vest_tucker.tensor import SparseTensor, require_tensor, require_unchanged


def fit(
    X: SparseTensor,
    ranks: int | Iterable[int],
    *,
    loss: Literal["l1", "lf"] = "l1",
    sparsity: float | Literal["auto"] = "auto",
    allocation: Allocation = "per_matrix",
    offset: OffsetKind | None = None,
    lam: float = 5.0,
    scale_lam: bool = True,
    max_iter: int = 100,
    tol: float | None = 1e-4,
    init_prune_rate: float = 0.01,
    max_prune_rate: float = 0.1,
    elbow: float = 0.05,
    revive: bool = True,
    init: tuple[ArrayLike, Iterable[ArrayLike]] | None = None,
    standardize: bool = True,
    seed: int | np.random.Generator | None = None,
    threads: int = 0,
    progress: bool = False,
    callback: Callable[[IterationRecord], object] | None = None,
    check_memory: bool = True,
) -> TuckerModel:
    """Factor a partially observed tensor into a sparse core and sparse factors.

    Parameters
    ----------
    X : SparseTensor
        The observed entries.
    ranks : int or sequence of int
        J_1, ..., J_N, the dimensions of the core; one number stands for the same in every mode.
    loss : {"l1", "lf"}
        The penalty on the elements: the sum of their magnitudes, or of their squares.
    sparsity : "auto" or float
        The share of zeros to prune to; "auto" prunes until the error shoots up, 0 prunes nothing.
    allocation : {"per_matrix", "global"}
        Where the zeros fall: the same share in the core and in each factor, as in the paper, or
        wherever the least responsible elements are, all in one ranking. "global" spares the rows
        of short modes and keeps far more accuracy; "per_matrix" spreads the zeros evenly.
    offset : {None, "mean", "biases"}
        What to take off the values first; predictions add it back. "mean" is one number, "biases"
        are the mean and an effect per row of each mode. A row pruned empty then predicts this
        baseline and not 0, and the penalty draws to it. Errors stay relative to the values.
    lam : float
        The weight of the penalty. It works on the scale of the values squared: values far below
        1 need a smaller one, or with "l1" every element may end up zero.
    scale_lam : bool
        Multiply ``lam`` by the number of entries over the number of elements of the model, so
        that one value suits tensors of any size.
    max_iter : int
        At most this many iterations.
    tol : float or None
        Stop when, after pruning, the error falls by no more than this; None runs ``max_iter``.
    init_prune_rate, max_prune_rate : float
        Iteration t prunes the share min(init_prune_rate * t, max_prune_rate) of each part.
    elbow : float
        How sharp a bend of the error ends automatic pruning.
    revive : bool
        Whether the last batch, one too many, may grow again when automatic pruning ends.
    init : (core, factors), optional
        The start; by default random numbers in [0, 1).
    standardize : bool
        Give the factors columns of norm 1 at the end.
    seed : int, numpy.random.Generator or None
        Where the random start comes from; the same seed gives the same model.
    threads : int
        How many threads to use; 0 means all. The model does not depend on it.
    progress : bool
        Show each iteration on standard error.
    callback : callable, optional
        Called with each `IterationRecord`; returning True ends the fit.
    check_memory : bool
        Refuse, before anything is allocated, a fit that needs more memory than there is.

    Returns
    -------
    TuckerModel
        Ctrl-C does not lose the work: the model is returned as it then stands, with
        ``stopped="interrupted"`` and a warning.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, truth = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, seed=0)
    >>> model = vt.fit(X, ranks=2, sparsity=0.3, lam=0.01, seed=0)
    >>> model.sparsity >= 0.3, model.error < model.baseline_error
    (True, True)
    >>> model.predict([[0, 0, 0], [29, 19, 9]]).shape
    (2,)
    """
    began = time.perf_counter()
    options = FitOptions(
        loss=loss, sparsity=sparsity, allocation=allocation, offset=offset, lam=lam,
        scale_lam=scale_lam, max_iter=max_iter, tol=tol, init_prune_rate=init_prune_rate,
        max_prune_rate=max_prune_rate, elbow=elbow, revive=revive, standardize=standardize,
        threads=threads, progress=progress, callback=callback, check_memory=check_memory,
    )  # fmt: skip
    require_tensor(X, "fit")
    ranks = checks.tucker_ranks(ranks, X.shape)
    rng = generator(seed)
    require_unchanged(X)
    checks.norm(X.norm, X.values)
    if options.check_memory:
        how = ALLOCATIONS[options.allocation]
        with_offset = offset is not None
        memory.require(X.shape, X.nnz, ranks, options.threads, allocation=how, offset=with_offset)
    pruning = Pruning.plan(X.shape, ranks, options.sparsity, options.allocation)
    scale = X.nnz / sum(part_sizes(X.shape, ranks)) if scale_lam else 1.0
    lam_used = scale * options.lam
    baseline_error = constant_error(X.mean, X)
    entries = entries_per_row(X.coords, X.shape)
    baseline = None if options.offset is None else fit_offset(X, options.offset)
    handle = X._handle if baseline is None else deviations(X, baseline)
    if init is None:
        core, factors = random_start(X.shape, ranks, rng)
    else:
        core, factors = checks.start(init, X.shape, ranks)
    if baseline is not None and baseline.is_exact:
        core.fill(0.0)  # nothing is left to factor, and from zero nothing grows
    solver = _core.Solver(  # works in these arrays: they turn from the start into the result
        handle, core, factors, loss=LOSSES[loss], lam=lam_used, threads=options.threads,
        allocation=ALLOCATIONS[options.allocation], norm=X.norm,
    )  # fmt: skip

    history: list[IterationRecord] = []
    try:
        with Progress(options.progress, options.max_iter) as show:
            stopped = repeat(solver, pruning, options, history, show)
        error = final_error(solver, history)
    except KeyboardInterrupt:
        stopped, error = "interrupted", error_as_it_stands(solver)
    del solver  # its plan is larger than the model

    with held_back() as interrupts:  # half scaled, the work would be lost
        if options.standardize:
            unit_columns(core, factors, in_place=True)
        model = TuckerModel(
            core, factors, error=error, baseline_error=baseline_error, history=history,
            stopped=stopped, loss=loss, lam=options.lam, lam_used=lam_used, nnz=X.nnz,
            modes=X.modes, labels=X.labels, entries=entries, offset=baseline,
            seconds=time.perf_counter() - began,
        )  # fmt: skip
    if interrupts:
        model = dataclasses.replace(model, stopped="interrupted")
    if model.stopped == "interrupted":
        done = f"{len(history)} complete iteration{'' if len(history) == 1 else 's'}"
        message = f"interrupted after {done}; the model is as it stood"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    elif model.is_zero and not (model.offset_is_exact or pruning.leaves_nothing):
        why = why_zero(options.lam, lam_used, handle.norm / math.sqrt(X.nnz), options.offset)
        warnings.warn(why, EmptyModelWarning, stacklevel=2)
    return model


def repeat(
    solver: _core.Solver,
    plan: Pruning,
    options: FitOptions,
    history: list[IterationRecord],
    show: Callable[[IterationRecord], None],
) -> str:
    """Run the loop of Algorithm 1, one record per complete iteration; return why it ended."""
    errors: list[float] = []
    pruning = plan.goes_on(solver)
    for t in range(1, options.max_iter + 1):
        began = time.perf_counter()
        refining = not pruning
        for mode in range(solver.order):
            solver.update_factor(mode)
        solver.update_core()
        errors.append(finite(solver.error(judge=pruning), t))  # responsibilities are by-products

        rate = prune_rate(t, options.init_prune_rate, options.max_prune_rate) if pruning else 0.0
        if pruning and options.sparsity == "auto" and too_far(errors, rate, options.elbow):
            pruning = False
            if options.revive:
                solver.revive()  # the last batch was one too many
        elif pruning:
            solver.prune(plan.batch(rate, solver))
            pruning = plan.goes_on(solver)

        history.append(record_of(solver, t, errors[-1], rate, time.perf_counter() - began))
        show(history[-1])
        if asked_to_stop(options.callback, history[-1]):
            return "callback"
        if refining and converged(errors, options.tol):
            return "converged"
    return "max_iter"


def random_start(
    shape: tuple[int, ...], ranks: tuple[int, ...], seed: int | np.random.Generator | None
) -> tuple[Floats, list[Floats]]:
    """Line 1 of Algorithm 1: uniform on [0, 1), the factors in mode order, then the core."""
    rng = generator(seed)
    factors = [rng.random((dim, rank)) for dim, rank in zip(shape, ranks, strict=True)]
    return rng.random(ranks), factors


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
    solver: _core.Solver, t: int, error: float, rate: float, seconds: float
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
