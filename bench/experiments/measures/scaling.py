"""Scalability in order, dimensionality, entries and threads, as `vest_bench` measures it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from experiments.harness.job import Job
from experiments.harness.machine import ROOT

BINARY = ROOT / "build" / "main" / "bench" / "cpp" / "vest_bench"
BENCH_SOURCES = ROOT / "bench" / "cpp"
SECONDS = "0.6"  # that each point is measured for
# The largest point of each series: what is quick, and all that the paper has and memory holds.
MOST = {
    "order": ("10", "10"),
    "dimension": ("1e6", "1e7"),
    "entries": ("1e6", "1e7"),
    "threads": ("", ""),
}
REPEATS = 2  # in turns with everything else: the best of each point counts


def jobs(whole: bool) -> Iterator[Job]:
    """Yield each series, several times."""
    for turn in range(REPEATS):
        for series, most in MOST.items():
            limit = most[whole]
            settings = {"series": series, "most": limit, "ranks": 3, "penalty": "lf"}
            yield Job(settings, turn, partial(measured, series, limit), 3 * turn)


def binary() -> Path:
    """Return the program, or say how to get it."""
    found = Path(os.environ.get("VEST_BENCH", BINARY))
    if not found.is_file():
        raise FileNotFoundError(f"there is no {found.name}; `make bench` builds it")
    return found


def measured(series: str, most: str) -> dict[str, Any]:
    """Run one series; return its points and the slopes that the program has fitted."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "series.json")
        command = [str(binary()), series, "--json", str(out), "--seconds", SECONDS]
        if most:
            command += ["--max", most]
        subprocess.run(command, check=True, capture_output=True)
        said = json.loads(out.read_text("utf-8"))
    points = said["series"]["points"]
    return {
        "load": os.getloadavg()[0],
        "threads": points[0]["result"]["threads"],
        "cpu": said["machine"]["cpu"],
        "x": [point["x"] for point in points],
        "best": [point["result"]["best"] for point in points],
        "plan": [point["result"]["plan"] for point in points],
        "bytes": [point["result"]["peak_memory"] for point in points],
        "core": [_core_elements(point) for point in points],
    }


def _core_elements(point: dict[str, Any]) -> int:
    total = 1
    for rank in point["problem"]["ranks"]:
        total *= int(rank)
    return total
