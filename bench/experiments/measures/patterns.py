"""How much of a planted pattern of non-zeros a model has found, its components matched first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import vest_tucker as vt

Match = tuple[NDArray[Any], NDArray[Any]]


def matched(found: NDArray[Any], true: NDArray[Any]) -> Match:
    """Return which true component goes with which found one: by the largest overlap in all."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(-np.abs(_unit(true).T @ _unit(found)))
    return rows, columns


def _unit(factor: NDArray[Any]) -> NDArray[Any]:
    norms = np.linalg.norm(factor, axis=0)
    return factor / np.where(norms > 0.0, norms, 1.0)


def right_in_factors(
    found: Sequence[NDArray[Any]], true: Sequence[NDArray[Any]], pairs: Sequence[Match]
) -> int:
    """Return how many non-zeros of the factors are where they should be."""
    return sum(
        int(np.count_nonzero((good[:, rows] != 0.0) & (other[:, columns] != 0.0)))
        for other, good, (rows, columns) in zip(found, true, pairs, strict=True)
    )


def tucker_f1(model: vt.TuckerModel, truth: vt.TuckerModel) -> float:
    """F1 of the non-zeros of core and factors; components without a partner are wrong."""
    pairs = [matched(*each) for each in zip(model.factors, truth.factors, strict=True)]
    right = right_in_factors(model.factors, truth.factors, pairs)
    true_core = truth.core[np.ix_(*(rows for rows, _ in pairs))]
    found_core = model.core[np.ix_(*(columns for _, columns in pairs))]
    right += int(np.count_nonzero((true_core != 0.0) & (found_core != 0.0)))
    present = sum(
        int(np.count_nonzero(part))
        for each in (model, truth)
        for part in (each.core, *each.factors)
    )
    return 2.0 * right / present


def factors_f1(found: Sequence[NDArray[Any]], true: Sequence[NDArray[Any]]) -> float:
    """F1 of the non-zeros of the factors alone, for models that have no core."""
    pairs = [matched(*each) for each in zip(found, true, strict=True)]
    right = right_in_factors(found, true, pairs)
    present = sum(int(np.count_nonzero(factor)) for factor in (*found, *true))
    return 2.0 * right / present if present else 0.0
