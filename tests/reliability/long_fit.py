"""One long fit: memory does not grow while it runs, and what its checkpoint holds can go on.

``python -m reliability.long_fit 2h`` fits for so long and prints what became of the memory; in
`make test-all` the fit takes the case's share of the time.
"""

from __future__ import annotations

import functools
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import vest_tucker as vt
from reliability.case import Case, Share, Tally
from reliability.children import PATIENCE, Child
from reliability.drift import DRIFT, resident

WARM_UP = 0.1  # share of the time after which memory is looked at first
SHAPE, ENTRIES, RANKS = (20_000, 5_000, 200), 5_000_000, 10
OPTIONS = {"preset": "paper", "lam": 0.01, "tol": 0.0, "max_iter": 10**6, "seed": 0, "threads": 1}


@functools.cache
def large() -> vt.SparseTensor:
    """Return a tensor of which one iteration takes about a second."""
    rng = np.random.default_rng(0)
    coords = rng.integers(0, SHAPE, (ENTRIES, 3), dtype=np.int32)
    return vt.SparseTensor(coords, rng.random(ENTRIES), shape=SHAPE, duplicates="mean")


def fit_for(seconds: float, checkpoint: Path) -> tuple[int, list[tuple[float, int]]]:
    """Fit for so long; return the number of iterations, and when how much memory was in use."""
    began = time.monotonic()
    seen: list[tuple[float, int]] = []

    def look(record: object) -> bool:
        passed = time.monotonic() - began
        if passed >= len(seen) * seconds / 100.0:
            seen.append((passed, resident()))
        return passed >= seconds

    every = min(60.0, seconds / 10.0)
    model = vt.fit(
        large(), RANKS, callback=look, checkpoint=checkpoint, checkpoint_every=every,
        **OPTIONS,  # type: ignore[arg-type]
    )  # fmt: skip
    assert np.isfinite(model.error)
    return model.n_iter, seen


def measure(share: Share) -> Tally:
    """Fit for the share, and compare memory after a tenth of the time with the most after that."""
    tally = Tally()
    if not Path("/proc/self/status").exists():
        tally.notes.append("left out: this system does not tell how much memory is in use")
        return tally
    large()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.ckpt"
        ended = Child(lambda: fit_for(share.seconds, path)).wait(share.seconds + PATIENCE)
        if ended.how != "returned":
            tally.add(ended.fault)
            return tally
        n_iter, seen = ended.result
        later = [bytes_ for passed, bytes_ in seen if passed >= WARM_UP * share.seconds]
        grown = max(later) / later[0] - 1.0
        tally.add(None if grown < DRIFT else f"memory grew by {grown:.1%}")
        kept = path.stat().st_size
    tally.notes.append(
        f"{seen[-1][0] / 60:.0f} minutes, {n_iter:,} iterations; memory {grown:+.2%}, of "
        f"{later[0] / 2**20:.0f} MB; {kept / 2**20:.1f} MB of checkpoint"
    )
    return tally


CASES = [
    Case(
        "one fit as long as its share of the time, with a checkpoint every minute",
        f"memory grows by less than {DRIFT:.0%} after the first tenth",
        measure,
    )
]

if __name__ == "__main__":
    import random

    from reliability.page import seconds_of

    found = measure(Share(seconds_of(sys.argv[1]), random.Random(0)))
    sys.stdout.write(f"held {found.held} of {found.tried}: {found.told}\n")
    sys.exit(found.held != found.tried)
