"""What a fit solves: the values that an offset leaves, the model wanted of them, its constraints.

A problem is made once; fits from several starts share it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypedDict, TypeVar

from vest_tucker import _core
from vest_tucker.base import checks, memory
from vest_tucker.base.errors import RanksWarning
from vest_tucker.base.options import ALLOCATIONS
from vest_tucker.base.parts import part_sizes
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.types import Counts, Floats, Labels
from vest_tucker.data.per_row import entries_per_row, totals_per_row
from vest_tucker.data.tensor import SparseTensor, require_tensor, require_unchanged
from vest_tucker.fitting import constraints
from vest_tucker.fitting.basis.sparse import bytes_to_turn
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.offset import fit_offset
from vest_tucker.fitting.options import FitOptions
from vest_tucker.fitting.pruning import Pruning
from vest_tucker.fitting.shards.entries import make_plan
from vest_tucker.model.measure import constant_error
from vest_tucker.model.offset import Offset, residuals

Value = TypeVar("Value")
# Elements of a core from which on an iteration takes seconds even if there are few entries.
LARGE_CORE = 2_000_000


class Lazily(Generic[Value]):
    """A property that is computed when it is first asked for, and kept.

    That of functools has, before Python 3.12, a lock that all objects of a class share: fits in
    several threads would make their plans one after the other, and a process that was forked
    meanwhile would wait for a lock that nobody there can open.

    Examples
    --------
    >>> class Sum:
    ...     @Lazily
    ...     def total(self) -> int:
    ...         print("adding")
    ...         return 3
    >>> found = Sum()
    >>> found.total + found.total
    adding
    6
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute, self.name, self.__doc__ = compute, compute.__name__, compute.__doc__

    def __get__(self, owner: object, _: type) -> Value:
        # The value then lies where Python looks before it asks here.
        value = vars(owner)[self.name] = self.compute(owner)
        return value


@dataclass(frozen=True)
class LazyPlan:
    """A plan that is made when the first solver asks for it.

    Sorting the entries takes as long as several iterations, so solvers that differ in nothing but
    their start or penalty share one. It is freed with the last problem that holds it.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0])
    >>> plan = LazyPlan(X._handle, (1, 1), threads=1)
    >>> plan.made is plan.made
    True
    """

    target: _core.SparseTensor
    ranks: Sequence[int]
    threads: int

    @Lazily
    def made(self) -> _core.Plan:
        """The plan itself."""
        return make_plan(self.target, self.ranks, threads=self.threads)


class FitFacts(TypedDict, total=False):
    """What a fit knows of a model beside its arrays: keyword arguments of `TuckerModel`."""

    modes: tuple[str, ...]
    labels: tuple[Labels | None, ...]
    entries: list[Counts]
    row_totals: list[Floats] | None
    nnz: int
    offset: Offset | None
    baseline_error: float
    validation_baseline: float
    loss: str
    lam: float
    lam_used: float
    lam_rows: str
    value_range: tuple[float, float]
    seconds: float


