"""Errors of predictions: the paper's relative error (RE), root mean square, mean magnitude."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vest_tucker.base import checks
from vest_tucker.base.errors import DtypeError
from vest_tucker.base.options import type_text
from vest_tucker.base.public import public
from vest_tucker.base.types import Floats
from vest_tucker.data.per_row import mean_of, sum_of_squares
from vest_tucker.data.tensor import SparseTensor, require_tensor
from vest_tucker.model.prediction import HowUnseen

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel


@public
def relative_error(
    model: TuckerModel, X: SparseTensor, *, unseen: HowUnseen = "mean", threads: int = 0
) -> float:
    """Return the relative error of a model on the entries of a tensor, ||x - B|| / ||x||.

    If the entries have weights w, that is the root of sum w (x - B)^2 / sum w x^2.
    Rows are matched by label, in whatever order, if both have labels. ``unseen`` says what to
    predict for rows that the model has not seen, as in `TuckerModel.predict`.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0], [1, 0]], [3.0, 4.0])
    >>> vt.relative_error(vt.TuckerModel([[1.0]], [[[3.0], [0.0]], [[1.0]]]), X)
    0.8
    """
    _require(model, X, "relative_error")
    checks.norm(X.norm, X.values)
    return error_of(model.predict(X, unseen=unseen, threads=threads), X)


@public
def rmse(
    model: TuckerModel, X: SparseTensor, *, unseen: HowUnseen = "mean", threads: int = 0
) -> float:
    """Return the root mean squared error of a model on the entries of a tensor.

    If the entries have weights w, that is the root of sum w (x - B)^2 / sum w. The other arguments
    are those of `relative_error`, which is the same over the root mean square of the values.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0], [1, 0]], [3.0, 4.0])
    >>> round(vt.rmse(vt.TuckerModel([[1.0]], [[[0.0], [0.0]], [[1.0]]]), X), 3)
    3.536
    """
    _require(model, X, "rmse")
    return Errors.of(model.predict(X, unseen=unseen, threads=threads), X).rmse


@public
def mae(
    model: TuckerModel, X: SparseTensor, *, unseen: HowUnseen = "mean", threads: int = 0
) -> float:
    """Return the mean absolute error of a model on the entries of a tensor.

    If the entries have weights w, that is the sum of ``w |x - B|`` over the sum of w. The other
    arguments are those of `relative_error`.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0], [1, 0]], [3.0, 4.0])
    >>> vt.mae(vt.TuckerModel([[1.0]], [[[0.0], [0.0]], [[1.0]]]), X)
    3.5
    """
    _require(model, X, "mae")
    return Errors.of(model.predict(X, unseen=unseen, threads=threads), X).mae


def _require(model: object, X: object, who: str) -> None:
    """Raise unless there is a model, and a tensor to measure it on."""
    if not hasattr(model, "predict"):
        raise DtypeError(f"{who} needs a TuckerModel first, but got {type_text(model)}")
    require_tensor(X, who)


class Errors(NamedTuple):
    """The errors of some predictions: relative, root mean squared and mean absolute."""

    relative_error: float
    rmse: float
    mae: float

    @classmethod
    def of(cls, predicted: Floats | float, X: SparseTensor) -> Errors:
        """Measure predictions of the entries of a tensor; relative to zeros alone it is NaN."""
        left = X.values - predicted
        norm = _norm(left, X)
        sizes = np.abs(left)
        relative = norm / X.norm if X.norm > 0.0 else math.nan
        return cls(relative, norm / math.sqrt(X.total_weight), mean_of(sizes, X.weights))


def error_of(predicted: Floats | float, X: SparseTensor) -> float:
    """Return the relative error of predictions of the entries of a tensor."""
    return _norm(X.values - predicted, X) / checks.norm(X.norm, X.values)


def constant_error(value: float, X: SparseTensor) -> float:
    """Return the relative error of predicting the same value for every entry of a tensor.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> round(constant_error(3.0, vt.SparseTensor([[0, 0], [1, 0]], [3.0, 4.0])), 3)
    0.2
    """
    return error_of(value, X)


def _norm(residuals: Floats, X: SparseTensor) -> float:
    return math.sqrt(sum_of_squares(residuals, X.weights))
