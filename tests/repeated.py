"""The same entries twice: with weights that are whole numbers, and as often as the weights say.

Everything that weights do is to be what repeated entries would do. The library refuses repeated
cells, so the tensor that has them is put together past its checks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker import _core

# Options of fit by which what weights concern is reached: penalties, offsets, pruning, starts.
FITS: dict[str, dict[str, Any]] = {
    "lf": {"loss": "lf"},
    "l1": {"loss": "l1"},
    "lam not scaled": {"loss": "lf", "scale_lam": False, "lam": 2.0},
    "mean": {"loss": "lf", "offset": "mean"},
    "biases": {"loss": "l1", "offset": "biases"},
    "rows by entries": {"loss": "lf", "lam_rows": "entries"},
    "rows by roots": {"loss": "l1", "lam_rows": "sqrt", "offset": "biases"},
    "pruned per part": {"loss": "lf", "sparsity": 0.4},
    "pruned together": {"loss": "l1", "sparsity": 0.4, "allocation": "global"},
    "pruned by itself": {"loss": "lf", "sparsity": "auto"},
    "from the data": {"loss": "lf", "init": "data", "lam": None, "offset": "mean", "n_starts": 2},
    "from pairs": {"loss": "lf", "init": "pairs", "offset": "biases"},
}


def weighted_tensor(rng: np.random.Generator, order: int = 3) -> vt.SparseTensor:
    """Make a tensor with a structure to find, a row without entries, and weights from 1 to 6."""
    shape = (12, 9, 7, 5, 4)[:order]
    X, _ = vt.datasets.synthetic(
        shape, 2, nnz=min(300, int(0.6 * np.prod(shape))), noise=0.3, seed=1
    )
    coords = X.coords[X.coords[:, 0] != 3]
    values = X.values[X.coords[:, 0] != 3]
    return vt.SparseTensor(coords, values, shape, weights=rng.integers(1, 7, len(values)))


def repeated(X: vt.SparseTensor) -> vt.SparseTensor:
    """Make a tensor without weights that has each entry as often as its weight says."""
    assert X.weights is not None
    times = X.weights.astype(np.int64)
    assert (times == X.weights).all()
    made = vt.SparseTensor.__new__(vt.SparseTensor)
    made._coords = np.repeat(X.coords, times, axis=0)
    made._values = np.repeat(X.values, times)
    made._weights = None
    made._handle = _core.SparseTensor(made._coords, made._values, X.shape)
    made._mode_labels = X.mode_labels
    return made


def assert_same_model(got: vt.TuckerModel, want: vt.TuckerModel, tol: float = 1e-7) -> None:
    """Compare all numbers of two models but those that count entries."""
    for mine, theirs in zip((got.core, *got.factors), (want.core, *want.factors), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=tol, atol=tol * np.abs(theirs).max())
    singles = ("error", "baseline_error", "validation_error", "validation_baseline", "lam")
    for name in (*singles, "lam_used"):
        assert getattr(got, name) == pytest.approx(getattr(want, name), rel=tol, nan_ok=True), name
    assert (got.offset is None) == (want.offset is None)
    if got.offset is not None and want.offset is not None:
        for name in ("mean", "error", "shrinkage"):
            own, other = getattr(got.offset, name), getattr(want.offset, name)
            np.testing.assert_allclose(own, other, rtol=1e-6, err_msg=name)
        for own, other in zip(got.offset.biases, want.offset.biases, strict=True):
            np.testing.assert_allclose(own, other, rtol=tol, atol=tol)
