"""Prune step by step from the dense model on, refit at each stop, and return the whole curve."""

from __future__ import annotations

import dataclasses
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker import checks
from vest_tucker.checks import Floats
from vest_tucker.errors import InitError, OptionError
from vest_tucker.fit import finite, record_of, update
from vest_tucker.knee import description_length
from vest_tucker.known import Where
from vest_tucker.options import (
    Allocation,
    FitOptions,
    OffsetKind,
    check_choice,
    check_rate,
    check_whole,
    generator,
)
from vest_tucker.problem import Problem, pose
from vest_tucker.progress import Progress
from vest_tucker.pruning import Pruning
from vest_tucker.record import IterationRecord
from vest_tucker.snapshot import Snapshot
from vest_tucker.start import Start
from vest_tucker.tensor import SparseTensor
from vest_tucker.warmup import BURN_INS, data_start, rotated
from vest_tucker.watch import Watch

if TYPE_CHECKING:
    from vest_tucker.path_result import Path

Basis: TypeAlias = Literal["auto", "rotated", "plain"]
SHARE_OF_KEPT = 2.5  # so many steps' share of what is left is the most that a stop prunes
EXPLAINS_NOTHING = 0.999  # the error, relative to what the offset leaves, that ends a path


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

    One run gives all sparsities, each with its model: the curve shows where zeros begin to cost,
    and its knee is chosen without a sparsity being asked for.

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
        Entries that the fit does not see. Their error is told at each stop.
    step : float
        The share of all elements that a stop prunes; but at most 2.5 times this share of those
        that are left, so that the sparse end is walked in small steps.
    refit : int
        How many iterations to fit at each stop.
    least : float
        The share of elements at which the path ends. It ends sooner if nothing is explained.
    basis : {"auto", "rotated", "plain"}
        Pruning depends on the basis of the components. "rotated" first turns each mode into the
        sparsest basis there is, "plain" leaves it; "auto" prunes both, and keeps that of the
        lower criterion. A mode is not turned if ``nonnegative``, ``support``, ``keep`` or
        ``fixed`` name it, and none is if they name the core.
    n_starts : int
        From how many random starts to burn in; the best goes on.
    loss, allocation, offset
        As for `fit`.
    lam : float, optional
        The weight of the penalty as for `fit`; by default it goes with the noise: the dense
        model's squared error, on the scale of the values.
    init : "data" or (core, factors)
        The start: burn-ins as for `fit`, or arrays, which are fitted until they settle.
    nonnegative, support, keep, fixed
        As for `fit`.
    seed, threads, progress, check_memory
        As for `fit`.

    Returns
    -------
    Path
        Ctrl-C does not lose the work: the path so far is returned, with a warning. Before the
        first stop is complete, it is an ordinary KeyboardInterrupt.

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
    from vest_tucker.path_result import Elbow  # loaded by those who ask for a path

    check_choice("elbow", elbow, get_args(Elbow))
    check_choice("basis", basis, get_args(Basis))
    if elbow == "validation" and validation is None:
        raise OptionError('elbow="validation" needs entries held back: validation=...')
    step, least = check_rate("step", step), check_rate("least", least)
    refit = check_whole("refit", refit, at_least=1)
    options = options_of(
        loss=loss, allocation=allocation, offset=offset, lam=lam, n_starts=n_starts,
        threads=threads, progress=progress, check_memory=check_memory,
    )  # fmt: skip
    given = check_start(init)
    rng = generator(seed)
    told = {"nonnegative": nonnegative, "support": support, "keep": keep, "fixed": fixed}
    problem = pose(X, ranks, options, **told)
    fixed_parts = frozenset(problem.known.fixed)
    plan = Pruning.down_to(X.shape, problem.ranks, least, allocation, fixed_parts)
    problem = dataclasses.replace(problem, pruning=plan)
    watch = None if validation is None else Watch.over(problem, validation, patience=1)
    parts = None if given is None else checks.start(given, X.shape, problem.ranks)
    dense = data_start(problem, n_starts, rng, parts)
    walks: list[Walk] = []
    try:
        for name, start in bases(dense, problem, basis, rng):
            walks.append(Walk(name, problem, start, watch))
            walks[-1].go(step, refit)
    except KeyboardInterrupt:
        walks = walks[:1] if len(walks) > 1 else walks  # half a curve has no knee to compare
        if not walks or not walks[0].records:
            raise
        message = f"interrupted after {len(walks[0].records)} stops; the path is as far as it went"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    return result_of(walks, elbow)


