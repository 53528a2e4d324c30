"""Choosing a model of a path by its errors and numbers of parameters.

Models are in the order of the path, the sparsest last.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Floats


def description_length(
    errors: Sequence[float], n_parameters: Sequence[int], nnz: float
) -> NDArray[np.float64]:
    """Return nnz log(RE^2) + k log(nnz) of each model, where k is its number of parameters.

    ``nnz`` is how many entries there are, each counting as its weight.
    This is the Bayesian information criterion for Gaussian noise, up to a constant. An element
    lowers it if it lowers the sum of squares by a share of more than log(nnz) / nnz. It is lowest
    at the knee of the curve of errors.

    Examples
    --------
    >>> description_length([0.2, 0.2, 0.4], [30, 20, 10], nnz=1000).round().tolist()
    [-3012.0, -3081.0, -1764.0]
    """
    squares = np.maximum(np.asarray(errors, dtype=np.float64) ** 2, np.finfo(np.float64).tiny)
    lengths: NDArray[np.float64] = nnz * np.log(squares) + np.asarray(n_parameters) * np.log(nnz)
    return lengths


def knee_of_curve(errors: Sequence[float], n_parameters: Sequence[int], nnz: float) -> int:
    """Return the number of the model at the knee; the sparsest if several are equally good.

    Examples
    --------
    >>> knee_of_curve([0.2, 0.2, 0.4], [30, 20, 10], nnz=1000)
    1
    """
    lengths = description_length(errors, n_parameters, nnz)
    return int(np.flatnonzero(lengths == lengths.min())[-1])


def within_one_standard_error(errors: Floats, standard_errors: Floats) -> int:
    """Return the number of the sparsest model within one standard error of the best model.

    ``errors`` are mean squared errors on entries held back.

    Examples
    --------
    >>> within_one_standard_error(np.array([0.5, 0.4, 0.45, 0.6]), np.array([0.1] * 4))
    2
    """
    best = int(np.argmin(errors))
    return int(np.flatnonzero(errors <= errors[best] + standard_errors[best])[-1])
