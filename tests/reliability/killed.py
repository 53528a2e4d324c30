"""A process that writes checkpoints is killed anywhere, and goes on to the same bytes."""

from __future__ import annotations

import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import vest_tucker as vt
from reliability.case import Case, Share, Tally
from reliability.children import Child, outcome_in_child
from reliability.things import call, digest, leftovers, tensor

NAMES = ("plain", "paper", "search", "path", "stability")
EVERY = (0.0, 0.02, 0.1)  # seconds between two checkpoints
MOST = 30  # kills of one run


def kill(share: Share) -> Tally:
    """Kill runs again and again, until what is left of them ends first."""
    tally = Tally()
    kills = dict.fromkeys(NAMES, 0)
    whole = {name: reference(name) for name in NAMES}
    with tempfile.TemporaryDirectory() as folder:
        for turn in share.turns(most=10_000, least=len(NAMES)):
            name = NAMES[turn % len(NAMES)]
            wanted, seconds = whole[name]
            every = share.rng.choice(EVERY[1:] if name == "plain" else EVERY)
            path = Path(folder) / f"{turn}.ckpt"
            n_kills, fault = run_and_kill(name, path, every, seconds, wanted, share)
            tally.add(fault if fault is None else f"{name}: {fault}", n_kills)
            kills[name] += n_kills
        left = leftovers(Path(folder))
    tally.notes.append(", ".join(f"{name} {times}" for name, times in kills.items()))
    if left:
        tally.notes.append(f"{left} temporary files were left behind")
    return tally


def reference(name: str) -> tuple[str, float]:
    """Return the bytes of a run that nothing ends, and its seconds."""
    began = time.monotonic()
    ended = outcome_in_child(lambda: digest(call(name)))
    assert ended.how == "returned", f"{name}: {ended.fault}"
    return ended.result, time.monotonic() - began


def run_and_kill(
    name: str, path: Path, every: float, seconds: float, wanted: str, share: Share
) -> tuple[int, str | None]:
    """Return how often a run was killed, and what was wrong with what came out."""
    options: dict[str, Any] = {"checkpoint_every": every}
    for n_kills in range(MOST + 1):
        resumes = path.exists() and share.rng.random() < 0.5
        child = Child(
            lambda resumes=resumes: digest(  # type: ignore[misc]
                vt.resume(path, tensor(), **options)
                if resumes
                else call(name, checkpoint=path, **options)
            )
        )
        if n_kills < MOST and not child.is_over(share.rng.uniform(0.0, seconds)):
            child.send(signal.SIGKILL)
        ended = child.wait()
        if ended.how == "killed by SIGKILL":
            continue
        if ended.how != "returned":
            return max(n_kills, 1), ended.fault
        return n_kills, None if ended.result == wanted else "other bytes"
    return MOST, "killed though nobody did"


CASES = [
    Case(
        "kill -9 at random moments of fits, searches, paths and stability with a checkpoint",
        "the same call, or resume, goes on and ends with the same bytes",
        kill,
        weight=6.0,
    )
]
