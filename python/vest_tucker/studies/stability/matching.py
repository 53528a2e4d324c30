"""Matching the components of two models, whatever their order, signs and scale.

A Tucker model predicts the same if the components of a mode change places, or if one of them is
multiplied by a number and its slice of the core divided by it. So only the directions of columns
are compared, mode by mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.extras import load_aside
from vest_tucker.base.parts import along_mode
from vest_tucker.base.types import Floats
from vest_tucker.model.standardize import normalize_columns


class Match(NamedTuple):
    """The partner of each component of a mode, in another model.

    Attributes
    ----------
    partners : ndarray of int, shape (J,)
        The number of the component in the other model; -1 if there is no partner.
    signs : ndarray, shape (J,)
        The factor for the partner: 1 or -1, and 0 if there is no partner.
    similarity : ndarray, shape (J,)
        The magnitude of the cosine of the two columns, 0 if there is no partner.
    """

    partners: NDArray[np.intp]
    signs: Floats
    similarity: Floats


def match_columns(one: Floats, other: Floats) -> Match:
    """Match the columns of two factors of one mode so that the sum of similarities is highest.

    Each column has at most one partner. Columns with a cosine of 0 are not matched; columns of
    zeros, which are pruned components, never have a partner.

    Parameters
    ----------
    one, other : ndarray, shape (I, J) and (I, K)

    Examples
    --------
    >>> one = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    >>> match = match_columns(one, -3.0 * one[:, [1, 0]])
    >>> match.partners.tolist(), match.signs.tolist(), match.similarity.round(3).tolist()
    ([1, 0, -1], [-1.0, -1.0, 0.0], [1.0, 1.0, 0.0])
    """
    cosines = column_cosines(one, other)
    rows, columns = assignment_solver()(np.abs(cosines), maximize=True)
    similar = cosines[rows, columns] != 0.0
    rows, columns = rows[similar], columns[similar]
    match = Match(np.full(len(cosines), -1), np.zeros(len(cosines)), np.zeros(len(cosines)))
    match.partners[rows] = columns
    match.signs[rows] = np.sign(cosines[rows, columns])
    match.similarity[rows] = np.abs(cosines[rows, columns])
    return match


def assignment_solver() -> Callable[..., tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return SciPy's solver of assignment problems; the error says how to get SciPy.

    SciPy takes up to a second to load.
    """

    def load() -> Callable[..., tuple[NDArray[np.intp], NDArray[np.intp]]]:
        from scipy.optimize import linear_sum_assignment

        return linear_sum_assignment

    return load_aside(load, "scipy.optimize", "matching components", "stability")


def column_cosines(one: Floats, other: Floats) -> Floats:
    """Return the cosine of each column of one with each of the other; 0 with a column of zeros.

    Examples
    --------
    >>> column_cosines(np.array([[3.0], [4.0]]), np.array([[-2.0, 0.0], [0.0, 0.0]])).tolist()
    [[-0.6, 0.0]]
    """
    one, other = one.copy(), other.copy()
    normalize_columns(one)
    normalize_columns(other)
    # Not a matrix product, because its last bits depend on the number of threads of BLAS.
    cosines: Floats = np.einsum("ij,ik->jk", one, other)
    return cosines.clip(-1.0, 1.0)


def match_factors(
    one: Sequence[Floats], other: Sequence[Floats], constant: tuple[bool, bool] = (False, False)
) -> list[Match]:
    """Match the components of two models, mode by mode.

    ``constant`` says of each model whether the first column of its factors is constant. Constant
    columns are alike in any two models, so they belong together and to no other.

    Examples
    --------
    >>> one = np.array([[1.0, 0.0], [1.0, 2.0]])
    >>> other = np.array([[1.0, 3.0, 0.0], [1.0, 3.0, -1.0]])
    >>> match_factors([one], [other], (True, True))[0].partners.tolist()
    [0, 2]
    """
    return [_match(mine, theirs, *constant) for mine, theirs in zip(one, other, strict=True)]


def _match(one: Floats, other: Floats, mine: bool, theirs: bool) -> Match:
    """Match two factors, apart from constant first columns."""
    found = match_columns(one[:, int(mine) :], other[:, int(theirs) :])
    partners = np.where(found.partners >= 0, found.partners + int(theirs), -1)
    if not mine:
        return Match(partners, found.signs, found.similarity)
    both = float(theirs)
    return Match(
        np.concatenate([[0 if theirs else -1], partners]),
        np.concatenate([[both], found.signs]),
        np.concatenate([[both], found.similarity]),
    )


def aligned(
    core: Floats, factors: Sequence[Floats], matches: Sequence[Match]
) -> tuple[Floats, list[Floats]]:
    """Return a model in the order and with the signs of the model that it was matched to.

    Components of that model without a partner become zeros. To compare cores, both models need
    columns of norm 1.

    Examples
    --------
    >>> one = [np.eye(2), np.eye(2)]
    >>> other = [np.array([[0.0, -1.0], [1.0, 0.0]]), np.eye(2)]
    >>> matches = match_factors(one, other)
    >>> core, factors = aligned(np.array([[5.0, 0.0], [0.0, 4.0]]), other, matches)
    >>> core.tolist(), np.array_equal(factors[0], one[0])
    ([[0.0, -4.0], [5.0, 0.0]], True)
    """
    for mode, match in enumerate(matches):
        signs = along_mode(match.signs, mode, core.ndim)
        core = np.take(core, match.partners, axis=mode) * signs
    # Partner -1 takes the last column times zero. Adding 0 turns -0 into 0.
    turned = [
        factor[:, match.partners] * match.signs
        for factor, match in zip(factors, matches, strict=True)
    ]
    return core + 0.0, [factor + 0.0 for factor in turned]
