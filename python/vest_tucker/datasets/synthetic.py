"""A tensor with a known answer: entries of a planted sparse Tucker model, with noise on top."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from vest_tucker import checks
from vest_tucker.checks import Coords, Floats
from vest_tucker.errors import OptionError, SparsityError
from vest_tucker.model import TuckerModel
from vest_tucker.options import check_real, check_sparsity, check_whole, generator
from vest_tucker.tensor import SparseTensor


def synthetic(
    shape: Iterable[int],
    ranks: int | Iterable[int],
    nnz: int,
    *,
    sparsity: float = 0.5,
    noise: float = 0.1,
    seed: int | np.random.Generator | None = None,
) -> tuple[SparseTensor, TuckerModel]:
    """Sample entries of a random sparse Tucker model; the cells are never all written out.

    Parameters
    ----------
    shape : sequence of int
        I_1, ..., I_N; there may be far more cells than any integer type can count.
    ranks : int or sequence of int
        J_1, ..., J_N.
    nnz : int
        How many distinct cells to observe, chosen uniformly.
    sparsity : float
        The share of zeros in the core and in each factor. No row of a factor and no slice of the
        core is left empty unless there are too few elements for that.
    noise : float
        Standard deviation of the Gaussian noise, as a share of the signal's root mean square.
    seed : int, numpy.random.Generator or None
        The same seed gives the same tensor.

    Returns
    -------
    X : SparseTensor
    truth : TuckerModel
        The planted core and factors; its ``error`` is what the noise alone amounts to.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, truth = vt.datasets.synthetic((50, 40, 30), ranks=3, nnz=2000, seed=1)
    >>> X.nnz, truth.ranks, round(truth.sparsity, 2), 0.09 < truth.error < 0.11
    (2000, (3, 3, 3), 0.5, True)
    """
    dims = checks.dimensions(shape)
    ranks = checks.tucker_ranks(ranks, dims)
    nnz = check_whole("nnz", nnz, at_least=1)
    noise = check_real("noise", noise)
    share = check_sparsity(sparsity)
    rng = generator(seed)
    if share == "auto":
        raise SparsityError("a planted model needs its sparsity as a number, not auto")
    if nnz > math.prod(dims):
        raise OptionError(f"nnz is {nnz:,} but the shape {dims} has {math.prod(dims):,} cells")
    core = planted(ranks, share, rng)
    factors = [planted(part, share, rng) for part in zip(dims, ranks, strict=True)]
    coords = distinct_cells(dims, nnz, rng)
    signal = TuckerModel(core, factors).predict(coords)
    scatter = noise * float(np.sqrt(np.mean(signal**2)))
    deviations = scatter * rng.standard_normal(nnz)
    X = SparseTensor(coords, signal + deviations, dims)
    error = float(np.linalg.norm(deviations)) / X.norm
    return X, TuckerModel(core, factors, error=error, nnz=nnz)


def planted(shape: Sequence[int], sparsity: float, rng: np.random.Generator) -> Floats:
    """Elements uniform on [0.5, 1.5), but for the share ``sparsity`` of zeros."""
    size = math.prod(shape)
    kept = max(1, size - round(sparsity * size))
    # A few cells that touch every slice in every direction are the last to become zero.
    longest = max(shape)
    cover = np.zeros(longest, dtype=np.int64)
    for dim in shape:  # np.ravel_multi_index does not go as far as 64 modes
        cover = cover * dim + rng.permutation(longest) % dim
    rest = np.setdiff1d(np.arange(size), cover, assume_unique=True)
    support = np.concatenate([cover, rng.permutation(rest)])[:kept]
    array = np.zeros(size)
    array[support] = 0.5 + rng.random(kept)
    return array.reshape(shape)


def distinct_cells(shape: tuple[int, ...], nnz: int, rng: np.random.Generator) -> Coords:
    """Return ``nnz`` different cells, every choice as likely as any other."""
    cells = math.prod(shape)
    if cells <= np.iinfo(np.int64).max:
        numbers = rng.choice(cells, nnz, replace=False)
        chosen = np.empty((nnz, len(shape)), dtype=np.int32)
        for mode in reversed(range(len(shape))):
            numbers, chosen[:, mode] = np.divmod(numbers, shape[mode])
        return chosen
    # Too many to number: draw mode by mode. Of so many cells hardly two are ever the same.
    coords: NDArray[np.int32] = np.empty((0, len(shape)), dtype=np.int32)
    while len(coords) < nnz:
        more = rng.integers(0, shape, size=(nnz - len(coords), len(shape)), dtype=np.int32)
        coords = np.concatenate([coords, more])
        _, first = np.unique(coords, axis=0, return_index=True)
        coords = coords[np.sort(first)]
    return coords
