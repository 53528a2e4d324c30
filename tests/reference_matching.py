"""Matching components and counting what comes back, in slow plain loops: the judge of both."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def cosine(one: Floats, other: Floats) -> float:
    """Of two columns, 0 if one of them is zero."""
    product = math.sqrt(sum(x * x for x in one)) * math.sqrt(sum(x * x for x in other))
    return sum(x * y for x, y in zip(one, other, strict=True)) / product if product else 0.0


def all_matchings(one: Floats, other: Floats) -> list[tuple[float, tuple[int, ...], list[float]]]:
    """Try every order and every sign: total similarity, partners (-1 for none), similarities."""
    found: list[tuple[float, tuple[int, ...], list[float]]] = []
    missing = max(one.shape[1] - other.shape[1], 0)
    columns = [*range(other.shape[1]), *[-1] * missing]
    for partners in set(itertools.permutations(columns, one.shape[1])):
        for signs in itertools.product([1.0, -1.0], repeat=len(partners)):
            each = [
                sign * cosine(one[:, j], other[:, k]) if k >= 0 else 0.0
                for j, (k, sign) in enumerate(zip(partners, signs, strict=True))
            ]
            found.append((sum(each), partners, each))
    return found


def over_those(values: Sequence[Any], there: Sequence[bool]) -> tuple[float, float]:
    """Mean and sample standard deviation of the values that are there, NaN if they are too few."""
    kept = [float(value) for value, is_there in zip(values, there, strict=True) if is_there]
    if not kept:
        return math.nan, math.nan
    mean = sum(kept) / len(kept)
    if len(kept) == 1:
        return mean, math.nan
    return mean, math.sqrt(sum((value - mean) ** 2 for value in kept) / (len(kept) - 1))
