"""How strong a component must be to stand out of the noise: the scale of a sensible penalty."""

from __future__ import annotations

import numpy as np

from vest_tucker.base.types import Coords, Floats

ITERATIONS = 30


def noise_level(
    coords: Coords,
    values: Floats,
    shape: tuple[int, int],
    weights: tuple[Floats | None, Floats | None],
    rng: np.random.Generator,
) -> float:
    """Return the largest singular value that noise of the values' sizes has as a sparse matrix.

    With their signs drawn at random, the values keep their places and sizes and lose every
    component. Two factors that pay lam together act like a threshold of lam on singular values,
    so this is where a penalty starts to tell components from noise. ``weights`` are what the rows
    of either factor pay; ``coords`` are of the two modes.

    Examples
    --------
    >>> coords = np.stack(np.indices((30, 20)), axis=-1).reshape(-1, 2).astype(np.int32)
    >>> component = np.ones(600)  # whose singular value is the root of 600, 24.5
    >>> none = (None, None)
    >>> round(noise_level(coords, component, (30, 20), none, np.random.default_rng(0)))
    9
    """
    rows, columns = coords[:, 0], coords[:, 1]
    flipped = np.where(rng.random(len(values)) < 0.5, -values, values)
    for weight, at in zip(weights, (rows, columns), strict=True):
        if weight is not None:
            flipped /= np.sqrt(weight[at])
    right = rng.standard_normal(shape[1])
    size = 0.0
    for _ in range(ITERATIONS):
        left = _product(rows, flipped, right / _norm(right), columns, shape[0])
        if not left.any():
            return 0.0
        right = _product(columns, flipped, left / _norm(left), rows, shape[1])
        size = _norm(right)
    return size


def _product(
    to: np.ndarray[tuple[int], np.dtype[np.int32]],
    values: Floats,
    vector: Floats,
    at: np.ndarray[tuple[int], np.dtype[np.int32]],
    dim: int,
) -> Floats:
    sums: Floats = np.bincount(to, values * vector[at], minlength=dim).astype(
        np.float64, copy=False
    )
    return sums


def _norm(vector: Floats) -> float:
    # Not a dot product, whose last bits depend on the number of threads it finds.
    return float(np.sqrt(np.einsum("i,i->", vector, vector)))
