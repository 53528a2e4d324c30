"""Counting which components, labels and core elements of a model come back in other models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vest_tucker.base.types import Flags, Floats
from vest_tucker.model.standardize import unit_columns
from vest_tucker.studies.stability.matching import Match, aligned, match_columns, match_factors

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel

ROUNDING = 1e-9  # the similarity of equal columns may be less than 1 by this


class ModeRecurrence(NamedTuple):
    """What comes back of one mode. Loadings are elements of columns of norm 1.

    Attributes
    ----------
    exists : ndarray of bool, shape (J,)
        Whether a component of the reference has elements; False if it was pruned away, and of the
        constant column of a model of effects.
    similarity : ndarray, shape (n, J)
        The similarity of each component with its partner in each of the n other models.
    returned : ndarray of bool, shape (n, J)
        Whether the similarity reaches the threshold, so that the component comes back.
    chance : float
        The mean similarity after the rows of the other models are shuffled.
    loading : ndarray, shape (I, J)
        The loadings of the reference.
    nonzero, mean, spread : ndarray, shape (I, J)
        Over the models in which the component comes back: the share with a loading that is not
        zero, the mean and the standard deviation of the loading. NaN if there are too few models.
    """

    exists: Flags
    similarity: Floats
    returned: Flags
    chance: float
    loading: Floats
    nonzero: Floats
    mean: Floats
    spread: Floats


class CoreRecurrence(NamedTuple):
    """What comes back of the core, if the factors have columns of norm 1.

    Attributes
    ----------
    value : ndarray, shape (J_1, ..., J_N)
        The core of the reference.
    returned : ndarray of bool, shape (n, J_1 * ... * J_N)
        Whether an interaction, an element that is not zero, is found in each of the n other models:
        all of its components come back, and the element there has the same sign. Elements are in
        C order in one dimension, because arrays cannot have one dimension more than modes.
    mean, spread : ndarray, shape (J_1, ..., J_N)
        Mean and standard deviation of the element over the models in which it is found; NaN if
        there are too few models.
    similarity : ndarray, shape (n,)
        The cosine of the two cores as a whole, where components that do not come back are zeros.
    """

    value: Floats
    returned: Flags
    mean: Floats
    spread: Floats
    similarity: Floats


def recurrences(
    reference: TuckerModel, others: Sequence[TuckerModel], threshold: float
) -> tuple[list[ModeRecurrence], CoreRecurrence]:
    """Match each of the other models to the reference, and count what comes back."""
    core, factors = unit_columns(reference.core, reference.factors)
    units = [unit_columns(other.core, other.factors) for other in others]
    matches = [
        match_factors(factors, theirs, (reference.constant, other.constant))
        for (_, theirs), other in zip(units, others, strict=True)
    ]
    turned = [aligned(*parts, match) for parts, match in zip(units, matches, strict=True)]
    modes = [
        mode_recurrence(
            factor,
            [
                theirs[mode][:, int(other.constant) :]
                for (_, theirs), other in zip(units, others, strict=True)
            ],
            [match[mode] for match in matches],
            [theirs[mode] for _, theirs in turned],
            threshold,
            first=int(reference.constant),
        )
        for mode, factor in enumerate(factors)
    ]
    cores = np.reshape([theirs.ravel() for theirs, _ in turned], (len(others), core.size))
    norms = np.array([norm(theirs) for theirs, _ in units])  # of whole cores, partners or not
    return modes, core_recurrence(core, cores, norms, [mode.returned for mode in modes])


def mode_recurrence(
    factor: Floats,
    others: Sequence[Floats],
    matches: Sequence[Match],
    turned: Sequence[Floats],
    threshold: float,
    *,
    first: int = 0,
) -> ModeRecurrence:
    """Count what comes back of one mode.

    ``others`` are the factors of the other models without constant columns, ``turned`` all of them
    with the order and the signs of the reference. The columns before the ``first`` are constant.
    """
    ranks = factor.shape[1]
    similarity = np.reshape([match.similarity for match in matches], (len(matches), ranks))
    returned = similarity >= threshold - ROUNDING
    loadings = np.reshape(turned, (len(matches), *factor.shape))
    there = np.broadcast_to(returned[:, np.newaxis, :], loadings.shape)
    mean, spread = moments(loadings, there)
    exists = (factor != 0.0).any(axis=0)
    exists[:first] = False
    return ModeRecurrence(
        exists=exists,
        similarity=similarity,
        returned=returned,
        chance=chance_similarity(factor[:, first:], others),
        loading=factor,
        nonzero=moments((loadings != 0.0).astype(float), there)[0],
        mean=mean,
        spread=spread,
    )


def core_recurrence(
    core: Floats, cores: Floats, norms: Floats, returned: Sequence[Flags]
) -> CoreRecurrence:
    """Count which interactions come back; ``returned`` has the components of each mode that do."""
    flat = core.ravel()
    there = np.ones(cores.shape, dtype=bool)
    for flags, components in zip(
        returned, np.unravel_index(np.arange(core.size), core.shape), strict=True
    ):
        there &= flags[:, components]
    found = there & (np.sign(cores) == np.sign(flat)) & (flat != 0.0)
    mean, spread = (each.reshape(core.shape) for each in moments(cores, found))
    products = norms * norm(core)
    common = np.einsum("ij,j->i", np.where(there, cores, 0.0), flat)
    similarity = np.divide(common, products, out=np.zeros(len(cores)), where=products > 0.0)
    return CoreRecurrence(core, found, mean, spread, similarity.clip(-1.0, 1.0))


def norm(array: Floats) -> float:
    """Return the Frobenius norm, the same bits for any number of threads of BLAS."""
    flat = array.ravel()
    return math.sqrt(float(np.einsum("i,i->", flat, flat)))


def moments(values: Floats, there: Flags) -> tuple[Floats, Floats]:
    """Return mean and standard deviation along the first axis, of elements marked by ``there``.

    Examples
    --------
    >>> there = np.array([[True, True, False], [True, False, False]])
    >>> mean, spread = moments(np.array([[1.0, 5.0, 7.0], [3.0, 6.0, 8.0]]), there)
    >>> mean.tolist(), spread.round(3).tolist()
    ([2.0, 5.0, nan], [1.414, nan, nan])
    """
    count = there.sum(axis=0)
    few = np.full(count.shape, np.nan)
    mean = np.divide(np.where(there, values, 0.0).sum(axis=0), count, out=few, where=count > 0)
    squares = np.where(there, (values - mean) ** 2, 0.0).sum(axis=0)
    few = np.full(count.shape, np.nan)
    return mean, np.sqrt(np.divide(squares, count - 1, out=few, where=count > 1))


def chance_similarity(factor: Floats, others: Sequence[Floats]) -> float:
    """Return how similar matched components are if their rows have nothing to do with each other.

    Short or dense columns resemble each other anyway: a similarity means as much as it is above
    this. NaN if there is nothing to match.
    """
    rng = np.random.default_rng(0)  # the same models are always told the same
    exists = factor.any(axis=0)
    found = [
        match_columns(factor, other[rng.permutation(len(other))]).similarity[exists]
        for other in others
    ]
    return float(np.mean(found)) if found and exists.any() else math.nan
