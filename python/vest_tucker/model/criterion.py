"""Which model of a path to take: pure questions about its curve of errors and parameters.

Models come in the order of the path, the sparsest last.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Floats


def description_length(
    errors: Sequence[float], n_parameters: Sequence[int], nnz: int
) -> NDArray[np.float64]:
    """Return how long each model and what it leaves unexplained take to describe, up to a constant.

    nnz log(RE^2) + k log(nnz), the Bayesian information criterion for Gaussian noise: an element
    is worth its place if it lowers the sum of squares by a share of more than log(nnz) / nnz. The
    curve of this has its minimum where that of the errors has its knee.

    Examples
    --------
    >>> description_length([0.2, 0.2, 0.4], [30, 20, 10], nnz=1000).round().tolist()
    [-3012.0, -3081.0, -1764.0]
    """
    squares = np.maximum(np.asarray(errors, dtype=np.float64) ** 2, np.finfo(np.float64).tiny)
    lengths: NDArray[np.float64] = nnz * np.log(squares) + np.asarray(n_parameters) * np.log(nnz)
    return lengths


def knee_of_curve(errors: Sequence[float], n_parameters: Sequence[int], nnz: int) -> int:
    """Return the number of the model at the knee; the sparsest of several.

    Examples
    --------
    >>> knee_of_curve([0.2, 0.2, 0.4], [30, 20, 10], nnz=1000)
    1
    """
    lengths = description_length(errors, n_parameters, nnz)
    return int(np.flatnonzero(lengths == lengths.min())[-1])


def within_one_standard_error(errors: Floats, spreads: Floats) -> int:
    """Return the number of the sparsest model whose error is within one spread of the best's.

    ``errors`` are mean squared errors on entries held back, ``spreads`` their standard errors.

    Examples
    --------
    >>> within_one_standard_error(np.array([0.5, 0.4, 0.45, 0.6]), np.array([0.1] * 4))
    2
    """
    best = int(np.argmin(errors))
    return int(np.flatnonzero(errors <= errors[best] + spreads[best])[-1])
