"""Whether two tensors, models or offsets have the same content, whatever objects hold it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from vest_tucker.data.tensor import SparseTensor


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same: numbers, arrays, sequences of these; NaN equals NaN.

    Examples
    --------
    >>> same([np.array([1.0, np.nan]), None], [np.array([1.0, np.nan]), None])
    True
    >>> same(np.zeros((1, 2)), np.zeros((2, 1)))
    False
    """
    if one is other:
        return True
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        numbers = "f" in (one.dtype.kind, other.dtype.kind)
        return np.array_equal(one, other, equal_nan=numbers and one.dtype.kind == other.dtype.kind)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return False
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def same_fields(one: object, other: object, names: Sequence[str]) -> bool:
    """Tell whether two objects are the same in these attributes."""
    return all(same(getattr(one, name), getattr(other, name)) for name in names)


def same_entries(one: SparseTensor, other: SparseTensor) -> bool:
    """Tell whether two tensors have the same entries, in any order, and the same labels."""
    if (one.shape, one.nnz) != (other.shape, other.nnz) or one.mode_labels != other.mode_labels:
        return False
    if (one.weights is None) != (other.weights is None):
        return False
    if same_fields(one, other, ("coords", "values", "weights")):
        return True
    orders = [np.lexsort(each.coords.T) for each in (one, other)]
    return all(
        np.array_equal(mine[orders[0]], theirs[orders[1]])
        for mine, theirs in (
            (one.coords, other.coords), (one.values, other.values), (one.weights, other.weights)
        )
        if mine is not None and theirs is not None
    )  # fmt: skip
