"""What the cases work on: small tensors, long calls by name, and what identifies a result."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import vest_tucker as vt
from reliability.children import outcome_in_child

PAPER: dict[str, Any] = {"preset": "paper", "lam": 0.01, "max_iter": 200, "tol": 0.0}
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "plain": (vt.fit, {"seed": 3}),
    "paper": (vt.fit, {"ranks": 3, "seed": 3, "n_starts": 2, **PAPER}),
    "search": (vt.fit, {"ranks": 2, "penalty": "lf", "lam": "auto", "seed": 0, "max_iter": 60}),
    "path": (vt.path, {"ranks": 2, "penalty": "lf", "step": 0.05, "n_starts": 1, "seed": 4}),
    "stability": (vt.stability, {"n_seeds": 4, "ranks": 2, "seed": 4, **PAPER}),
}


@functools.cache
def tensor() -> vt.SparseTensor:
    """Return a tensor that fits take some tenths of a second for."""
    return vt.datasets.synthetic((12, 10, 8), 2, nnz=500, noise=0.3, seed=1)[0]


@functools.cache
def model(seed: int = 0) -> vt.TuckerModel:
    """Return a small model, fitted in another process."""

    def fitted() -> vt.TuckerModel:
        return vt.fit(tensor(), 3, seed=seed, **PAPER | {"max_iter": 3})

    found: vt.TuckerModel = outcome_in_child(fitted).result
    return found


@functools.cache
def plain_model() -> vt.TuckerModel:
    """Return what a plain call gives, fitted in another process: it has variances."""
    found: vt.TuckerModel = outcome_in_child(lambda: call("plain")).result
    return found


def call(name: str, **more: Any) -> Any:
    """Make one of the calls."""
    function, options = CALLS[name]
    return function(tensor(), **options, **more)


def digest(result: Any) -> str:
    """Return a hash of all numbers of all models of a result."""
    found = hashlib.sha256()
    for each in models_of(result):
        variances = [each.core_variance, *(each.factor_variances or ())]
        for array in [each.core, *each.factors, *variances]:
            found.update(b"none" if array is None else np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def models_of(result: Any) -> list[vt.TuckerModel]:
    """Return the models of what a call returns."""
    if isinstance(result, vt.TuckerModel):
        return [result]
    if isinstance(result, vt.Path):
        return [result.at(sparsity=share) for share in (0.1, 0.5, 0.9)]
    return list(result.models)


def leftovers(folder: Path) -> int:
    """Count the temporary files in a folder."""
    return len(list(folder.glob(".vest-*")))
