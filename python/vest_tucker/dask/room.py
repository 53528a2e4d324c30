"""Whether the workers of a cluster have the memory that a fit takes, before it begins."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from vest_tucker.base.errors import NotEnoughMemoryError
from vest_tucker.base.memory import GIB, SHARD, in_block, on_cluster
from vest_tucker.dask.questions import of_each_worker, threads_of
from vest_tucker.dask.tensor import ClusterTensor

COPIES = 3  # of the blocks, if they stay: with other values, and without entries held out
SPILLING = 0.6  # share of what it may take from which on a worker of Dask writes to disk


class Room(NamedTuple):
    """What a fit takes of each worker, and what the smallest one may take; bytes all.

    Attributes
    ----------
    workers : int
        How many there are.
    shards : int
        Into how many each mode is cut.
    need : float
        At the peak, when blocks go as soon as they are in shards.
    kept : float
        If they stay.
    limit : float
        What a worker may take; infinite if no worker has a limit.
    """

    workers: int
    shards: int
    need: float
    kept: float
    limit: float

    @classmethod
    def of(cls, X: ClusterTensor, ranks: tuple[int, ...] | None, shards: int | None = None) -> Room:
        """Compare entries shared by the workers with what these may take.

        Ranks that are not known yet (None) count as 1, the least that they can be. If ``shards`` is
        not given, each thread has one where there is room to make that at once, and otherwise more.
        """
        by_worker = threads_of(X.client)
        workers, threads = max(1, len(by_worker)), max(by_worker.values(), default=1)
        told = of_each_worker(X.client, memory_limit, "asking for limits of memory").values()
        limit = min(
            (float(each) for each in told if isinstance(each, int) and each), default=math.inf
        )
        all_threads = max(1, sum(by_worker.values()))
        # Shards are dealt to threads, so who has most of these has most entries.
        share, weighted = -(-X.nnz * threads // all_threads), X.is_weighted
        least = ranks or (1,) * X.order
        blocks = COPIES * share * in_block(X.shape, weighted=weighted)

        def cut(count: int) -> Room:
            together = -(-X.nnz // count)
            need = on_cluster(
                X.shape, share, least, weighted=weighted, threads=threads, together=together
            ).worker
            return cls(workers, count, need, need + blocks, limit)

        if shards is not None:
            return cut(shards)
        count, most = all_threads, shards_for(X.nnz, all_threads)
        while count < most and not cut(count).keeps:
            count *= 2
        return cut(min(count, most))

    def require(self) -> None:
        """Raise unless every worker has the memory."""
        if self.need > self.limit:
            raise NotEnoughMemoryError(
                f"this fit needs about {self.need / GIB:.2f} GiB on each of {self.workers} "
                f"workers, but one of them may take {self.limit / GIB:.2f} GiB; add workers, give "
                f"them more memory, lower the ranks, or pass check_memory=False to try all the same"
            )

    @property
    def keeps(self) -> bool:
        """Whether blocks may stay: it is quicker, for whatever looks at entries again."""
        return self.kept <= SPILLING * self.limit


def shards_for(nnz: int, threads: int) -> int:
    """Return how many shards of each mode there are where memory is short: as many a thread."""
    return threads * max(1, -(-nnz // (threads * SHARD)))


def memory_limit(dask_worker: Any) -> int:
    """Return the bytes that a worker may take; 0 if it has no limit."""
    return int(dask_worker.memory_manager.memory_limit or 0)
