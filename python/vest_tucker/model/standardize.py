"""The end of Algorithm 1: columns of factors get the norm 1, and the core is scaled instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.parts import along_mode


def unit_columns(
    core: NDArray[np.float64],
    factors: Sequence[NDArray[np.float64]],
    *,
    modes: Iterable[int] | None = None,
    in_place: bool = False,
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """Scale the columns of the factors to norm 1, and the core so that predictions do not change.

    A(n) = U(n) B(n) with B(n) the diagonal matrix of column norms, and G becomes G x_n B(n). A
    column of zeros stays zero, so the zeros of the model are the same before and after.

    Parameters
    ----------
    core : ndarray, shape (J_1, ..., J_N)
    factors : sequence of ndarray, shape (I_n, J_n)
    modes : iterable of int, optional
        The modes of the factors to scale; by default all of them.
    in_place : bool
        Overwrite the arrays given, for factors of several gigabytes.

    Returns
    -------
    core, factors
        New arrays, or the ones given if ``in_place``.

    Examples
    --------
    >>> core, factors = unit_columns(np.array([[2.0]]), [np.array([[3.0], [4.0]]), np.ones((1, 1))])
    >>> core.tolist(), factors[0].round(3).tolist()
    ([[10.0]], [[0.6], [0.8]])
    """
    core = core if in_place else core.copy()
    factors = list(factors) if in_place else [factor.copy() for factor in factors]
    for mode in range(core.ndim) if modes is None else modes:
        norms = normalize_columns(factors[mode])
        core *= along_mode(norms, mode, core.ndim)
    return core, factors


def unit_columns_of_both(
    core: NDArray[np.float64],
    factors: Sequence[NDArray[np.float64]],
    core_variance: NDArray[np.float64],
    factor_variances: Sequence[NDArray[np.float64]],
    *,
    modes: Iterable[int] | None = None,
    first: int = 0,
) -> None:
    """Do what `unit_columns` does to elements that have variances, which scale with the squares.

    All arrays are overwritten. A prediction has the same variance before and after. Columns before
    the ``first`` stay as they are.

    Examples
    --------
    >>> core, factors = np.array([[2.0]]), [np.array([[3.0], [4.0]]), np.ones((1, 1))]
    >>> variances = [np.array([[0.1]]), [np.array([[0.5], [0.25]]), np.zeros((1, 1))]]
    >>> unit_columns_of_both(core, factors, *variances)
    >>> core.tolist(), variances[0].tolist(), variances[1][0].tolist()
    ([[10.0]], [[2.5]], [[0.02], [0.01]])
    """
    for mode in range(core.ndim) if modes is None else modes:
        norms = np.ones(factors[mode].shape[1])
        norms[first:] = normalize_columns(factors[mode][:, first:])
        along = along_mode(norms, mode, core.ndim)
        core *= along
        for _ in range(2):  # one after the other: the square of a norm may overflow
            core_variance *= along
            factor_variances[mode] /= norms


def normalize_columns(factor: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide each column by its norm, with no temporary of the factor's size; return the norms."""
    if not factor.size:
        return np.ones(factor.shape[1])
    # Dividing by the largest magnitude first keeps the squares from over- and underflowing.
    peaks = np.maximum(factor.max(axis=0), -factor.min(axis=0))
    peaks[peaks == 0.0] = 1.0
    factor /= peaks
    norms: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->j", factor, factor))
    norms[norms == 0.0] = 1.0
    factor /= norms
    norms *= peaks
    return norms
