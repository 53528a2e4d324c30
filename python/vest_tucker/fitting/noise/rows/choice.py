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


def price_of_rarity(live: NDArray[np.bool_]) -> Floats:
    """Return what an element of each column costs because few of the column differ from zero.

    If an element is one of a tenth, the odds are nine to one against it before any entry is seen.

    Examples
    --------
    >>> live = np.array([[True, True], [False, True], [False, True], [False, False]])
    >>> price_of_rarity(live).round(2).tolist()
    [2.2, 0.0]
    """
    count = np.count_nonzero(live, axis=0)
    odds = (len(live) - count) / np.maximum(count, 1)
    price: Floats = 2.0 * np.log(np.maximum(odds, 1.0))
    return price


def chosen_elements(
    V: Floats, b: Floats, precision: Floats, noise: float, price: Floats | float = 0.0
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the means of rows, and which of their elements are kept; the others are zero.

    An element is worth its square over its variance, and costs the logarithm of how much narrower
    than its prior the entries have made it, and its price: the evidence of the row without it is
    larger if the cost is. Starting with all elements that entries speak of, the one of least worth
    is dropped as long as that is so.

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
    price : ndarray, shape (J,), or float
        What an element of each column costs on top.

    Examples
    --------
    One hundred entries say that the first element is about 2, and next to nothing of the second:

    >>> V = np.array([[[100.0, 0.0], [0.0, 100.0]]])
    >>> means, kept = chosen_elements(V, np.array([[200.0, 9.0]]), np.ones(2), noise=1.0)
    >>> means.round(2).tolist(), kept.tolist()
    ([[1.98, 0.0]], [[True, False]])
    """
    rank = b.shape[1]
    exact = V / noise + np.diag(precision)
    means, kept = np.zeros(b.shape), np.einsum("njj->nj", V) > 0.0
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
        worth = found**2 / variances + np.log(np.minimum(precision * variances, 1.0)) - price
        worth[~live] = np.inf
        least = np.argmin(worth, axis=1)
        drop = worth[np.arange(len(open_rows)), least] < 0.0
        open_rows = open_rows[drop]
        kept[open_rows, least[drop]] = False
        means[open_rows, least[drop]] = 0.0
    return means, kept
