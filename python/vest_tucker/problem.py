"""What a fit solves: the values an offset leaves, what elements pay, and what is known of them.

It is posed once; a fit may then start at it from several places.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vest_tucker import _core, checks, known, memory
from vest_tucker.checks import Floats
from vest_tucker.known import Known
from vest_tucker.model import constant_error
from vest_tucker.offset import Offset, deviations, fit_offset
from vest_tucker.options import ALLOCATIONS, LOSSES, FitOptions
from vest_tucker.prediction import Counts, entries_per_row
from vest_tucker.pruning import Pruning
from vest_tucker.schedule import part_sizes
from vest_tucker.tensor import SparseTensor, require_tensor, require_unchanged


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
    values : _core.SparseTensor
        What the offset leaves of the entries.
    entries : list of ndarray, shape (I_n,)
        How many there are in each row of each mode.
    baseline_error : float
        RE of always predicting the mean.
    lam_scale : float
        What lam is multiplied with.
    pruning : Pruning
    """

    X: SparseTensor
    ranks: tuple[int, ...]
    options: FitOptions
    known: Known
    offset: Offset | None
    values: _core.SparseTensor
    entries: list[Counts]
    baseline_error: float
    lam_scale: float
    pruning: Pruning

    @property
    def rms(self) -> float:
        """Root mean square of the values."""
        return self.values.norm / math.sqrt(self.X.nnz)

    @property
    def free_modes(self) -> list[int]:
        """Modes whose factors are fitted."""
        return [mode for mode in range(self.X.order) if mode + 1 not in self.known.fixed]

    def solver(self, core: Floats, factors: list[Floats], lam: float) -> _core.Solver:
        """Make a solver that works in these arrays: they turn from the start into the result."""
        if self.offset is not None and self.offset.is_exact:
            core.fill(0.0)  # nothing is left to factor, and from zero nothing grows
        self.known.put_into(core, factors)
        solver = _core.Solver(
            self.values, core, factors, loss=LOSSES[self.options.loss], lam=self.lam_scale * lam,
            threads=self.options.threads, allocation=ALLOCATIONS[self.options.allocation],
            norm=self.X.norm,
        )  # fmt: skip
        self.charge(solver, lam)
        self.known.tell(solver)
        return solver

    def charge(self, solver: _core.Solver, lam: float) -> None:
        """Tell a solver what the elements of each part pay."""
        lam_core = lam if self.options.lam_core is None else self.options.lam_core
        for part in range(1 + self.X.order):
            extra = {} if part == 0 or self.options.lam_rows == "equal" else self._weights(part - 1)
            solver.set_penalty(
                part,
                lam=self.lam_scale * (lam if part else lam_core),
                nonnegative=part in self.known.nonnegative,
                **extra,
            )

    def _weights(self, mode: int) -> dict[str, Floats]:
        return {"row_weight": row_weights(self.entries[mode])}


def pose(X: SparseTensor, ranks: int | Iterable[int], options: FitOptions, **told: Any) -> Problem:
    """Check what a fit is asked to do, before any work; ``told`` is what `known.gather` takes."""
    require_tensor(X, "fit")
    checked = checks.tucker_ranks(ranks, X.shape)
    require_unchanged(X)
    checks.norm(X.norm, X.values)
    if options.check_memory:
        memory.require(
            X.shape, X.nnz, checked, options.threads,
            allocation=ALLOCATIONS[options.allocation], offset=options.offset is not None,
        )  # fmt: skip
    gathered = known.gather(X.mode_labels, X.shape, checked, **told)
    fixed = frozenset(gathered.fixed)
    offset = None if options.offset is None else fit_offset(X, options.offset)
    return Problem(
        X, checked, options, gathered, offset,
        values=X._handle if offset is None else deviations(X, offset),
        entries=entries_per_row(X.coords, X.shape),
        baseline_error=constant_error(X.mean, X),
        lam_scale=X.nnz / sum(part_sizes(X.shape, checked)) if options.scale_lam else 1.0,
        pruning=Pruning.plan(X.shape, checked, options.sparsity, options.allocation, fixed),
    )  # fmt: skip


def row_weights(entries: Counts) -> Floats:
    """Return how much more than the average row each one pays: in proportion to its entries.

    Examples
    --------
    >>> row_weights(np.array([1, 0, 3])).tolist()
    [0.5, 0.0, 1.5]
    """
    mean = entries.sum() / max(1, np.count_nonzero(entries))
    weights: Floats = entries / mean
    return weights
