"""Fitting the baseline of a model: the mean of the values, and for each row how far it deviates."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import get_args

import numpy as np

from vest_tucker.base import checks
from vest_tucker.base.options import OffsetKind, check_choice
from vest_tucker.base.public import public
from vest_tucker.base.types import Floats
from vest_tucker.data.per_row import (
    entries_per_row,
    subtract_per_row,
    sum_of_squares,
    sum_per_row,
    totals_per_row,
)
from vest_tucker.data.tensor import SparseTensor, require_tensor, require_unchanged
from vest_tucker.model.measure import constant_error
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.offset import FIRST_SHRINKAGE, ROUNDING, Offset, residuals
from vest_tucker.model.text import BASELINE

MAX_SWEEPS = 30
# The sweeps end when one of them changes the noise by less than this share of it.
SETTLED = 3e-4


@public
def baseline(X: SparseTensor, kind: OffsetKind = "biases") -> TuckerModel:
    """Return a model that predicts nothing but the mean, or the mean and a bias per row.

    What every other model has to beat. Its core is zero; the mean and the biases, drawn to 0 where
    a row has few entries, are its ``offset``.

    Parameters
    ----------
    X : SparseTensor
        The observed entries.
    kind : {"mean", "biases"}

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0], [0, 1], [1, 0]], [4.0, 5.0, 3.0])
    >>> model = vt.baseline(X, "mean")
    >>> model.predict([[1, 1]]).tolist(), round(vt.rmse(model, X), 3)
    ([4.0], 0.816)
    """
    began = time.perf_counter()
    require_tensor(X, "baseline")
    check_choice("kind", kind, get_args(OffsetKind))
    require_unchanged(X)
    offset = fit_offset(X, kind)
    weights = X.weights
    return TuckerModel(
        np.zeros((1,) * X.order), [np.zeros((dim, 1)) for dim in X.shape], offset=offset,
        error=offset.error, baseline_error=constant_error(X.mean, X), stopped=BASELINE, nnz=X.nnz,
        modes=X.modes, labels=X.labels, entries=entries_per_row(X.coords, X.shape),
        row_totals=None if weights is None else totals_per_row(X.coords, X.shape, weights),
        value_range=(float(X.values.min()), float(X.values.max())),
        seconds=time.perf_counter() - began,
    )  # fmt: skip


def fit_offset(X: SparseTensor, kind: OffsetKind) -> Offset:
    """Fit a baseline to the observed entries; the same bits with any number of threads.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0], [0, 1], [1, 0]], [4.0, 5.0, 3.0])
    >>> offset = fit_offset(X, "mean")
    >>> offset.mean, round(offset.error, 3)
    (4.0, 0.2)
    """
    # Rounding may carry the mean of equal values off them; clipped, it leaves nothing of them.
    mean = float(np.clip(X.mean, X.values.min(), X.values.max()))
    biases, shrinkage = _fit_biases(X, mean) if kind == "biases" else ((), ())
    offset = Offset(kind, mean, biases, shrinkage=shrinkage)
    square = sum_of_squares(residuals(X, offset), X.weights)
    error = math.sqrt(square) / checks.norm(X.norm, X.values)
    return replace(offset, error=error)


def _fit_biases(X: SparseTensor, mean: float) -> tuple[tuple[Floats, ...], tuple[float, ...]]:
    """Fit b_n(i) = sum of w residual / (sum of w + s_n), modes in turn, until the noise settles.

    s_n is the variance of the noise over that of the mode's effects, both estimated from the data
    in the sweeps (expectation-maximisation of the random-effects model, modes as if independent).
    Held out, that is as good as the best constant found by trying many, where no one constant is
    best for all data, and it stills modes that have no effect. The weight w of an entry counts as
    so many entries.
    """
    rest = X.values - mean
    total, weights = X.total_weight, X.weights
    counts = totals_per_row(X.coords, X.shape, weights)
    used = [int(np.count_nonzero(each)) for each in counts]
    biases = [np.zeros(dim) for dim in X.shape]
    noise = sum_of_squares(rest, weights) / total
    spreads = [noise / FIRST_SHRINKAGE] * X.order
    shrinkages = [FIRST_SHRINKAGE] * X.order
    for _ in range(MAX_SWEEPS):
        if noise <= (ROUNDING * X.norm) ** 2 / total:  # nothing is left to explain
            break
        kept = 0.0  # the effective number of effects, over all modes
        for mode, (n, effects) in enumerate(zip(counts, biases, strict=True)):
            shrinkages[mode] = noise / spreads[mode] if spreads[mode] > 0.0 else math.inf
            own = n / (n + shrinkages[mode])  # each row's own share, against that of "no effect"
            column = X.coords[:, mode]
            sums = sum_per_row(column, rest if weights is None else weights * rest, len(n))
            change = own * (effects + sums / np.where(n > 0.0, n, 1.0)) - effects
            effects += change
            subtract_per_row(rest, change, column)
            kept += (of_mode := float(own.sum()))
            unsure = spreads[mode] * (used[mode] - of_mode)
            spreads[mode] = (sum_of_squares(effects) + unsure) / used[mode]
        before, noise = noise, (sum_of_squares(rest, weights) + noise * kept) / total
        if abs(noise - before) <= SETTLED * before:
            break
    return tuple(biases), tuple(shrinkages)
