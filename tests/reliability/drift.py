"""Thousands of fits in one process: memory does not grow."""

from __future__ import annotations

import gc
from pathlib import Path

import vest_tucker as vt
from reliability.case import Case, Share, Tally
from reliability.children import outcome_in_child
from reliability.things import model, tensor

FITS, WARM_UP = 2000, 400
DRIFT = 0.01  # at most, of the memory after the warm-up
OPTIONS = {"preset": "paper", "lam": 0.01, "max_iter": 3}


def resident() -> int:
    """Return how many bytes of memory this process has."""
    gc.collect()
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("this system does not tell")


def fit_often(seconds: float) -> tuple[int, int, int]:
    """Fit, predict and describe; return the memory after the warm-up, at the end, and how often."""
    share = Share(seconds, rng=None)  # type: ignore[arg-type]
    before, times = 0, 0
    for times in share.turns(most=FITS + WARM_UP, least=2 * WARM_UP):
        found = vt.fit(tensor(), 3, seed=times, **OPTIONS)  # type: ignore[arg-type]
        found.predict(tensor())
        str(found)
        if times == WARM_UP - 1:
            before = resident()
    return before, resident(), times + 1 - WARM_UP


def measure(share: Share) -> Tally:
    """Compare memory before and after."""
    tally = Tally()
    if not Path("/proc/self/status").exists():
        tally.notes.append("left out: this system does not tell how much memory is in use")
        return tally
    model()
    ended = outcome_in_child(lambda: fit_often(share.seconds))
    if ended.how != "returned":
        tally.add(ended.fault)
        return tally
    before, after, times = ended.result
    grown = after / before - 1.0
    tally.add(None if grown < DRIFT else f"memory grew by {grown:.1%}", times)
    tally.notes.append(f"memory {grown:+.2%}, of {before / 2**20:.0f} MB")
    return tally


CASES = [
    Case(
        f"{FITS:,} fits, predictions and summaries in one process",
        f"memory grows by less than {DRIFT:.0%} after the first {WARM_UP}",
        measure,
    )
]
