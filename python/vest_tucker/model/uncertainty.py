"""How far a new value may lie from its prediction: variances, intervals, and the range to keep to.

A model may know the variance s_e of each element e. To first order, a prediction then has the
variance Var B = sum over all e of s_e (dB/de)^2, and a new value that of the noise on top.

An unknown row is one more row like the others. Its variance in a column is that of the known rows
around what stands for it, their own variances included: the mean of (a - stand-in)^2 + s over the
rows, each weighted as in the average row. If the model has biases, that of the unknown row adds the
mean of the squared biases.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker import _core
from vest_tucker.base import checks
from vest_tucker.base.errors import OptionError, ShapeError, VarianceError
from vest_tucker.base.types import Counts, Flags, Floats
from vest_tucker.data.per_row import chunks
from vest_tucker.model.cells import Cells
from vest_tucker.model.offset import Offset
from vest_tucker.model.prediction import (
    HowUnseen,
    average_rows,
    mean_row,
    takes_average,
    unknown_rows,
    weights_in_average,
    with_stand_ins,
)

Clip: TypeAlias = "Literal['seen'] | tuple[float, float] | None"


class Variances(NamedTuple):
    """Variances of the elements of core and factors, and of the noise."""

    core: Floats
    factors: Sequence[Floats]
    noise: float


# --- The fields of a model ------------------------------------------------------------------------


def checked_fields(
    core: Floats,
    factors: Sequence[Floats],
    core_variance: ArrayLike | None,
    factor_variances: Iterable[ArrayLike] | None,
    noise: float,
    value_range: Sequence[float] | None,
) -> dict[str, Any]:
    """Return the fields of a model that say how certain it is, checked."""
    noise = float(noise)
    if noise < 0.0 or math.isinf(noise):
        raise VarianceError(f"noise is {noise}; the variance of noise is finite and at least 0")
    if core_variance is not None:
        core_variance = checks.variances(core_variance, core.shape, "the core")
    if factor_variances is not None:
        given = list(factor_variances)
        if len(given) != len(factors):
            raise ShapeError(
                f"there are {len(factors)} factors but variances for {len(given)}; give an array "
                f"for each"
            )
        factor_variances = [
            checks.variances(each, factor.shape, f"factor {mode}")
            for mode, (each, factor) in enumerate(zip(given, factors, strict=True))
        ]
    if value_range is not None:
        value_range = _pair(value_range, "value_range")
    return {
        "core_variance": core_variance, "factor_variances": factor_variances, "noise": noise,
        "value_range": value_range,
    }  # fmt: skip


def known_variances(
    core: Floats,
    factors: Sequence[Floats],
    core_variance: Floats | None,
    factor_variances: Sequence[Floats] | None,
    noise: float,
) -> Variances:
    """Return the variances of a model, where a part without any is exact; raise if it has none."""
    if core_variance is None and factor_variances is None:
        raise VarianceError(
            "return_std and interval need the variances of the model's elements, but its "
            "core_variance and factor_variances are None; predict without these options, or fit "
            "as by default, with a prior in place of a penalty: such models have them"
        )
    if math.isnan(noise):
        raise VarianceError(
            "return_std and interval need the variance of the noise, but the model's noise is NaN; "
            "dataclasses.replace(model, noise=...) tells it, with 0.0 for none"
        )
    if core_variance is None:
        core_variance = np.zeros(core.shape)
    if factor_variances is None:
        factor_variances = [np.zeros(factor.shape) for factor in factors]
    return Variances(*checks.matching_parts(core_variance, factor_variances, wide=True), noise)


# --- The variance of a prediction -----------------------------------------------------------------


def standard_deviations(
    core: Floats,
    factors: Sequence[Floats],
    variances: Variances,
    row_counts: Sequence[Counts | Floats] | None,
    cells: Cells,
    *,
    unseen: HowUnseen,
    threads: int,
    offset: Offset | None = None,
    constant: bool = False,
    weights: Floats | None = None,
) -> Floats:
    """Return the standard deviation of a new value in each cell: of the prediction and the noise.

    The options are those of `prediction.predict`; ``weights`` are those of the new values.
    """
    total = _core.predict_variances(
        core, factors, variances.core, variances.factors, cells.coords, threads=threads
    )
    unknown = unknown_rows(cells, row_counts)
    if unknown is not None and unknown.any():
        concerned = np.flatnonzero(unknown.any(axis=1))
        if unseen == "nan":
            total[concerned] = np.nan
        else:
            averaged = takes_average(unseen, offset)
            few = Cells(cells.coords[concerned], unknown[concerned])
            total[concerned] = _variances_of_unknown(
                core, factors, variances, row_counts, few,
                averaged=averaged, threads=threads, constant=constant,
            )  # fmt: skip
            if offset is not None:
                total[concerned] += _of_unknown_biases(offset, row_counts, unknown[concerned])
    total += variances.noise if weights is None else variances.noise / weights
    return np.sqrt(total, out=total)


def _variances_of_unknown(
    core: Floats,
    factors: Sequence[Floats],
    variances: Variances,
    row_counts: Sequence[Counts | Floats] | None,
    cells: Cells,
    *,
    averaged: bool,
    threads: int,
    constant: bool,
) -> Floats:
    """Return Var B of cells with unknown rows; what stands for them is an average, or zeros."""
    coords, unknown = cells.coords, cells.unseen
    assert unknown is not None
    means = average_rows(factors, row_counts, unknown, constant=constant)
    if not averaged:
        means = {mode: np.zeros_like(mean) for mode, mean in means.items()}
    spreads = {
        mode: spread_of_rows(
            factors[mode],
            variances.factors[mode],
            weights_in_average(factors[mode], None if row_counts is None else row_counts[mode]),
            mean,
        )
        for mode, mean in means.items()
    }
    rows, places = with_stand_ins(factors, means, coords, unknown)
    row_variances, _ = with_stand_ins(variances.factors, spreads, coords, unknown)
    return _core.predict_variances(
        core, rows, variances.core, row_variances, places, threads=threads
    )


def averaged_variances(
    modes: Sequence[int],
    factors: Sequence[Floats],
    row_counts: Sequence[Counts | Floats] | None,
    variances: Variances,
    constant: bool,
) -> Variances:
    """Return the variances for factors with the average in place of all rows of some modes.

    A new value is in some row of such a mode: it is uncertain by as much as the rows differ.
    """
    spreads = list(variances.factors)
    for mode in modes:
        counts = None if row_counts is None else row_counts[mode]
        mean = mean_row(factors[mode], counts, constant)
        weights = weights_in_average(factors[mode], counts)
        spreads[mode] = spread_of_rows(factors[mode], spreads[mode], weights, mean)[None]
    return variances._replace(factors=spreads)


def spread_of_rows(factor: Floats, variance: Floats, weights: Floats, centre: Floats) -> Floats:
    """Return the weighted mean over the rows of (row - centre)^2 + variance.

    Examples
    --------
    >>> import numpy as np
    >>> factor, variance = np.array([[1.0], [4.0], [9.0]]), np.array([[0.5], [0.5], [7.0]])
    >>> spread_of_rows(factor, variance, np.array([2.0, 1, 0]), np.array([2.0])).tolist()
    [2.5]
    """
    total = np.zeros(factor.shape[1])
    for chunk in chunks(len(factor)):  # a factor may be large
        squares = (factor[chunk] - centre) ** 2 + variance[chunk]
        # Not a matrix product, because its last bits depend on the number of threads of BLAS.
        total += np.einsum("i,ij->j", weights[chunk], squares)
    spread: Floats = total / (float(weights.sum()) or 1.0)
    return spread


def _of_unknown_biases(
    offset: Offset, row_counts: Sequence[Counts | Floats] | None, unknown: Flags
) -> Floats:
    """Return what unknown biases add to the variance of cells."""
    added = np.zeros(len(unknown))
    for mode, biases in enumerate(offset.biases):
        counts = None if row_counts is None else row_counts[mode]
        weights = weights_in_average(biases[:, None], counts)
        square = np.einsum("i,i,i->", weights, biases, biases) / (float(weights.sum()) or 1.0)
        added[unknown[:, mode]] += square
    return added


# --- Intervals and ranges -------------------------------------------------------------------------


def half_width(interval: float) -> float:
    """Return how many standard deviations around the mean hold this share of a Gaussian.

    Examples
    --------
    >>> round(half_width(0.9), 3)
    1.645
    """
    try:
        share = float(interval)
    except (TypeError, ValueError, OverflowError):
        share = math.nan
    if not 0.0 < share < 1.0:
        raise OptionError(
            f"interval is {interval!r}; give the share of new values that shall lie inside, as "
            f"0.9: more than 0 and less than 1"
        )
    from statistics import NormalDist  # seldom needed, and slow to load

    return NormalDist().inv_cdf((1.0 + share) / 2.0)


def range_to_keep(clip: Clip, seen: tuple[float, float] | None) -> tuple[float, float] | None:
    """Return the range that predictions are cut to; None for any."""
    if clip is None:
        return None
    if not isinstance(clip, str):
        return _pair(clip, "clip")
    if clip != "seen":
        raise OptionError(f'clip is {clip!r}; choose "seen", a pair (low, high) or None')
    if seen is None:
        raise OptionError(
            'clip="seen" needs the range of the values that the model was fitted to, but its '
            "value_range is None; give the range as a pair (low, high)"
        )
    return seen


def _pair(given: Sequence[float], what: str) -> tuple[float, float]:
    try:
        low, high = (float(bound) for bound in given)
    except (TypeError, ValueError):
        low = high = math.nan
    if not low <= high:
        raise OptionError(f"{what} is {given!r}; give a pair of numbers (low, high), low first")
    return low, high
