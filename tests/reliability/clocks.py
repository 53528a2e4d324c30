"""Clocks that jump: a fit goes on, its progress is shown, and its checkpoints are written."""

from __future__ import annotations

import io
import itertools
import random
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path

import vest_tucker as vt
from reliability.case import Case, Share, Tally
from reliability.children import outcome_in_child
from reliability.things import call, digest, models_of, tensor
from vest_tucker.base.telling import steps

NAMES = ("plain", "paper", "path")


def jumping(clock: Callable[[], float], rng: random.Random, *, back: bool) -> Callable[[], float]:
    """Return a clock that is put on by up to a day now and then, or back as well."""
    ahead = 0.0

    def now() -> float:
        nonlocal ahead
        if rng.random() < 0.01:
            ahead += rng.uniform(-86_400.0 if back else 0.0, 86_400.0)
        return clock() + ahead

    return now


def fit_with(name: str, path: Path, seed: int, *, back: bool) -> tuple[str, bool]:
    """Fit with such clocks; return what came of it, and whether all of the history is sound."""
    rng = random.Random(seed)
    clocks = {each: getattr(time, each) for each in ("time", "monotonic", "perf_counter")}
    for each, clock in clocks.items():
        setattr(time, each, jumping(clock, rng, back=back or each == "time"))
    steps.clock = time.monotonic
    try:
        with redirect_stderr(io.StringIO()):
            result = call(name, checkpoint=path, checkpoint_every=30.0, progress=True)
    finally:
        for each, clock in clocks.items():
            setattr(time, each, clock)
    records = itertools.chain.from_iterable(each.history for each in models_of(result))
    return digest(result), back or all(record.seconds >= 0.0 for record in records)


def jump(share: Share) -> Tally:
    """Fit with clocks that jump ahead, and some that are put back, too."""
    tally = Tally()
    wanted = {name: outcome_in_child(lambda n=name: digest(call(n))).result for name in NAMES}  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as folder:
        for turn in share.turns(most=200, least=2 * len(NAMES)):
            name, back = NAMES[turn % len(NAMES)], turn // len(NAMES) % 2 == 1
            path = Path(folder) / f"{turn}.ckpt"
            ended = outcome_in_child(
                lambda n=name, p=path, t=turn, b=back: fit_with(n, p, t, back=b)  # type: ignore[misc]
            )
            fault = ended.fault
            if fault is None and ended.result != (wanted[name], True):
                fault = "other bytes" if ended.result[1] else "negative seconds in the history"
            if fault is None:
                again = outcome_in_child(lambda p=path: digest(vt.resume(p, tensor())))  # type: ignore[misc]
                fault = again.fault or (None if again.result == wanted[name] else "other bytes")
            tally.add(fault and f"{name}: {fault}")
    return tally


CASES = [
    Case(
        "fits and paths with progress and checkpoints while the clocks jump, also back",
        "the same bytes, and a checkpoint that can be resumed",
        jump,
    )
]
