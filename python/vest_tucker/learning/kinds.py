"""Which learner goes with a model: one that pays penalties, or one whose rows have variances.

What `fold_in` and `update` have in common begins and ends here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vest_tucker.base.types import Coords, Floats
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.learning.arrivals import Arrivals, meet
from vest_tucker.learning.learner import Learner, penalties_of, require_ready
from vest_tucker.learning.noisy import NoisyLearner, noisy_penalties, with_variances
from vest_tucker.learning.row_penalty import RowPenalty
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.offset import Offset


def arrived(model: TuckerModel, X: SparseTensor, who: str) -> Arrivals:
    """Check that a model can learn from the entries of a tensor; return them as rows of it."""
    require_ready(model, X, who)
    return meet(X, model.mode_labels, model.shape)


def penalties_by_loss(model: TuckerModel, nonnegative: bool | None) -> list[RowPenalty]:
    """Return what the rows of each factor pay."""
    of = noisy_penalties if model.penalty == "bayes" else penalties_of
    return of(model, nonnegative)


def learner_of(
    model: TuckerModel,
    factors: list[Floats],
    offset: Offset | None,
    coords: Coords,
    X: SparseTensor,
    remembered: list[Floats],
    threads: int,
) -> Learner:
    """Return a learner for new entries, given factors with room for new rows."""
    common = (model.core, factors, offset, coords, X.values, remembered, threads, X.weights)
    if model.penalty != "bayes":
        return Learner(*common)
    more = [len(factor) - dim for factor, dim in zip(factors, model.shape, strict=True)]
    return NoisyLearner(
        *common, constant=model.constant, noise=model.noise, variances=with_variances(model, more)
    )


def stand_in_for_none(model: TuckerModel, mode: int) -> Floats:
    """Return the row of a number that no entry has: zeros, but for a constant column."""
    row = np.zeros(model.ranks[mode])
    row[0] = float(model.constant)
    return row


def variances_after(
    model: TuckerModel, learner: Learner, only: int | None = None
) -> dict[str, Any]:
    """Return the fields of a model with the variances that rows have after learning.

    ``only`` is the mode that has learned; None for all.
    """
    if not isinstance(learner, NoisyLearner) or model.factor_variances is None:
        return {"core_variance": None, "factor_variances": None}  # what is new has none
    return {
        "factor_variances": [
            now if only is None or mode == only else before
            for mode, (now, before) in enumerate(
                zip(learner.variances, model.factor_variances, strict=True)
            )
        ]
    }
