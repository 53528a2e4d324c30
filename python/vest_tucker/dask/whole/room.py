"""Whether each worker has the memory for whole fits, and for how many at once."""

from __future__ import annotations

import math
from typing import Any

from vest_tucker import _core
from vest_tucker.base import memory
from vest_tucker.base.errors import ClusterError
from vest_tucker.dask.questions import of_each_worker, threads_of
from vest_tucker.dask.room import memory_limit
from vest_tucker.dask.tensor import ClusterTensor
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.noise.candidates import largest_ranks

COPIES = 3.0  # of the entries, on a worker that puts blocks together: theirs, and the tensor's
MODELS = 24.0  # copies of all parts that a plain call keeps: structures and splits that rest


def fits_at_once(
    X: ClusterTensor | SparseTensor,
    client: Any,
    ranks: tuple[int, ...] | None,
    penalty: str,
    models: float = 2.0,
) -> int:
    """Return how many whole fits each worker has memory for; 0 if the tensor is too large for one.

    Ranks that are yet to be found (None) count as the largest that a plain call begins with.
    """
    if not threads_of(client):
        raise ClusterError("the cluster has no worker; add some, and call again")
    weighted = X.weights is not None if isinstance(X, SparseTensor) else X.is_weighted
    most, noise = ranks or largest_ranks(X.shape, X.nnz), penalty == "bayes"
    each = memory.needed(
        X.shape, X.nnz, most, 1, offset=True, noise=noise, split=noise, weighted=weighted,
        models=models + (MODELS if noise else 0.0),
    )  # fmt: skip
    entries = _core.estimate_memory(X.shape, X.nnz, most, threads=1, weighted=weighted)["tensor"]
    answers = of_each_worker(client, memory_limit, "asking for limits of memory").values()
    limits = [limit for limit in answers if isinstance(limit, int) and limit]
    if not limits:
        return int(max(threads_of(client).values()))
    left = min(limits) - memory.WORKER - entries
    return 0 if left < (COPIES - 1.0) * entries else max(0, math.floor(left / each))
