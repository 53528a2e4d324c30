"""A running fit with variances: core, factors, how sure each element is, priors, and the solver."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker import _core
from vest_tucker.base.interrupts import RUNNING
from vest_tucker.base.options import ALLOCATIONS
from vest_tucker.base.parts import CORE
from vest_tucker.base.types import Counts, Floats
from vest_tucker.data.per_row import entries_per_row, totals_per_row
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.constraints import Constraints, Masks
from vest_tucker.fitting.engine import finite
from vest_tucker.fitting.noise.priors import Priors
from vest_tucker.fitting.problem import Lazily
from vest_tucker.fitting.shards.entries import make_plan, solver_on
from vest_tucker.model.meaning.importance import Importance, measure
from vest_tucker.model.offset import Offset

FIRST_VARIANCE = 1e-4  # of a random start, relative to the square of an element's size
LEAST = 1e-300  # what has a logarithm
EXACT = 1e-12  # an offset that leaves less than this share of the values leaves rounding alone


@dataclass(frozen=True)
class Target:
    """The values to fit, with what all fits of them share.

    Attributes
    ----------
    X : SparseTensor
        The observed entries.
    values : ndarray, shape (nnz,)
        What is to be fitted of them: the values, or what an offset leaves.
    threads : int
    constraints : Constraints
    allocation : str
    offset : Offset or None
        What was taken off the values.
    """

    X: SparseTensor
    values: Floats
    threads: int = 0
    constraints: Constraints = field(default_factory=Constraints)
    allocation: str = "global"
    offset: Offset | None = None

    @Lazily
    def handle(self) -> _core.SparseTensor:
        """The values as a tensor of the core."""
        same = self.values is self.X.values
        return self.X._handle if same else self.X._handle.with_values(self.values)

    @Lazily
    def row_amounts(self) -> Sequence[Counts | Floats]:
        """How many entries those of each row of each mode count as: summed weights, or numbers."""
        X = self.X
        if X.weights is None:
            return entries_per_row(X.coords, X.shape)
        return totals_per_row(X.coords, X.shape, X.weights)

    @property
    def norm(self) -> float:
        """The norm that errors are relative to: that of the values, unless they are all but zero.

        An offset can be exact; what it leaves is then measured on the scale of the entries.
        """
        return max(self.handle.norm, EXACT * self.X.norm)

    @property
    def square(self) -> float:
        """Mean square of the values."""
        return self.norm**2 / self.X.total_weight

    @property
    def noise(self) -> float:
        """What the noise of an entry of weight 1 would be if the values were noise alone."""
        return self.norm**2 / self.X.nnz

    @property
    def size(self) -> float:
        """If every element has this size, a prediction has the size of a value."""
        return float(self.square ** (0.5 / (self.X.order + 1)))


@stored
@dataclass
class Parts:
    """Core and factors with their variances: part 0 is the core, part n + 1 the factor of mode n.

    Attributes
    ----------
    values, variances : list of ndarray
    fixed : dict of mask by part
        Elements that keep the value they have.
    zero : dict of mask by part
        Elements that are zero for good.
    constant : bool
        Whether the first column of every factor is constant one.
    absent : dict of mask by part
        Elements of rows that have no entry in the target of the fit: zero, and counted nowhere.
    """

    values: list[Floats]
    variances: list[Floats]
    fixed: Masks = field(default_factory=dict)
    zero: Masks = field(default_factory=dict)
    constant: bool = False
    absent: Masks = field(default_factory=dict)

    @property
    def core(self) -> Floats:
        """The core."""
        return self.values[CORE]

    @property
    def factors(self) -> list[Floats]:
        """The factors."""
        return self.values[1:]

    @property
    def ranks(self) -> tuple[int, ...]:
        """J_1, ..., J_N."""
        return self.core.shape

    def copy(self) -> Parts:
        """Return the same parts in arrays of their own."""
        values, variances = (
            [each.copy() for each in some] for some in (self.values, self.variances)
        )
        fixed, zero, absent = (dict(some) for some in (self.fixed, self.zero, self.absent))
        return Parts(values, variances, fixed, zero, self.constant, absent)

    @property
    def n_elements(self) -> int:
        """How many elements there are that are neither fixed nor ruled out from the start."""
        total = sum(each.size for each in self.values)
        ruled_out = (self.fixed, self.zero, self.absent)
        return total - sum(int(mask.sum()) for some in ruled_out for mask in some.values())

    @property
    def n_live(self) -> int:
        """How many of them are not zero."""
        return sum(int(np.count_nonzero(each)) for each in self.variances)


@stored
class Posterior:
    """Parts that are being fitted to a target."""

    def __init__(
        self,
        target: Target,
        parts: Parts,
        priors: Priors,
        pruned: Sequence[NDArray[np.bool_]] | None = None,
    ) -> None:
        self.target, self.parts, self.priors = target, parts, priors
        constraints = target.constraints
        for part, mask in constraints.zero.items():
            parts.zero[part] = parts.zero.get(part, np.zeros(mask.shape, bool)) | mask
        for part, array in constraints.fixed.items():
            np.copyto(parts.values[part], array)
            parts.fixed[part] = np.ones(array.shape, dtype=bool)
        parts.absent = self._absent()
        self._pruned: list[NDArray[np.bool_]] = []
        self._solver: _core.Solver | None = self._made(pruned)
        self.sweeps = 0
        self.error = np.nan

    @property
    def solver(self) -> _core.Solver:
        """Who updates the parts; made again where the fit has rested."""
        if self._solver is None:
            self._solver = self._made(self._pruned)
        return self._solver

    def rest(self) -> None:
        """Let go of plan and working space, which most of a fit's memory is, until it goes on."""
        if self._solver is not None:
            self._pruned, self._solver = self.masks, None

    def _made(self, pruned: Sequence[NDArray[np.bool_]] | None) -> _core.Solver:
        target, parts = self.target, self.parts
        plan = make_plan(
            target.handle, parts.ranks, threads=target.threads, sparse_core=parts.constant
        )
        solver = solver_on(
            plan, parts.core, parts.factors, kind=_core.PenaltyKind.NOISE, lam=0.0,
            threads=target.threads, allocation=ALLOCATIONS[target.allocation],
            variances=parts.variances, norm=target.norm,
        )  # fmt: skip
        for part, values in enumerate(parts.values):
            masks = [some[part] for some in (parts.zero, parts.absent) if part in some]
            masks += [] if pruned is None else [pruned[part]]
            if masks:
                solver.set_pruned(
                    part, np.logical_or.reduce([np.zeros(values.shape, bool), *masks])
                )
        for part, mask in target.constraints.kept.items():
            solver.set_kept(part, mask)
        for part, mask in parts.fixed.items():
            solver.set_fixed(part, mask)
        if parts.constant:  # what joins what is given; the mean is updated and stays
            solver.set_kept(CORE, np.ones(parts.core.shape, dtype=bool))
        return solver

    def _absent(self) -> Masks:
        """Return which elements belong to rows without entries; those ruled out anyway do not."""
        parts, found = self.parts, {}
        for part, amounts in enumerate(self.target.row_amounts, start=1):
            gone = np.asarray(amounts == 0)
            if gone.any() and part not in self.target.constraints.fixed:
                mask = np.repeat(gone[:, None], parts.values[part].shape[1], axis=1)
                for some in (parts.fixed, parts.zero):
                    mask &= ~some[part] if part in some else True
                found[part] = mask
        return found

    def sweep(self, *, learn: bool, judge: bool = False) -> float:
        """Update all factors and the core; return RE. With ``learn`` the priors follow."""
        RUNNING.check()
        self.priors.tell(self.solver, self.target.constraints.nonnegative)
        fixed = self.target.constraints.fixed
        self.solver.update_factors(
            [mode for mode in range(self.target.X.order) if mode + 1 not in fixed]
        )
        if CORE not in fixed:
            self.solver.update_core()
        self.sweeps += 1
        self.error = finite(self.solver.error(judge=judge), self.sweeps)
        if learn:
            self.learn()
        return self.error

    def learn(self, *, noise: bool = True) -> None:
        """Estimate the priors, and the noise, from how the parts stand."""
        squares = (self.error * self.target.norm) ** 2
        before, taken = self.priors.noise, self.priors.taken
        self.priors.learn(self.parts.values, self.parts.variances, squares, self.target.X.nnz)
        if not noise:  # in another basis these are the same, and not to be found anew
            self.priors.noise, self.priors.taken = before, taken

    @property
    def cost(self) -> float:
        """Minus twice the logarithm of the evidence, up to a constant: the less, the better.

        What the noise costs, and what the elements do: each as much as the data have narrowed it
        down from its prior.
        """
        price = self.target.X.nnz * math.log(max(self.priors.noise, LEAST))
        for variances, precision in zip(self.parts.variances, self.priors.precision, strict=True):
            narrowed = np.where(variances > 0.0, precision * variances, 1.0)
            price -= float(np.log(np.clip(narrowed, LEAST, 1.0)).sum())
        return price

    def prune(self, count: int) -> None:
        """Prune this many elements, the least responsible first."""
        free = self.solver.n_free
        if self.target.allocation == "global":
            self.solver.prune([min(count, sum(free))])
        else:
            share = count / max(1, sum(free))
            self.solver.prune([min(each, round(share * each)) for each in free])

    def replaced(self, parts: Parts, priors: Priors) -> Posterior:
        """Return a fit of the same target that goes on from other parts; this one rests."""
        self.rest()
        other = Posterior(self.target, parts, priors)
        other.sweeps = self.sweeps
        return other

    def become(self, other: Posterior) -> None:
        """Stand where another fit of the same target stands, and share its arrays."""
        self.parts, self.priors = other.parts, other.priors
        self._solver, self._pruned = other._solver, other._pruned
        self.sweeps, self.error = other.sweeps, other.error

    def to_store(self) -> dict[str, Any]:
        """Return what a file has of it: all but the target."""
        return {
            "parts": self.parts, "priors": self.priors, "pruned": self.masks,
            "sweeps": self.sweeps, "error": self.error,
        }  # fmt: skip

    @classmethod
    def from_store(cls, fields: dict[str, Any], target: Target) -> Posterior:
        """Return a fit of a target as it stood."""
        found = cls(target, fields["parts"], fields["priors"], fields["pruned"])
        found.sweeps, found.error = fields["sweeps"], fields["error"]
        return found

    @classmethod
    def at_rest(cls, fields: dict[str, Any], target: Target) -> Posterior:
        """Return a fit as it stood, which nobody may want to go on with."""
        found = cls.from_store(fields, target)
        found.rest()
        return found

    def measured(self) -> Importance:
        """Return what each part carries on the entries of the target."""
        target = self.target
        return measure(self.solver, target.norm, target.X, target.X.coords, target.offset)

    @property
    def masks(self) -> list[NDArray[np.bool_]]:
        """For each part, which elements are pruned or ruled out, those of absent rows left out."""
        if self._solver is None:
            return [mask.copy() for mask in self._pruned]
        masks = [self._solver.pruned(part) for part in range(len(self.parts.values))]
        for part, absent in self.parts.absent.items():
            masks[part] &= ~absent
        return masks


def first_variances(values: Sequence[Floats], size: float) -> list[Floats]:
    """Return the variances of a start: those of the core zero, the others small."""
    core, *factors = values
    return [np.zeros(core.shape), *(np.full(f.shape, FIRST_VARIANCE * size**2) for f in factors)]
