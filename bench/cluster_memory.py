"""What a fit takes of each worker of a cluster, beside what was estimated.

    python bench/cluster_memory.py --entries 100000000 --workers 4 --limit 2GiB

Writes Parquet files of distinct cells into a temporary folder, reads and fits them on a cluster of
processes of this machine, and prints for each stage its seconds and the most memory that a worker
and this process had (the peak of what is resident, as the system counts it), and what was spilled.
Nothing may be spilled: spilling is switched off, as docs/cluster.md says, so that what does not fit
ends the worker, and this program.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import vest_tucker as vt

MODES = ("user", "item", "hour")
HOURS = 1000
MEMORY = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": 0.9,
    "distributed.worker.memory.terminate": 0.97,
    "distributed.scheduler.work-stealing": False,  # or shards go from worker to worker
}


def shape_of(entries: int) -> tuple[int, int, int]:
    """Return dimensions that grow with the entries: 10^6 x 10^5 x 10^3 for 10^8."""
    return entries // 100, entries // 1000, HOURS


def write(folder: Path, entries: int, files: int, *, exact: bool) -> None:
    """Write entries of distinct cells: a user has no two of the same hour."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    users, items, hours = shape_of(entries)
    rng = np.random.default_rng(0)
    step = 7919  # users that follow each other in a file are not neighbours
    for number, numbers in enumerate(np.array_split(np.arange(entries), files)):
        user = (numbers % users) * step % users
        item = (items * rng.random(len(numbers)) ** 2).astype(np.int32)
        hour = (user * 7 + numbers // users * 13) % hours
        value = 3.0 + np.sin(user % 7) * np.cos(item % 5) + 0.5 * rng.standard_normal(len(numbers))
        if not exact:
            value = np.round(2.0 * value) / 2.0
        columns = {"user": user.astype(np.int32), "item": item, "hour": hour.astype(np.int32)}
        pq.write_table(pa.table({**columns, "value": value}), folder / f"{number:03}.parquet")


def peak(pid: int) -> int:
    """Return the most bytes of a process that were resident since the last `forget`."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def forget(pid: int) -> None:
    """Let the peak of a process begin anew."""
    Path(f"/proc/{pid}/clear_refs").write_text("5", "ascii")


class Stages:
    """Seconds and peaks of each stage."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.found: dict[str, dict[str, Any]] = {}
        self.workers = sorted(client.run(os.getpid).values())

        self._begin = 0.0
        self._anew()

    def _anew(self) -> None:
        for pid in (*self.workers, os.getpid()):
            forget(pid)
        self._begin = time.perf_counter()

    def ended(self, name: str) -> None:
        """Note what was measured since the last stage ended."""
        seconds = time.perf_counter() - self._begin
        own, driver = [peak(pid) for pid in self.workers], peak(os.getpid())
        spilled = self.client.run_on_scheduler(spilled_bytes)
        self.found[name] = {
            "seconds": round(seconds, 1), "workers": own, "driver": driver, "spilled": spilled,
        }  # fmt: skip
        peaks = ", ".join(f"{each / 2**20:,.0f}" for each in own)
        sys.stdout.write(
            f"{name:>10}: {seconds:6.1f} s, workers {peaks} MiB, driver {driver / 2**20:,.0f} MiB, "
            f"spilled {spilled:,}\n"
        )
        sys.stdout.flush()
        self._anew()


def spilled_bytes(dask_scheduler: Any) -> int:
    """Return what all workers have on disk."""
    return sum(int(each.memory.spilled) for each in dask_scheduler.workers.values())


def measure(asked: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Read and fit on a cluster of processes."""
    import dask
    from distributed import Client, LocalCluster

    import vest_tucker.dask as vtd

    ranks = tuple(int(each) for each in asked.ranks.split(","))
    told = vt.estimate_memory(shape_of(asked.entries), asked.entries, ranks, workers=asked.workers)
    local = {
        "n_workers": asked.workers, "threads_per_worker": 1, "memory_limit": asked.limit,
        "dashboard_address": None,
    }  # fmt: skip
    with dask.config.set(MEMORY), LocalCluster(**local) as cluster, Client(cluster) as client:
        stages = Stages(client)
        client.run(imported)
        stages.ended("start")
        X = vtd.read(f"{folder}/*.parquet", modes=MODES, value="value")
        stages.ended("read")

        def look(record: Any) -> None:
            if record.iteration == 1:
                stages.ended("shards")

        model = vtd.fit(
            X, ranks=ranks, preset="paper", lam=0.01, sparsity=0.3, seed=0, tol=None,
            max_iter=asked.iterations, callback=look, **asked.options,
        )  # fmt: skip
        stages.ended("iterations")
    worst = max(max(each["workers"]) for each in stages.found.values())
    driver = max(each["driver"] for each in stages.found.values())
    return {
        "entries": X.nnz, "shape": X.shape, "ranks": ranks, "files": asked.files,
        "workers": asked.workers, "limit": asked.limit, "stages": stages.found,
        "iterations": [round(each.seconds, 2) for each in model.history],
        "estimated": told._asdict(),
        "measured": {"worker": worst, "driver": driver},
        "ratio": {"worker": worst / told.worker, "driver": driver / told.driver},
        "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors",
    }  # fmt: skip


def imported() -> None:
    """Have a worker import what a fit needs."""
    import pandas  # noqa: F401
    import pyarrow.parquet  # noqa: F401

    import vest_tucker.dask  # noqa: F401


def main() -> None:
    """Measure, and store what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000_000)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--limit", default="2GiB", help="memory of a worker")
    parser.add_argument("--ranks", default="3,3,3")
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--exact", action="store_true", help="values that need all their bits")
    parser.add_argument("--try", dest="try_", action="store_true", help="also what is refused")
    parser.add_argument("--folder", help="where the files are written; a temporary one by default")
    parser.add_argument("--result", type=Path, help="where to store what was found, as JSON")
    asked = parser.parse_args()
    asked.options = {"check_memory": False} if asked.try_ else {}
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        begin = time.perf_counter()
        write(Path(folder), asked.entries, asked.files, exact=asked.exact)
        sys.stdout.write(f"files written in {time.perf_counter() - begin:.0f} s\n")
        found = measure(asked, Path(folder))
    for who in ("worker", "driver"):
        sys.stdout.write(
            f"{who}: estimated {found['estimated'][who] / 2**20:,.0f} MiB, measured "
            f"{found['measured'][who] / 2**20:,.0f} MiB: {found['ratio'][who]:.2f} times\n"
        )
    sys.stdout.write(f"iterations: {found['iterations']} s\n")
    if asked.result:
        asked.result.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
