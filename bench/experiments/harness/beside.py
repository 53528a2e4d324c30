"""Figures that show no seconds are measured by two processes at once: this one, and one beside it.

The other one is the same program with ``--part``. It has a file of rows of its own, which every
later run reads, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments.harness.job import Experiment
from experiments.harness.run import Part, run
from experiments.harness.store import Store

PARTS = 2
SHARE = 0.5  # of the time, at most, where figures with seconds need the other half


def rows_beside(rows: Path) -> Path:
    """Return where the other process writes."""
    return rows.with_suffix(".beside.jsonl")


def two_at_once(
    experiments: Sequence[Experiment], store: Store, budget: float, whole: bool
) -> None:
    """Measure what shows no seconds with both processes, in half of the time if more is wanted."""
    chosen = [each for each in experiments if not each.timed]
    if not chosen or (os.cpu_count() or 1) < PARTS:
        return
    budget *= 1.0 if len(chosen) == len(experiments) else SHARE
    mine: Part = (0, PARTS)
    command = [
        sys.executable, "-m", "experiments", "--part", f"1/{PARTS}", "--rows", str(store.file),
        "--budget", f"{budget:f}s", "--only", *(each.name for each in chosen),
        *(["--full"] if whole else []),
    ]  # fmt: skip
    with subprocess.Popen(command) as other:
        try:
            run(chosen, store, budget, whole, mine)
        except BaseException:
            other.terminate()
            raise
    store.read(rows_beside(store.file))
