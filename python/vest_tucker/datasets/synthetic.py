"""A made-up tensor: entries of a known sparse Tucker model, with noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import get_args

import numpy as np

from vest_tucker.base import checks
from vest_tucker.base.errors import OptionError, SparsityError
from vest_tucker.base.options import (
    check_choice,
    check_real,
    check_sparsity,
    check_whole,
    generator,
)
from vest_tucker.base.types import Floats
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.datasets.observed_cells import Missing, observed_cells
from vest_tucker.model.model import TuckerModel


def synthetic(
    shape: Iterable[int],
    ranks: int | Iterable[int],
    nnz: int,
    *,
    sparsity: float = 0.5,
    noise: float = 0.1,
    missing: Missing = "uniform",
    skew: float = 1.0,
    seed: int | np.random.Generator | None = None,
) -> tuple[SparseTensor, TuckerModel]:
    """Sample entries of a random sparse Tucker model, which may have more cells than memory holds.

    Parameters
    ----------
    shape : sequence of int
        I_1, ..., I_N; there may be far more cells than any integer type can count.
    ranks : int or sequence of int
        J_1, ..., J_N.
    nnz : int
        How many distinct cells to observe.
    sparsity : float
        The share of zeros in the core and in each factor. No row of a factor and no slice of the
        core is left empty unless there are too few elements for that.
    noise : float
        Standard deviation of the Gaussian noise, as a share of the signal's root mean square.
    missing : {"uniform", "skewed", "blocks"}
        Which cells are observed: "uniform", all are equally likely; "skewed", cells of a few rows
        are far more likely than others, as with ratings; "blocks", all cells outside of some
        blocks, which are a third of all blocks.
    skew : float
        With ``missing="skewed"``, how much the rows of a mode differ: the k-th most frequent row is
        drawn with a weight of k to the power of -skew. 0 is uniform, 1 is like popularity.
    seed : int, numpy.random.Generator or None
        The same seed gives the same tensor.

    Returns
    -------
    X : SparseTensor
    truth : TuckerModel
        The core and factors that the entries were made of; its ``error`` is that of the noise.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, truth = vt.datasets.synthetic((50, 40, 30), ranks=3, nnz=2000, seed=1)
    >>> X.nnz, truth.ranks, round(truth.sparsity, 2), 0.09 < truth.error < 0.11
    (2000, (3, 3, 3), 0.5, True)

    A few rows have most of the entries:

    >>> X, _ = vt.datasets.synthetic((50, 40, 30), 3, nnz=2000, missing="skewed", seed=1)
    >>> per_row = np.sort(np.bincount(X.coords[:, 0]))[::-1]
    >>> bool(per_row[:10].sum() > 0.5 * X.nnz)
    True
    """
    dims = checks.dimensions(shape)
    ranks = checks.tucker_ranks(ranks, dims)
    nnz = check_whole("nnz", nnz, at_least=1)
    noise = check_real("noise", noise)
    share = check_sparsity(sparsity)
    skew = check_real("skew", skew)
    rng = generator(seed)
    if share == "auto":
        raise SparsityError("a planted model needs its sparsity as a number, not auto")
    if nnz > math.prod(dims):
        raise OptionError(f"nnz is {nnz:,} but the shape {dims} has {math.prod(dims):,} cells")
    check_choice("missing", missing, get_args(Missing))
    core = planted(ranks, share, rng)
    factors = [planted(part, share, rng) for part in zip(dims, ranks, strict=True)]
    coords = observed_cells(dims, nnz, missing, skew, rng)
    signal = TuckerModel(core, factors).predict(coords)
    scatter = noise * float(np.sqrt(np.mean(signal**2)))
    deviations = scatter * rng.standard_normal(nnz)
    X = SparseTensor(coords, signal + deviations, dims)
    error = float(np.linalg.norm(deviations)) / X.norm if X.norm else 0.0  # all may be zero
    return X, TuckerModel(core, factors, error=error, nnz=nnz)


def planted(shape: Sequence[int], sparsity: float, rng: np.random.Generator) -> Floats:
    """Return an array with a share ``sparsity`` of zeros; the others are uniform on [0.5, 1.5)."""
    size = math.prod(shape)
    n_nonzero = max(1, size - round(sparsity * size))
    # A few elements that cover every slice in every direction are the last to become zero.
    longest = max(shape)
    cover = np.zeros(longest, dtype=np.int64)
    for dim in shape:  # np.ravel_multi_index cannot handle 64 modes
        cover = cover * dim + rng.permutation(longest) % dim
    rest = np.setdiff1d(np.arange(size), cover, assume_unique=True)
    support = np.concatenate([cover, rng.permutation(rest)])[:n_nonzero]
    array = np.zeros(size)
    array[support] = 0.5 + rng.random(n_nonzero)
    return array.reshape(shape)