@dataclass(frozen=True)
class Problem:
    """A tensor and the model wanted of it.

    Attributes
    ----------
    X : SparseTensor
        The observed entries.
    ranks : tuple of int
    options : FitOptions
    constraints : Constraints
    offset : Offset or None
    deviations : ndarray, shape (nnz,)
        The values minus the offset.
    target : _core.SparseTensor
        The same as a tensor: what the solver fits.
    row_counts : list of ndarray, shape (I_n,)
        The number of entries in each row of each mode.
    row_totals : list of ndarray, shape (I_n,), or None
        The summed weights of these entries; None if they have no weights.
    baseline_error : float
        RE of always predicting the mean.
    pruning : Pruning
    plan : LazyPlan
        The target sorted for the kernels: solvers of this problem, and of copies of it, share it.
    """

    X: SparseTensor
    ranks: tuple[int, ...]
    options: FitOptions
    constraints: Constraints
    offset: Offset | None
    deviations: Floats
    target: _core.SparseTensor
    row_counts: list[Counts]
    row_totals: list[Floats] | None
    baseline_error: float
    pruning: Pruning
    plan: LazyPlan

    @property
    def rms(self) -> float:
        """Root mean square of what the offset leaves of the values."""
        return self.target.norm / math.sqrt(self.X.total_weight)

    @property
    def entries_per_element(self) -> float:
        """How many entries there are for each element of the model, each counting as its weight."""
        return self.X.total_weight / sum(part_sizes(self.X.shape, self.ranks))

    @property
    def row_amounts(self) -> Sequence[Counts | Floats]:
        """How many entries those of each row count as: the summed weights, or their number."""
        return self.row_counts if self.row_totals is None else self.row_totals

    @property
    def nothing_left(self) -> bool:
        """Whether the offset leaves nothing to factor."""
        return self.offset is not None and self.offset.is_exact

    @property
    def facts(self) -> FitFacts:
        """What a model says of the tensor and the options it was fitted with."""
        X = self.X
        return {
            "baseline_error": self.baseline_error, "loss": self.options.penalty, "nnz": X.nnz,
            "modes": X.modes, "labels": X.labels, "entries": self.row_counts, "offset": self.offset,
            "row_totals": self.row_totals, "lam_rows": self.options.lam_rows or "",
            "value_range": (float(X.values.min()), float(X.values.max())),
        }  # fmt: skip

    @property
    def scaled_modes(self) -> list[int]:
        """Modes whose factors may be given columns of norm 1, for the core can make up for it."""
        return [] if 0 in self.constraints.fixed else self.free_modes

    @property
    def free_modes(self) -> list[int]:
        """Modes whose factors are fitted."""
        return [mode for mode in range(self.X.order) if mode + 1 not in self.constraints.fixed]


def check_and_make_problem(
    X: SparseTensor, ranks: int | Iterable[int], options: FitOptions, *, turns: bool = False,
    **told: Any,
) -> Problem:  # fmt: skip
    """Check what a fit is asked to do, before any work.

    ``turns`` says that it starts from a fit of its own in another basis; ``told`` is for
    `constraints.parse`.
    """
    require_tensor(X, "fit")
    checked = checks.tucker_ranks(ranks, X.shape)
    require_unchanged(X)
    if math.prod(checked) > LARGE_CORE:
        warn(
            f"ranks {checked} make a core of {math.prod(checked):,} elements, each of which is "
            f"updated in every iteration: that takes seconds to minutes per iteration, of which "
            f"there are up to {options.max_iter:,}; lower the ranks of some modes, to 1 where a "
            f"mode matters little, or give a small max_iter",
            RanksWarning,
        )
    checks.norm(X.norm, X.values)
    if options.check_memory:
        memory.require(
            X.shape, X.nnz, checked, options.threads,
            allocation=ALLOCATIONS[options.allocation], offset=options.offset is not None,
            weighted=X.weights is not None, models=0.0 if options.n_starts in (None, 1) else 2.0,
            split=options.lam == "auto", turning=bytes_to_turn(X.shape, checked) if turns else 0.0,
        )  # fmt: skip
    return make_problem(
        X, checked, options, constraints.parse(X.mode_labels, X.shape, checked, **told)
    )


def make_problem(
    X: SparseTensor, ranks: tuple[int, ...], options: FitOptions, parsed: Constraints
) -> Problem:
    """Pose a problem of which all is checked: the one asked for, or the same for other entries."""
    offset = None if options.offset is None else fit_offset(X, options.offset)
    left = X.values if offset is None else residuals(X, offset)
    target = X._handle if offset is None else X._handle.with_values(left)
    return Problem(
        X, ranks, options, parsed, offset, left,
        target=target,
        row_counts=entries_per_row(X.coords, X.shape),
        row_totals=None if X.weights is None else totals_per_row(X.coords, X.shape, X.weights),
        baseline_error=constant_error(X.mean, X),
        pruning=Pruning.plan(
            X.shape, ranks, options.sparsity, options.allocation, frozenset(parsed.fixed)
        ),
        plan=LazyPlan(target, ranks, options.threads),
    )  # fmt: skip
