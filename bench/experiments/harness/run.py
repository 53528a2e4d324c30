"""Runs jobs in turns until the time is over, tells how far it is, and keeps every row."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from experiments.harness.job import Experiment, Job
from experiments.harness.machine import commit, fingerprint, machine
from experiments.harness.store import Row, Store

Part = tuple[int, int]


@dataclass
class Progress:
    """Lines on standard error: the share of jobs, the time, what was measured."""

    total: int
    began: float
    budget: float
    done: int = 0

    def tell(self, text: str) -> None:
        """Say what has been done, and count it."""
        self.done += 1
        spent, share = time.monotonic() - self.began, self.done / max(self.total, 1)
        clock = f"{_clock(spent)} of {_clock(self.budget)}"
        print(f"experiments: {share:4.0%}, {clock}, {text}", file=sys.stderr, flush=True)


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def run(
    experiments: Sequence[Experiment],
    store: Store,
    budget: float,
    whole: bool,
    part: Part | None = None,
) -> tuple[list[Row], list[tuple[str, Job]]]:
    """Measure what this code has not measured yet; return all rows, and the jobs left over.

    Jobs of one turn follow each other, so that what else happens on the machine meets all alike.
    A part is the k-th of n parts of the figures that show no seconds.
    """
    began = time.monotonic()
    queue = [(each, job) for each in experiments for job in each.jobs(whole)]
    queue.sort(key=lambda item: item[1].turn)  # stable: figures keep their order
    if part is not None:
        queue = [item for item in queue if not item[0].timed][part[0] :: part[1]]
    progress = Progress(len(queue), began, budget)
    rows: list[Row] = []
    left: list[tuple[str, Job]] = []
    for experiment, job in queue:
        figure, code = experiment.name, code_of(experiment, job)
        row = store.find(figure, code, job.key)
        if row is None and time.monotonic() - began > budget:
            left.append((figure, job))
            continue
        if row is None:
            row = measured(figure, code, job)
            store.add(row)
            row = store.find(figure, code, job.key) or row
            progress.tell(_said(row))
        else:
            progress.done += 1
        rows.append(row)
    return rows, left


def code_of(experiment: Experiment, job: Job) -> str:
    """Return a sum over all that a job depends on."""
    sources = (*experiment.sources, *job.sources)
    return fingerprint(sources, library=job.library, data=job.data)


def measured(figure: str, code: str, job: Job) -> Row:
    """Make one measurement; what goes wrong is a result, too."""
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as heard, redirect_stdout(sys.stderr):
        warnings.simplefilter("always")
        try:
            found: dict[str, Any] = job.measure()
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}"[:300]}
    seconds, load = time.perf_counter() - began, os.getloadavg()[0]
    row: Row = {
        "figure": figure, "settings": job.settings, "seed": job.seed, "found": found,
        "seconds": seconds, "load": load, "commit": commit(), "code": code, "machine": machine(),
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M}",
    }  # fmt: skip
    said = [str(one.message).splitlines()[0][:200] for one in heard]
    if said:
        row["warned"] = said[0]
    return row


def _said(row: Row) -> str:
    """Return a row in a few words."""
    words = " ".join(str(each) for each in row["settings"].values() if each not in (None, ""))
    wrong = row["found"].get("error")
    end = f"failed: {str(wrong)[:80]}" if wrong else f"{row['seconds']:.1f} s"
    return f"{row['figure']} {words} seed {row['seed']}: {end}"
