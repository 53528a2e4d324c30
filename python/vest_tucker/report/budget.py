"""How many rows of each mode a page can hold: a budget of bytes, shared fairly among the modes.

The rows with the most entries come first. A mode that needs less than its share leaves the rest to
the others, so that modes are cut only if they are long.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Floats


def rows_that_fit(
    costs: Sequence[Floats], importance: Sequence[Floats], budget: float
) -> list[NDArray[np.intp]]:
    """Return the rows of each mode that fit into a budget, in ascending order.

    ``costs`` are bytes per row of each mode; the rows of most ``importance`` are taken first.

    Examples
    --------
    >>> import numpy as np
    >>> costs = [np.full(2, 10.0), np.full(6, 10.0)]
    >>> importance = [np.ones(2), np.array([1.0, 5.0, 2.0, 9.0, 0.0, 3.0])]
    >>> [rows.tolist() for rows in rows_that_fit(costs, importance, 60.0)]
    [[0, 1], [1, 2, 3, 5]]
    """
    chosen: list[NDArray[np.intp]] = [np.arange(0)] * len(costs)
    left = budget
    by_need = sorted(range(len(costs)), key=lambda mode: float(costs[mode].sum()))
    for place, mode in enumerate(by_need):
        share = max(0.0, left) / (len(costs) - place)
        order = np.argsort(-importance[mode], kind="stable")
        spent = np.cumsum(costs[mode][order])
        n_taken = int(np.searchsorted(spent, share, side="right"))
        left -= float(spent[n_taken - 1]) if n_taken else 0.0
        chosen[mode] = np.sort(order[:n_taken])
    return chosen
