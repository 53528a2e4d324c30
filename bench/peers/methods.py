"""What a user could take, each through its own package, with its defaults but MAX_ITER.

Two are not on defaults, and say so: vest-tucker unpruned, and TensorLy from a random start.

A method gets the entries, the shape and the ranks, and returns how to predict cells. Making the
arrays it wants is part of its time: whoever has entries has to do the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensors import Floats, Ints, Split

Predictor = Callable[[Ints], Floats]
MAX_ITER = 100


@dataclass(frozen=True)
class Method:
    """A way to fit a Tucker model, and which package must be there for it."""

    package: str
    fit: Callable[[Split], Predictor]
    dense: bool = False  # it needs every cell in memory, several times over
    note: str = ""


def vest_auto(data: Split) -> Predictor:
    """Fit with the defaults: L1 penalty, as sparse as the error allows."""
    import vest_tucker as vt

    return vt.fit(
        vt.SparseTensor(data.coords, data.values, data.shape), data.ranks, seed=0, preset="paper"
    ).predict


def vest_unpruned(data: Split) -> Predictor:
    """Fit a model without zeros, which is what the other packages make."""
    import vest_tucker as vt

    X = vt.SparseTensor(data.coords, data.values, data.shape)
    return vt.fit(X, data.ranks, loss="lf", sparsity=0.0, seed=0).predict


def tensorly_masked(data: Split, init: str = "svd") -> Predictor:
    """Higher-order orthogonal iteration; what is missing is filled in anew in each round."""
    from tensorly.decomposition import tucker

    tensor = np.zeros(data.shape)
    mask = np.zeros(data.shape)
    tensor[tuple(data.coords.T)] = data.values
    mask[tuple(data.coords.T)] = 1.0
    core, factors = tucker(
        tensor, data.ranks, init=init, mask=mask, n_iter_max=MAX_ITER, random_state=0
    )
    return tucker_predictor(core, factors)


def tensorly_random(data: Split) -> Predictor:
    """Do the same from a random start, which can end far lower than the default one."""
    return tensorly_masked(data, init="random")


def pyttb_als(data: Split) -> Predictor:
    """Tucker-ALS on a sparse tensor; it takes what is missing for zero."""
    import pyttb

    np.random.seed(0)  # noqa: NPY002 (its start comes from NumPy's global generator)
    tensor = pyttb.sptensor(data.coords, data.values[:, np.newaxis], data.shape)
    model, _, _ = pyttb.tucker_als(tensor, np.array(data.ranks), maxiters=MAX_ITER, printitn=0)
    return tucker_predictor(model.core.double(), model.factor_matrices)


METHODS: dict[str, Method] = {
    "vest-tucker": Method("vest_tucker", vest_auto, note="L1, automatic sparsity"),
    "vest-tucker, unpruned": Method("vest_tucker", vest_unpruned, note="L_F, sparsity 0"),
    "TensorLy": Method("tensorly", tensorly_masked, dense=True, note="tucker with a mask"),
    "TensorLy, random start": Method(
        "tensorly", tensorly_random, dense=True, note="tucker with a mask"
    ),
    "pyttb": Method("pyttb", pyttb_als, note="tucker_als, missing is zero"),
}


def tucker_predictor(core: Any, factors: Any) -> Predictor:
    """Predict cells from a dense core and factors, a block of cells at a time."""

    def predict(coords: Ints) -> Floats:
        blocks = np.array_split(coords, max(1, len(coords) // 10_000))
        return np.concatenate([predict_block(block) for block in blocks])

    def predict_block(coords: Ints) -> Floats:
        left = np.asarray(core)[np.newaxis]  # cells x the ranks not yet contracted
        for mode, factor in enumerate(factors):
            left = np.einsum("cj...,cj->c...", left, np.asarray(factor)[coords[:, mode]])
        return left

    return predict
