"""Fits the same entries with every system: time, memory and error on held-out entries.

`make peers` runs every system on every tensor that is there, each in a process of its own, prints
a table per tensor and writes bench/results/peers-TIME.json.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import os
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from peers.peer import Floats, Task
from peers.running import run
from peers.systems import SYSTEMS
from peers.table import table
from peers.tensors import TENSORS, Split, available

RESULTS = Path(__file__).resolve().parents[1] / "results"


def main() -> None:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", nargs="+", choices=list(TENSORS), default=list(TENSORS))
    parser.add_argument("--systems", nargs="+", choices=list(SYSTEMS), default=list(SYSTEMS))
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds per run")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    now = datetime.now(timezone.utc)
    report: dict[str, Any] = {
        "date": f"{now:%Y-%m-%d %H:%M} UTC",
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "threads": options.threads,
        "load": round(os.getloadavg()[0], 1),
        "packages": versions(),
        "tensors": {},
    }
    for tensor in options.only:
        if not available(tensor):
            print(f"peers: skipping {tensor}: its file is not in $VEST_DATA\n")
            continue
        split = TENSORS[tensor]()
        runs = list(compare(split, options.systems, options.threads, options.timeout))
        report["tensors"][tensor] = runs
        print(*table(tensor, runs), "", sep="\n", flush=True)
    RESULTS.mkdir(exist_ok=True)
    where = RESULTS / f"peers-{now:%Y-%m-%d-%H%M}.json"
    where.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print(f"peers: wrote {where}")


def compare(
    data: Split, systems: list[str], threads: int, timeout: float
) -> Iterator[dict[str, Any]]:
    """Yield what each system makes of one tensor, as plain values."""
    task = Task.of(
        data.coords, data.values, data.shape, data.ranks, data.test_coords, threads=threads
    )
    for name in systems:
        result = run(name, task, limit_seconds=timeout)
        head = {"system": name, "method": SYSTEMS[name].title, "centred": SYSTEMS[name].centre}
        if result.error is not None:
            yield {**head, "failed": result.error}
            continue
        yield {
            **head,
            "seconds": result.seconds,
            "memory": result.peak_bytes,
            "stored": result.stored,
            "sparsity": result.sparsity,
            "train_error": relative_error(data.values, result.fitted),
            "test_error": relative_error(data.test_values, result.predictions),
        }


def relative_error(values: Floats, predicted: Floats) -> float:
    """Return the norm of what is left over the norm of the values."""
    return float(np.linalg.norm(values - predicted) / np.linalg.norm(values))


def cpu_name() -> str:
    """Return what the processor calls itself."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return "unknown"


def versions() -> dict[str, str]:
    """Return the release of each package that a system needs."""
    needed = {"numpy", *(name for peer in SYSTEMS.values() for name in peer.requires)}
    names = importlib.metadata.packages_distributions()
    # Python 3.10 does not find the modules of every package; most are called like it.
    known = {distribution for name in needed for distribution in names.get(name, [name])}
    found = {}
    for name in sorted(known):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


if __name__ == "__main__":
    main()
