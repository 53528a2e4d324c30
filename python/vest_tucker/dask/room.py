"""Whether the workers of a cluster have the memory that a fit takes, before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vest_tucker.base.errors import NotEnoughMemoryError
from vest_tucker.base.memory import GIB, on_cluster
from vest_tucker.dask.tensor import ClusterTensor


def require_room(X: ClusterTensor, ranks: Any, workers: int) -> None:
    """Raise unless entries shared by so many workers fit each of them.

    Ranks that are not known yet count as 1, the least that they can be.
    """
    told = [ranks] * X.order if isinstance(ranks, int) else ranks
    known = isinstance(told, Sequence) and not isinstance(told, str) and len(told) == X.order
    least = tuple(told) if known else (1,) * X.order
    need = on_cluster(X.shape, -(-X.nnz // workers), least, weighted=False).worker
    limits = X.client.run(memory_limit, on_error="ignore").values()  # one may be lost just now
    smallest = min((limit for limit in limits if limit), default=need)
    if need > smallest:
        raise NotEnoughMemoryError(
            f"this fit needs about {need / GIB:.2f} GiB on each of {workers} workers, but one of "
            f"them may take {smallest / GIB:.2f} GiB; add workers, give them more memory, or lower "
            f"the ranks"
        )


def memory_limit(dask_worker: Any) -> int:
    """Return the bytes that a worker may take; 0 if it has no limit."""
    return int(dask_worker.memory_manager.memory_limit or 0)
