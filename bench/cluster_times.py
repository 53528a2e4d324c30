"""Measures what `cluster_simulation.py` is fed with, and fits to hold it against."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import vest_tucker as vt
from cluster import write
from cluster_simulation import RANKS, Times

OPTIONS: dict[str, Any] = {
    "preset": "paper", "lam": 0.01, "sparsity": 0.0, "seed": 0, "max_iter": 6, "tol": None,
}  # fmt: skip
HOW: dict[str, Any] = {
    "modes": ["user", "film", "year", "hour"], "value": "rating", "duplicates": "mean",
}  # fmt: skip
LARGE, SMALL = 1 << 26, 1 << 10  # bytes that are sent to tell what a byte takes


def best(function: Callable[[], Any], times: int = 5) -> float:
    """Return the seconds of the quickest call."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        function()
        found.append(time.perf_counter() - began)
    return min(found)


def quickest(model: vt.TuckerModel) -> float:
    """Return what the quickest iteration took: the one that neighbours have disturbed least."""
    return min(each.seconds for each in model.history[1:])


def nothing(_: Any) -> None:
    """Be a task."""


def round_of(client: Any, count: int) -> float:
    """Return the seconds of a round of so many tasks that do nothing."""
    from vest_tucker.dask.client import gathered

    def once() -> None:
        gathered(client, client.map(nothing, range(count), pure=False), "measuring")

    return best(once, 20)


def joined(number: int, *parts: Any) -> None:
    """Be a task that needs results of others."""


def meeting_of(count: int, *, apart: bool) -> float:
    """Return what a result adds to a task that needs it: so many tasks need as many results.

    All of these are on one worker, which is what the scheduler does for it, or each is on a worker
    of its own, which adds what sender and receiver do. All workers are in this process.
    """
    from distributed import Client, LocalCluster

    from vest_tucker.dask.client import all_submitted, gathered

    local = {"threads_per_worker": 1, "dashboard_address": None, "processes": False}
    with (
        LocalCluster(n_workers=count if apart else 1, **local) as cluster,
        Client(cluster) as client,
    ):
        workers = sorted(client.nthreads()) * (1 if apart else count)

        def once(*, meet: bool) -> float:
            own = all_submitted(client, "own", bytes, [8] * count, workers=workers)
            gathered(client, own, "measuring")
            parts = [[each] * count for each in own] if meet else []
            began = time.perf_counter()
            told = all_submitted(client, "all", joined, range(count), *parts, workers=workers)
            gathered(client, told, "measuring")
            return time.perf_counter() - began

        met, alone = (min(once(meet=meet) for _ in range(5)) for meet in (True, False))
    return (met - alone) / (count * (count - 1))


def processor_seconds(X: Any, threads: int) -> float:
    """Return the processor time of an iteration, which neighbours lengthen but little."""

    def spent(iterations: int) -> float:
        began = time.process_time()
        vt.fit(X, RANKS, threads=threads, **{**OPTIONS, "max_iter": iterations})
        return time.process_time() - began

    return (spent(5) - spent(1)) / 4


def byte_of(client: Any, all_sent: Callable[..., Any]) -> float:
    """Return what Dask does for a byte that goes to a worker by way of the scheduler."""

    def once(size: int) -> float:
        array = np.zeros(size // 8)
        return best(lambda: all_sent(client, [array], size))

    large, small = map(once, (LARGE, SMALL))
    return (large - small) / (LARGE - SMALL) / 2.0


def client_work(X: Any) -> tuple[float, float]:
    """Return the seconds per element, and for the core, that a client spends by itself."""
    rng = np.random.default_rng(0)
    parts = [rng.random(each) for each in zip(X.shape, RANKS, strict=True)]
    copied = best(lambda: [each.copy() for each in parts])
    elements = sum(each.size for each in parts)
    tiny = vt.SparseTensor(X.coords[:512], X.values[:512], X.shape)
    model = vt.fit(tiny, RANKS, threads=1, **OPTIONS)
    return 3.0 * copied / elements, quickest(model)


def state_of(X: Any) -> float:
    """Return what a task does for an element of a model before it comes to entries."""
    from vest_tucker import _core
    from vest_tucker.fitting.shards.entries import ShardedEntries
    from vest_tucker.fitting.shards.shard import Charge, State

    entries = ShardedEntries(X.coords, X.values, X.shape, count=1)
    shard = entries.plan(RANKS, threads=1, sparse_core=False).places.shards[1][0]  # type: ignore[attr-defined]
    factors = [np.ones(each) for each in zip(X.shape, RANKS, strict=True)]
    marks = np.zeros(factors[1].shape, dtype=np.uint8)
    state = State(np.ones(RANKS), factors, (), marks, Charge(_core.PenaltyKind.L1, 0.1), threads=1)
    return best(lambda: state.solver(shard.plan, 1, shard.rows)) / sum(map(np.size, factors))


def measure(path: Path, entries: int) -> None:
    """Write what was measured."""
    from distributed import Client, LocalCluster

    import vest_tucker.dask as vtd
    from vest_tucker.dask.told import all_sent

    fits, found = [], {}
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), entries, 8)
        tensor: Any = None
        for workers in (1, 2, 4):
            local = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
            with LocalCluster(**local) as cluster, Client(cluster) as client:
                X = vtd.read(f"{folder}/*.parquet", **HOW)
                model = vtd.fit(X, RANKS, shards=workers, **OPTIONS)
                fits.append(
                    {"workers": workers, "shape": X.shape, "nnz": X.nnz, "seconds": quickest(model)}
                )
                if workers == 2:
                    few, many = round_of(client, 2), round_of(client, 66)
                    found["task"] = (many - few) / 64
                    found["round"] = few - 2 * found["task"]
                    found["byte"] = byte_of(client, all_sent)
                    tensor = X.to_local()
    found["edge"] = meeting_of(32, apart=False)
    found["pair"] = max(0.0, meeting_of(16, apart=True) - found["edge"])
    one, two = (processor_seconds(tensor, each) for each in (1, 2))
    local = quickest(vt.fit(tensor, RANKS, threads=2, **OPTIONS))
    found["element"], found["core"] = client_work(tensor)
    found["entry"] = (one - found["core"]) / tensor.nnz
    found["shared"] = two / one
    found["state"] = state_of(tensor)
    told = {
        "times": vars(Times(**found)), "cores": os.cpu_count(), "fits": fits,
        "seconds_of_two_threads": local,
        "load": os.getloadavg()[0],
    }  # fmt: skip
    path.write_text(json.dumps(told, indent=1) + "\n")
