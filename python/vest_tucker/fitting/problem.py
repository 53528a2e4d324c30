"""What a fit solves: the values an offset leaves, what elements pay, and what is known of them.

It is posed once; a fit may then start at it from several places.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vest_tucker import _core
from vest_tucker.base import checks, memory
from vest_tucker.base.options import ALLOCATIONS, LAM_ROWS, LOSSES, FitOptions
from vest_tucker.base.parts import part_sizes
from vest_tucker.base.types import Counts, Floats
from vest_tucker.data.per_row import entries_per_row
from vest_tucker.data.tensor import SparseTensor, require_tensor, require_unchanged
from vest_tucker.fitting import constraints
from vest_tucker.fitting.constraints import Known
from vest_tucker.fitting.offset import fit_offset
from vest_tucker.fitting.pruning import Pruning
from vest_tucker.fitting.starts.start import Start
from vest_tucker.model.measure import constant_error
from vest_tucker.model.offset import Offset, residuals

PAPERS_LAM = 5.0
LAM_PER_SQUARE = 4.0  # what the paper's lam is about for centred ratings


@dataclass(frozen=True)
class Problem:
    """A tensor, the model wanted of it, and how its elements are to pay.

    Attributes
    ----------
    X : SparseTensor
        The observed entries.
    ranks : tuple of int
    options : FitOptions
    known : Known
    offset : Offset or None
    deviations : ndarray, shape (nnz,)
        What the offset leaves of the values,
    values : _core.SparseTensor
        and the same as a tensor.
    entries : list of ndarray, shape (I_n,)
        How many there are in each row of each mode.
    baseline_error : float
        RE of always predicting the mean.
    pruning : Pruning
    """

    X: SparseTensor
    ranks: tuple[int, ...]
    options: FitOptions
    known: Known
    offset: Offset | None
    deviations: Floats
    values: _core.SparseTensor
    entries: list[Counts]
    baseline_error: float
    pruning: Pruning

    @property
    def rms(self) -> float:
        """Root mean square of the values."""
        return self.values.norm / math.sqrt(self.X.nnz)

    @property
    def entries_per_element(self) -> float:
        """How many entries there are for each element of the model."""
        return self.X.nnz / sum(part_sizes(self.X.shape, self.ranks))

    @property
    def lam_scale(self) -> float:
        """What lam is multiplied with."""
        return self.entries_per_element if self.options.scale_lam else 1.0

    @property
    def default_lam(self) -> float:
        """The penalty where none is given: the paper's, or less where an offset leaves little."""
        if self.offset is None:
            return PAPERS_LAM
        return min(PAPERS_LAM, LAM_PER_SQUARE * self.rms**2)

    @property
    def nothing_left(self) -> bool:
        """Whether the offset leaves nothing to factor."""
        return self.offset is not None and self.offset.is_exact

    @property
    def facts(self) -> dict[str, Any]:
        """What a model says of the tensor and the options it was fitted with."""
        X = self.X
        return {
            "baseline_error": self.baseline_error, "loss": self.options.loss, "nnz": X.nnz,
            "modes": X.modes, "labels": X.labels, "entries": self.entries, "offset": self.offset,
            "lam_rows": self.options.lam_rows or "",
        }  # fmt: skip

    @property
    def scaled_modes(self) -> list[int]:
        """Modes whose factors may be given columns of norm 1, for the core can make up for it."""
        return [] if 0 in self.known.fixed else self.free_modes

    @property
    def free_modes(self) -> list[int]:
        """Modes whose factors are fitted."""
        return [mode for mode in range(self.X.order) if mode + 1 not in self.known.fixed]

    def solver(self, start: Start, lam: float) -> _core.Solver:
        """Make a solver that works in the start's arrays: they turn into the result."""
        core, factors = start.core, start.factors
        known = self.known.and_also(start.known)
        if self.nothing_left:
            core.fill(0.0)  # from zero nothing grows
        known.put_into(core, factors)
        solver = _core.Solver(
            self.values, core, factors, loss=LOSSES[self.options.loss], lam=self.lam_scale * lam,
            threads=self.options.threads, allocation=ALLOCATIONS[self.options.allocation],
            norm=self.X.norm,
        )  # fmt: skip
        self.charge(solver, lam)
        known.tell(solver)
        return solver

    def charge(self, solver: _core.Solver, lam: float) -> None:
        """Tell a solver what the elements of each part pay."""
        self.charge_core(solver, lam)
        for mode in range(self.X.order):
            weights = self.row_weights(mode)
            solver.set_penalty(
                mode + 1,
                lam=self.lam_scale * lam,
                nonnegative=mode + 1 in self.known.nonnegative,
                **({} if weights is None else {"row_weight": weights}),
            )

    def charge_core(self, solver: _core.Solver, lam: float) -> None:
        """Tell a solver what the elements of the core pay."""
        own = self.options.lam_core
        paid = self.lam_scale * (lam if own is None else own)
        solver.set_penalty(0, lam=paid, nonnegative=0 in self.known.nonnegative)

    def balanced(self, start: Start, lam: float) -> float:
        """Return a penalty for the core at which it neither grows nor shrinks against the factors.

        A core element of 1 then pays as much as the columns that it joins.
        """
        modes = start.modes or tuple(range(self.X.order))
        sums = []
        for mode in modes:
            weights = self.row_weights(mode)
            squares = start.factors[mode] ** 2
            sums.append((squares if weights is None else weights[:, None] * squares).sum(0).mean())
        return lam * float(np.mean(sums))

    def row_weights(self, mode: int) -> Floats | None:
        """Return what the rows of a mode pay beside each other; None if all pay the same."""
        power = LAM_ROWS[self.options.lam_rows or "equal"]
        return None if power == 0.0 else row_weights(self.entries[mode], power)


