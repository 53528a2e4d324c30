"""The scale on which lam works, which standardizing hides and refitted rows need again.

Doubling a column of a factor and halving its slice of the core changes no prediction, but it
changes what the penalty asks. Standardized columns say nothing of the scale at which they were
fitted. Yet of all scales with the same predictions the penalty is least at one, at which every
column costs as much as its slice of the core; the updates of a fit lead there, so new rows are
penalised at that scale. On entries held out they are better for it: at norm 1, a penalty meant for
columns of norm 5 does next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vest_tucker.base.options import penalty_kind
from vest_tucker.base.parts import along_mode
from vest_tucker.base.types import Floats

MAX_SWEEPS = 500
SETTLED = 1e-12


def column_penalties(
    core: Floats, factors: Sequence[Floats], loss: str, lam: float
) -> list[Floats]:
    """Return for each mode what lam is for the elements of each column, as these columns stand.

    Examples
    --------
    >>> import numpy as np
    >>> core, factors = np.array([[16.0]]), [np.ones((4, 1)) / 2, np.ones((1, 1))]
    >>> [penalty.round(3).tolist() for penalty in column_penalties(core, factors, "lf", 0.1)]
    [[0.635], [0.635]]
    """
    return [lam * cost for cost in least_costs(core, factors, penalty_kind(loss).power)]


def least_costs(core: Floats, factors: Sequence[Floats], power: int) -> list[Floats]:
    """Return |scale|^power of each column, at the scales at which the penalty is least.

    Minimises sum of cost * |column|^power + |core|^power / product of costs, one mode at a time;
    convex in the logarithms of the costs, so there is one minimum. An empty column costs 1.
    """
    sizes = [np.einsum("ij->j", np.abs(factor) ** power) for factor in factors]
    costs = [np.ones(len(size)) for size in sizes]
    weights = np.abs(core) ** power
    others = tuple(range(1, core.ndim))
    for _ in range(MAX_SWEEPS):
        change = 0.0
        for mode, size in enumerate(sizes):
            weighed = np.moveaxis(weights, mode, 0).sum(axis=others)
            # cost * size = weighed / cost, the balance of column and slice; both are then equal.
            alive = (weighed > 0.0) & (size > 0.0)
            factor = np.ones(len(size))
            factor[alive] = np.sqrt(weighed[alive] / (costs[mode] * size)[alive])
            costs[mode] *= factor
            weights = weights / along_mode(factor, mode, core.ndim)
            change = max(change, float(np.abs(np.log(factor)).max()))
        if change <= SETTLED:
            break
    return costs
