"""Tensors on a small cluster, beside the same ones on this machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import vest_tucker as vt
from sharded import long_rows

MODES = ["a", "b", "c"]


def frame_of(X: vt.SparseTensor) -> pd.DataFrame:
    """Return the entries of a tensor of three modes as a frame."""
    found = pd.DataFrame(X.coords, columns=MODES).assign(value=X.values)
    return found if X.weights is None else found.assign(w=X.weights)


def both(client: Any, *, weighted: bool = False) -> tuple[vt.SparseTensor, Any]:
    """Return a tensor here, and the same one on the cluster."""
    import dask.dataframe as dd

    import vest_tucker.dask as vtd

    X = long_rows()
    if weighted:
        X = X.with_weights(np.random.default_rng(2).uniform(0.5, 2.0, X.nnz))
    frame, weight = frame_of(X), "w" if weighted else None
    here = vt.SparseTensor.from_frame(frame, MODES, weight=weight)
    parts = dd.from_pandas(frame, npartitions=5, sort=False)
    return here, vtd.from_frame(parts, MODES, weight=weight, client=client)
