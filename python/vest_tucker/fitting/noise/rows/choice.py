"""Which elements of a row are worth keeping, decided for the row as a whole.

Elements of a row can stand for each other: where the entries of a row meet two components alike,
one element may be large because the other is, with the opposite sign. Each of them alone seems to
be needed, and no step that changes one at a time gets rid of the two. Given the rest of the model,
the elements of a row are a small linear regression, whose posterior is known exactly: an element is
judged by its own variance whatever the others are, and the least of a row goes first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Floats

LEAST = 1e-300  # what has a logarithm
NOTHING = 1e-9  # an element that is worth no more than this is one that no entry speaks of


def chosen_elements(
    V: Floats, b: Floats, precision: Floats, noise: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the means of rows, and which of their elements are kept; the others are zero.

    An element is worth its square over its variance, and costs the logarithm of how much narrower
    than its prior the entries have made it: the evidence of the row without it is larger if the
    cost is. Starting with all of them, the one of least worth is dropped as long as that is so.

    Parameters
    ----------
    V : ndarray, shape (rows, J, J)
        Sums of the products of what the elements are multiplied with, over the entries of a row.
    b : ndarray, shape (rows, J)
        Sums of that times the values.
    precision : ndarray, shape (J,)
        Of the priors.
    noise : float
        Variance of the values.

    Examples
    --------
    Two columns that are nearly the same, of which one is enough:

    >>> V = 100.0 * np.array([[[1.0, 0.999], [0.999, 1.0]]])
    >>> means, kept = chosen_elements(V, V @ [2.0, 0.0], np.ones(2), noise=1.0)
    >>> means.round(1).tolist(), kept.tolist()
    ([[2.0, 0.0]], [[True, False]])
    """
    rank = b.shape[1]
    exact = V / noise + np.diag(precision)
    means, kept = np.zeros(b.shape), np.ones(b.shape, dtype=bool)
    open_rows = np.arange(len(b))
    across = np.arange(rank)
    while len(open_rows):
        live = kept[open_rows]
        some = exact[open_rows] * (live[:, :, None] & live[:, None, :])
        some[:, across, across] += ~live
        covariance = np.linalg.inv(some)
        found = np.einsum("nij,nj->ni", covariance, b[open_rows] * live / noise)
        means[open_rows] = found
        variances = np.maximum(covariance[:, across, across], LEAST)
        worth = found**2 / variances + np.log(np.minimum(precision * variances, 1.0))
        worth[~live] = np.inf
        least = np.argmin(worth, axis=1)
        drop = worth[np.arange(len(open_rows)), least] <= NOTHING
        open_rows = open_rows[drop]
        kept[open_rows, least[drop]] = False
        means[open_rows, least[drop]] = 0.0
    return means, kept