def pose(X: SparseTensor, ranks: int | Iterable[int], options: FitOptions, **told: Any) -> Problem:
    """Check what a fit is asked to do, before any work; ``told`` is for `constraints.gather`."""
    require_tensor(X, "fit")
    checked = checks.tucker_ranks(ranks, X.shape)
    require_unchanged(X)
    checks.norm(X.norm, X.values)
    if options.check_memory:
        memory.require(
            X.shape, X.nnz, checked, options.threads,
            allocation=ALLOCATIONS[options.allocation], offset=options.offset is not None,
        )  # fmt: skip
    return posed(X, checked, options, constraints.gather(X.mode_labels, X.shape, checked, **told))


def posed(X: SparseTensor, ranks: tuple[int, ...], options: FitOptions, gathered: Known) -> Problem:
    """Pose a problem of which all is checked: the one asked for, or the same for other entries."""
    offset = None if options.offset is None else fit_offset(X, options.offset)
    left = X.values if offset is None else residuals(X, offset)
    return Problem(
        X, ranks, options, gathered, offset, left,
        values=X._handle if offset is None else _core.SparseTensor(X.coords, left, X.shape),
        entries=entries_per_row(X.coords, X.shape),
        baseline_error=constant_error(X.mean, X),
        pruning=Pruning.plan(
            X.shape, ranks, options.sparsity, options.allocation, frozenset(gathered.fixed)
        ),
    )  # fmt: skip


def row_weights(entries: Counts, power: float) -> Floats:
    """Return how much more than the average row each one pays, by a power of its entries.

    Examples
    --------
    >>> row_weights(np.array([1, 0, 3]), power=1.0).tolist()
    [0.5, 0.0, 1.5]
    >>> row_weights(np.array([1, 0, 9]), power=0.5).tolist()
    [0.5, 0.0, 1.5]
    """
    weights: Floats = entries.astype(np.float64) ** power
    weights *= np.count_nonzero(entries) / weights.sum()
    return weights