@dataclass
class Walk:
    """A path from one start: what each stop was like."""

    name: str
    problem: Problem
    start: Start
    watch: Watch | None
    records: list[IterationRecord] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    spreads: list[float] = field(default_factory=list)

    @property
    def lam(self) -> float:
        """The penalty: the one asked for, or the start's own."""
        asked = self.problem.options.lam
        if asked is not None:
            assert asked != "auto"
            return asked
        return self.problem.default_lam if self.start.lam is None else self.start.lam

    def go(self, step: float, refit: int) -> None:
        """Fit, look, prune, until the plan's end or nothing is explained."""
        problem, plan = self.problem, self.problem.pruning
        solver = problem.solver(self.start, self.lam)
        parts = [self.start.core, *self.start.factors]
        total = sum(plan.sizes)
        most = expected_stops(step, 1.0 - sum(plan.limits) / max(1, total))
        with Progress(problem.options.progress, most, title=f"path, {self.name}  ") as show:
            while True:
                began = time.perf_counter()
                for _ in range(refit):
                    update(solver, problem, self.start, self.lam, t=1)
                more = plan.goes_on(solver)
                error = finite(solver.error(judge=more), len(self.records) + 1)
                unseen, spread = self._judged(parts)
                snapshot = Snapshot.of(parts)
                batch = plan.batch(step, solver, of_kept=min(1.0, SHARE_OF_KEPT * step))
                record = record_of(
                    solver, len(self.records) + 1, error, sum(batch) / max(1, total),
                    time.perf_counter() - began, unseen,
                )  # fmt: skip
                self._keep(record, snapshot, spread)
                show(record)
                own = error * problem.X.norm / max(problem.values.norm, 1e-300)
                if not more or own > EXPLAINS_NOTHING:
                    break
                solver.prune(batch)

    def _judged(self, parts: list[Floats]) -> tuple[float, float]:
        if self.watch is None:
            return float("nan"), float("nan")
        return self.watch.judge(parts[0], parts[1:])

    def _keep(self, record: IterationRecord, snapshot: Snapshot, spread: float) -> None:
        self.spreads.append(spread)
        self.snapshots.append(snapshot)
        self.records.append(record)  # last: a stop that was interrupted has no record

    @property
    def n_parameters(self) -> list[int]:
        """How many numbers each stop takes, the offset's among them."""
        offset = self.problem.offset
        more = 0 if offset is None else offset.n_parameters
        kept = self.snapshots[: len(self.records)]
        return [snapshot.n_nonzero + more for snapshot in kept]

    @property
    def criteria(self) -> list[float]:
        """The criterion at each stop."""
        errors = [record.error for record in self.records]
        return description_length(errors, self.n_parameters, self.problem.X.nnz).tolist()


def bases(
    dense: Start, problem: Problem, basis: Basis, rng: np.random.Generator
) -> Iterator[tuple[str, Start]]:
    """Yield the starts to prune from, by name; a plain one where no mode may turn."""
    turned = None if basis == "plain" else rotated(dense, problem, rng)
    if turned is not None:
        yield "rotated", turned
    if turned is None or basis == "auto":
        yield "plain", dense


def result_of(walks: list[Walk], elbow: Any) -> Path:
    """Keep the walk of the lower criterion."""
    from vest_tucker.path_result import Path, PathStep

    best = min(walks, key=lambda walk: min(walk.criteria))
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
    facts = problem.facts | {
        "lam": best.lam, "lam_used": problem.lam_scale * best.lam, "seconds": seconds,
    }  # fmt: skip
    return Path(
        steps, elbow, best.name, {walk.name: min(walk.criteria) for walk in walks},
        tuple(best.snapshots), tuple(best.records), facts, tuple(problem.scaled_modes),
    )  # fmt: skip


def options_of(**given: Any) -> FitOptions:
    """Return the options of the fits at each stop; the rest says nothing here."""
    if given["lam"] == "auto":
        raise OptionError('lam is "auto"; a path takes a number, or None for one that the data set')
    return FitOptions(
        sparsity=0.0, lam_core=None, lam_rows=None, scale_lam=True, max_iter=1, tol=None,
        init_prune_rate=1.0, max_prune_rate=1.0, elbow=1.0, revive=False, patience=1,
        standardize=True, callback=None, **given,
    )  # fmt: skip


def check_start(init: Any) -> tuple[ArrayLike, Iterable[ArrayLike]] | None:
    """Return the arrays given, if there are any."""
    if isinstance(init, str) or init is None:
        if init != "data":
            raise InitError(f'init is {init!r}; choose "data", or a pair (core, factors)')
        return None
    arrays: tuple[ArrayLike, Iterable[ArrayLike]] = init
    return arrays


def expected_stops(step: float, least: float) -> int:
    """Return about how many stops there are down to a share of elements.

    Examples
    --------
    >>> expected_stops(0.1, 0.8), expected_stops(0.02, 0.03)
    (3, 82)
    """
    kept, stops = 1.0, 1
    while kept > least + 1e-9:
        kept -= step * min(1.0, SHARE_OF_KEPT * kept)
        stops += 1
    return stops
