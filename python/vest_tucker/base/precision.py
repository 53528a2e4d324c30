"""How wide the prior of some elements is, told by what is known of them: the rule of all fits."""

from __future__ import annotations

import numpy as np

from vest_tucker.base.types import Floats


def precision_of(values: Floats, variances: Floats, axis: int | None) -> Floats:
    """Return the precision of the prior that elements along an axis share.

    It is the number of live elements, those with a variance, over the sum of their expected
    squares; NaN where no element lives or all of them are zero.

    Examples
    --------
    >>> precision_of(np.array([[3.0, 0.0], [1.0, 0.0]]), np.array([[0.5, 0.0], [0.5, 0.0]]), 0)
    array([0.18181818,        nan])
    """
    live = variances > 0.0
    count = np.atleast_1d(live.sum(axis=axis))
    squares = np.atleast_1d(np.where(live, values * values + variances, 0.0).sum(axis=axis))
    alive = (count > 0) & (squares > 0.0)
    with np.errstate(over="ignore"):  # of a column that has all but died
        return np.where(alive, count / np.where(alive, squares, 1.0), np.nan)
