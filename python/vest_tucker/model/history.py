"""What one iteration of a fit did: the line that it leaves in the model's history."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vest_tucker.base.public import public


@public
@dataclass(frozen=True, slots=True)
class IterationRecord:
    """What one iteration of Algorithm 1 did.

    Attributes
    ----------
    iteration : int
        Its number, from 1.
    error : float
        RE after the updates and before this iteration's pruning.
    sparsity : float
        Share of zeros in the core and all factors after this iteration.
    pruned : float
        Share of pruned elements after it (a zero need not be pruned, and a revived element may
        still be zero).
    prune_rate : float
        pr_t while pruning was on, including the iteration that stopped it; 0 afterwards.
    seconds : float
        How long it took.
    validation_error : float
        RE, after it, on the entries held back; NaN if there are none.
    """

    iteration: int
    error: float
    sparsity: float
    pruned: float
    prune_rate: float
    seconds: float
    validation_error: float = math.nan

    def __post_init__(self) -> None:
        if math.isnan(self.validation_error):  # the one NaN, so that equal records compare so
            object.__setattr__(self, "validation_error", math.nan)
