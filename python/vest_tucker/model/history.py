"""The record of one iteration of a fit, an element of the model's history."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

from vest_tucker.base.public import public


@public
@dataclass(frozen=True, slots=True)
class IterationRecord:
    """What one iteration of Algorithm 1 did.

    Attributes
    ----------
    iteration : int
        Number of the iteration, from 1.
    error : float
        RE after the updates and before this iteration's pruning.
    sparsity : float
        Share of zeros in the core and all factors after this iteration.
    pruned : float
        Share of pruned elements after this iteration. A zero need not be pruned, and a revived
        element may still be zero.
    prune_rate : float
        pr_t of the paper while elements are pruned, and in the iteration that ends pruning; 0
        afterwards.
    seconds : float
        Duration of the iteration.
    validation_error : float
        RE on the entries held back, after this iteration; NaN if there are none.
    """

    iteration: int
    error: float
    sparsity: float
    pruned: float
    prune_rate: float
    seconds: float
    validation_error: float = math.nan

    def __post_init__(self) -> None:
        if math.isnan(self.validation_error):  # always the same NaN object, so that == holds
            object.__setattr__(self, "validation_error", math.nan)

    def __eq__(self, other: object) -> bool:
        """Compare as tuples do, which take the same NaN for equal; dataclasses of 3.13 do not."""
        if not isinstance(other, IterationRecord):
            return NotImplemented
        return astuple(self) == astuple(other)
