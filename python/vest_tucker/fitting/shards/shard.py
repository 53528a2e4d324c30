"""What a shard does: its own rows, and sums that others add up.

Every function takes a shard and the state of the fit, changes neither, and returns arrays of its
own: a call may be repeated, here or elsewhere, and gives the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vest_tucker import _core
from vest_tucker.base.types import Floats
from vest_tucker.fitting.shards.cut import Bounds

Marks = NDArray[np.uint8]


@dataclass(frozen=True)
class Shard:
    """Some neighbouring chunks of a mode, as the kernels read them, and which these are."""

    plan: _core.Plan
    bounds: Bounds

    @property
    def mode(self) -> int:
        """Whose rows these are."""
        return self.bounds.mode

    @property
    def rows(self) -> slice:
        """Which rows."""
        return self.bounds.rows

    @property
    def closed(self) -> slice:
        """Which of them it shares with no other shard, numbered from its first row."""
        first, closed = self.rows.start, self.bounds.closed
        return slice(closed.start - first, closed.stop - first)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.plan.nbytes


@dataclass(frozen=True)
class Charge:
    """What the elements of a factor pay: a penalty of the paper, or priors and noise."""

    kind: _core.PenaltyKind
    lam: float = 0.0
    nonnegative: bool = False
    row_weight: Floats | None = None
    precision: tuple[float, ...] = ()
    noise: float = 1.0

    def tell(self, solver: _core.Solver, part: int, rows: slice | NDArray[np.int64]) -> None:
        """Tell it to the solver of some rows of the factor."""
        if self.kind is _core.PenaltyKind.NOISE:
            solver.set_prior(
                part, precision=self.precision, noise=self.noise, nonnegative=self.nonnegative
            )
        elif self.row_weight is None:
            solver.set_penalty(part, lam=self.lam, nonnegative=self.nonnegative)
        else:
            own = np.ascontiguousarray(self.row_weight[rows])
            solver.set_penalty(part, lam=self.lam, nonnegative=self.nonnegative, row_weight=own)


@dataclass(frozen=True)
class State:
    """How a fit stands, as far as the rows of one mode are concerned.

    Attributes
    ----------
    core : ndarray
    factors : sequence of ndarray
        Of all modes, with all rows.
    variances : sequence of ndarray
        Of the core and the factors; empty where elements have none.
    marks : ndarray of uint8
        Those of the mode's factor.
    charge : Charge
        What its elements pay.
    isa : str
        Which build of the kernels runs, so that all places round alike.
    threads : int
    """

    core: Floats
    factors: Sequence[Floats]
    variances: Sequence[Floats]
    marks: Marks
    charge: Charge
    isa: str = ""
    threads: int = 0

    def solver(
        self, plan: _core.Plan, mode: int, rows: slice | NDArray[np.int64]
    ) -> tuple[_core.Solver, Floats, Floats | None]:
        """Return a solver of some rows, and their values and variances, in which it works."""
        factors, variances = list(self.factors), list(self.variances)
        own = factors[mode] = np.array(factors[mode][rows], order="C")
        unsure = None
        if variances:
            unsure = variances[mode + 1] = np.array(variances[mode + 1][rows], order="C")
        solver = _core.Solver(
            plan, self.core, factors, kind=self.charge.kind, lam=self.charge.lam,
            threads=self.threads, norm=1.0, isa=self.isa, variances=variances,
        )  # fmt: skip
        solver.set_marks(mode + 1, np.ascontiguousarray(self.marks[rows]))
        self.charge.tell(solver, mode + 1, rows)
        return solver, own, unsure


@dataclass(frozen=True)
class Ended:
    """Rows that were cut between shards, after their update; variances where elements have any."""

    rows: NDArray[np.int64]
    values: Floats
    variances: Floats | None


@dataclass(frozen=True)
class NewRows:
    """The closed rows of a shard after their update.

    ``pieces`` has the sums of those that end elsewhere.
    """

    values: Floats
    variances: Floats | None
    pieces: Floats

    def __sizeof__(self) -> int:
        arrays = (self.values, self.variances, self.pieces)
        return object.__sizeof__(self) + sum(each.nbytes for each in arrays if each is not None)


@dataclass(frozen=True)
class RowSums:
    """V and b of chosen rows, and ``pieces`` of those that end elsewhere."""

    V: Floats
    b: Floats
    pieces: Floats


@dataclass(frozen=True)
class Judged:
    """Responsibilities of a shard's closed rows, beside their marks, and what else fell out.

    ``squares`` are the squared residuals of each chunk.
    """

    scores: Floats
    marks: Marks
    pieces: Floats
    squares: Floats

    def __sizeof__(self) -> int:
        arrays = (self.scores, self.marks, self.pieces, self.squares)
        return object.__sizeof__(self) + sum(each.nbytes for each in arrays)


def update_rows(shard: Shard, state: State) -> NewRows:
    """Return the shard's rows after one update."""
    solver, own, unsure = state.solver(shard.plan, shard.mode, shard.rows)
    solver.update_factor(shard.mode)
    variances = None if unsure is None else unsure[shard.closed]
    return NewRows(own[shard.closed], variances, solver.open_sums())


def set_rows(
    target: Floats, which: str, closed: Sequence[slice], ended: Ended | None, new: Sequence[NewRows]
) -> None:
    """Set the rows of a factor: those of each shard, and those that ended elsewhere.

    ``which`` is "values" or "variances".
    """
    for rows, own in zip(closed, new, strict=True):
        target[rows] = getattr(own, which)
    if ended is not None:
        target[ended.rows] = getattr(ended, which)


def sum_rows(shard: Shard, state: State, rows: NDArray[np.int32]) -> RowSums:
    """Return the sums of those of the rows, numbered as in the whole factor, that are here."""
    solver, *_ = state.solver(shard.plan, shard.mode, shard.rows)
    here = rows[(rows >= shard.rows.start) & (rows < shard.rows.stop)] - shard.rows.start
    V, b = solver.row_sums(shard.mode, np.ascontiguousarray(here, dtype=np.int32))
    return RowSums(V, b, solver.open_sums())


def judge_rows(shard: Shard, state: State) -> Judged:
    """Return the responsibilities of the shard's rows."""
    solver, *_ = state.solver(shard.plan, shard.mode, shard.rows)
    scores = solver.responsibilities(shard.mode + 1)
    return Judged(
        scores[shard.closed].copy(), state.marks[shard.bounds.closed].copy(), solver.open_sums(),
        solver.squares()[0],
    )  # fmt: skip


def squares_of(shard: Shard, state: State) -> Floats:
    """Return the squared residuals of each chunk of a shard of the core's mode."""
    solver, *_ = state.solver(shard.plan, shard.mode, shard.rows)
    solver.error()
    squares: Floats = solver.squares()[0]
    return squares


@dataclass(frozen=True)
class CoreSum:
    """Which sums over all entries the core asks for, and how many numbers they are."""

    kind: _core.CoreSumKind
    size: int
    elements: NDArray[np.uint64]
    products: bool
    moments: bool


def core_sums(shard: Shard, state: State, which: CoreSum) -> Floats:
    """Return them over a shard of the core's mode, slot by slot."""
    solver, *_ = state.solver(shard.plan, shard.mode, shard.rows)
    return solver.core_sums(which.kind, which.size, which.elements, which.products, which.moments)
