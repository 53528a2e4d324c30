"""Compares vest-tucker with TensorLy and pyttb: time, memory and error on held-out entries.

`python bench/peers/compare.py` runs every method on every tensor that is there, each in a
process of its own, prints a table per tensor and writes bench/results/peers-TIME.json.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from methods import METHODS
from table import table
from tensors import TENSORS, available

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results"
PACKAGES = ("vest-tucker", "vest_tucker", "tensorly", "pyttb", "numpy", "scipy")


def main() -> None:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", nargs="+", choices=list(TENSORS), default=list(TENSORS))
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds per run")
    options = parser.parse_args()
    now = datetime.now(timezone.utc)
    report: dict[str, Any] = {
        "date": f"{now:%Y-%m-%d %H:%M} UTC",
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "packages": versions(),
        "tensors": {},
    }
    for tensor in options.only:
        if not available(tensor):
            print(f"peers: skipping {tensor}: its file is not in $VEST_DATA\n")
            continue
        runs = compare(tensor, options.timeout)
        report["tensors"][tensor] = runs
        print(*table(tensor, runs), "", sep="\n")
    RESULTS.mkdir(exist_ok=True)
    where = RESULTS / f"peers-{now:%Y-%m-%d-%H%M}.json"
    where.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print(f"peers: wrote {where}")


def compare(tensor: str, timeout: float) -> list[dict[str, Any]]:
    """Run all methods on one tensor, on its values as they are and with their mean taken off."""
    cells = TENSORS[tensor]().cells
    runs = []
    for name, method in METHODS.items():
        for centred in (False, True):
            if importlib.util.find_spec(method.package) is None:
                outcome: dict[str, Any] = {"failed": f"{method.package} is not installed"}
            elif method.dense and 6 * 8 * cells > memory_available():
                # The tensor, the mask, the reconstruction and what their products leave.
                outcome = {"failed": f"{cells:,} cells do not fit in memory"}
            else:
                outcome = run_worker(tensor, name, centred, timeout)
            runs.append({"method": name, "note": method.note, "centred": centred, **outcome})
    return runs


def run_worker(tensor: str, method: str, centred: bool, timeout: float) -> dict[str, Any]:
    """Run one method in a process of its own."""
    given = "centred" if centred else "as-is"
    limit = str(int(0.9 * memory_available()))
    command = [sys.executable, str(HERE / "worker.py"), tensor, method, given, limit]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return {"failed": f"took more than {timeout:.0f} s"}
    except subprocess.CalledProcessError as error:
        last = error.stderr.strip().splitlines()[-1:] or [f"exit code {error.returncode}"]
        return {"failed": last[0]}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def memory_available() -> int:
    """Return how many bytes could be had without swapping."""
    meminfo = Path("/proc/meminfo")
    if meminfo.is_file():
        for line in meminfo.read_text("utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def cpu_name() -> str:
    """Return what the processor calls itself."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return "unknown"


def versions() -> dict[str, str]:
    """Return the release of each package that is installed."""
    installed = importlib.metadata.distributions()
    return {one.name: one.version for one in installed if one.name in PACKAGES}


if __name__ == "__main__":
    main()
