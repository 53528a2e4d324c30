"""Which of these belongs to which of those, so that all pairs together are worth most.

SciPy has a solver, too, but loading it takes up to a second, during which Ctrl-C must wait: an
interrupted package can never be loaded again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Floats


def best_pairs(worth: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return rows and columns in pairs, as many as possible, whose worth has the highest sum.

    Rows are added one by one; each changes the pairs before it along the cheapest way through the
    table, which the prices of rows and columns show (Kuhn 1955, Munkres 1957).

    Parameters
    ----------
    worth : ndarray, shape (J, K)

    Returns
    -------
    tuple of two ndarrays of int
        Rows in ascending order, and their columns.

    Examples
    --------
    >>> rows, columns = best_pairs(np.array([[3.0, 2.0], [2.0, 0.0], [1.0, 1.0]]))
    >>> rows.tolist(), columns.tolist()
    ([0, 1], [1, 0])
    """
    if worth.shape[0] > worth.shape[1]:
        columns, rows = best_pairs(worth.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    cost = -worth
    n_rows, n_columns = cost.shape
    row_prices, column_prices = np.zeros(n_rows), np.zeros(n_columns)
    owners = np.full(n_columns, -1, dtype=np.intp)  # the row that each column belongs to
    for row in range(n_rows):
        _add(row, cost, row_prices, column_prices, owners)
    taken = np.flatnonzero(owners >= 0)
    order = np.argsort(owners[taken])
    return owners[taken][order], taken[order]


def _add(
    new: int, cost: Floats, row_prices: Floats, column_prices: Floats, owners: NDArray[np.intp]
) -> None:
    """Give a new row a column, and others another one where that is cheaper in all."""
    n_columns = cost.shape[1]
    reached = np.zeros(n_columns, dtype=bool)
    cheapest = np.full(n_columns, np.inf)  # to get to each column
    came_from = np.full(n_columns, -1, dtype=np.intp)  # the column before it on that way
    row, column, so_far = new, -1, 0.0
    while row >= 0:
        onward = so_far + cost[row] - row_prices[row] - column_prices
        better = ~reached & (onward < cheapest)
        cheapest[better], came_from[better] = onward[better], column
        column = int(np.where(reached, np.inf, cheapest).argmin())
        reached[column], so_far = True, float(cheapest[column])
        row = int(owners[column])
    before = reached.copy()
    before[column] = False  # where the way ends, nothing changes
    row_prices[new] += so_far
    row_prices[owners[before]] += so_far - cheapest[before]
    column_prices[before] -= so_far - cheapest[before]
    while column >= 0:
        previous = int(came_from[column])
        owners[column] = new if previous < 0 else owners[previous]
        column = previous
