"""Ctrl-C at random moments: an answer within a second, and whatever comes out can be used.

A child notes the moment at which its call ends, before it does anything else. A signal that was
sent before must have been heard by the call; one that was sent after it is not a try.
"""

from __future__ import annotations

import functools
import math
import signal
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import vest_tucker as vt
from interrupting import outcome_of, require_sound
from reliability.case import Case, Share, Tally
from reliability.children import Child, End, Ended, outcome_in_child
from reliability.things import CALLS, call, leftovers, model, plain_model, tensor

WITHIN = 1.0  # second for an answer
MARGIN = 0.001  # second that a signal may take from one processor to the other
ENOUGH = 100  # interrupts of each call
GAPS = (5e-6, 1e-5, 2e-5, 5e-5, 2e-4)  # seconds from the first to the second: answers are fast
LARGE = 10_000_000  # entries
DROPPED = "Python drops a Ctrl-C of this very moment"
# What may be wrong then, and nothing else.
UNHEARD = ("it went on to its end", "the second one was not heard", "it was heard when the call")
LEFT = "a temporary file was left behind"


def long_call(name: str, how: str, end: End) -> str:
    """Make a call that returns what is complete, or raises, and look at what it gives."""

    def made() -> Any:
        try:
            return call(name, on_interrupt=how)
        finally:
            end.note()

    end.listen()
    outcome = outcome_of(made)
    require_sound(outcome, tensor(), handler=end.hear)
    assert how == "return" or outcome.kind != "partial", "it returned, though it should raise"
    return outcome.kind


def short_call(name: str, end: End) -> str:
    """Do something for ever that has nothing to return halfway, and look at what is written."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        end.listen()
        try:
            while True:
                SHORT[name](path)
        except KeyboardInterrupt:
            end.note()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for file in path.glob("[!.]*"):
            assert file.read_bytes() == whole_files(name)[file.name], f"{file.name} is not whole"
        return LEFT if leftovers(path) else "raised"


@functools.cache
def whole_files(name: str) -> dict[str, bytes]:
    """Return what something writes when nothing interrupts it."""
    with tempfile.TemporaryDirectory() as folder:
        outcome_in_child(lambda: SHORT[name](Path(folder)))
        return {file.name: file.read_bytes() for file in Path(folder).iterdir()}


def reading(folder: Path) -> None:
    """Read a file of text, and one of arrays."""
    for name in ("entries.tns", "entries.npz"):
        if not (folder / name).exists():
            vt.write(middling(), folder / name)
        vt.read(folder / name)


def saving(folder: Path) -> None:
    """Save a model of the paper, and one that has variances."""
    model().save(folder / "paper.npz")
    plain_model().save(folder / "plain.npz")


@functools.cache
def middling() -> vt.SparseTensor:
    """Return a tensor that takes some tenths of a second to read or to predict."""
    rng = np.random.default_rng(0)
    shape = (12, 10, 8)
    return vt.SparseTensor(
        rng.integers(0, shape, (200_000, 3)), rng.random(200_000), shape=shape, duplicates="mean"
    )


SHORT: dict[str, Callable[[Path], Any]] = {
    "read": reading,
    "predict": lambda folder: model().predict(np.zeros((500_000, 3), dtype=np.int64)),
    "report": lambda folder: model().report(folder / "report.html"),
    "save": saving,
}


def interrupt(share: Share, *, twice: bool) -> Tally:
    """Interrupt each call in turns, and take the time until it answers."""
    tally = Tally()
    waited: list[float] = []
    tensor(), model(), plain_model(), middling()  # children find them made
    works = {name: functools.partial(call, name) for name in CALLS}
    works |= {name: functools.partial(whole_files, name) for name in SHORT}
    seconds = {name: seconds_of(work) for name, work in works.items()}
    for name in SHORT:
        whole_files(name)
    times, left_behind = dict.fromkeys(works, 0), 0
    for turn in share.turns(most=10_000, least=len(works)):
        left = [name for name, count in times.items() if count < ENOUGH]
        if not left:
            break
        name, end = left[turn % len(left)], End(share.rng.choice(GAPS) if twice else None)
        if name in SHORT:
            work = functools.partial(short_call, name, end)
        else:
            work = functools.partial(long_call, name, share.rng.choice(["return", "raise"]), end)
        child = Child(work)
        child.is_over(share.rng.uniform(0.0, seconds[name]))
        sent = send(child)
        before = tally.tried
        ended = child.wait(patience=20.0)
        judge(tally, f"{name}: ", ended, sent, waited, end)
        times[name] += tally.tried - before
        left_behind += ended.result == LEFT
    counts = ", ".join(f"{name} {count}" for name, count in times.items())
    tally.notes += [counts, answers(waited)]
    if left_behind:
        tally.notes.append(f"{left_behind} temporary files were left behind")
    return tally


class Sent(NamedTuple):
    """When a signal was sent: it came between these two moments."""

    began: float
    ended: float


def send(child: Child) -> Sent:
    """Send a Ctrl-C."""
    before = time.monotonic()
    child.send(signal.SIGINT)
    return Sent(before, time.monotonic())


def answers(waited: list[float]) -> str:
    """Return how long answers took."""
    if not waited:
        return "nothing was interrupted"
    middle = statistics.median(waited)
    return f"answers after {middle * 1000:.0f} ms (median), {max(waited) * 1000:.0f} ms at most"


def seconds_of(work: Callable[[], Any]) -> float:
    """Return how long something takes that nothing interrupts."""
    began = time.monotonic()
    outcome_in_child(lambda: work() and None)
    return time.monotonic() - began


def judge(tally: Tally, name: str, ended: Ended, sent: Sent, waited: list[float], end: End) -> None:
    """Count an answer, and note how long it took; what came after the end is not a try."""
    fault, is_try = fault_of(ended, sent, end)
    took = end.at - (sent.began if end.then is None else end.second)
    if fault is not None:
        # As where an import lets go of its lock: nobody can hear it then. It excuses nothing else.
        unheard = end.dropped > 0 and fault.startswith(UNHEARD)
        tally.add(DROPPED if unheard else name + fault, is_known=unheard)
    elif is_try:
        waited.append(max(took, 0.0))
        is_late = took > WITHIN
        tally.add(f"{name}no answer for {took:.1f} s" if is_late else None, is_late=is_late)


def fault_of(ended: Ended, sent: Sent, end: End) -> tuple[str | None, bool]:
    """Return what is wrong, and whether all that was sent came while the call was there."""
    surely = sent.ended + MARGIN < end.at < math.inf
    again = end.second + MARGIN < end.at < math.inf
    if ended.how == "returned":
        if (end.heard == 0 and surely) or (end.heard and ended.result == "complete"):
            return "it went on to its end", True
        if end.heard > 1 and ended.result == "partial":
            return "the second one did not end it", True
        if end.heard == 1 and ended.result == LEFT:  # a second one may come while it is removed
            return LEFT, True
        if end.heard == 1 and again:
            return "the second one was not heard", True
        return None, end.heard == (1 if end.then is None else 2)
    after = ended.how == "over" or (
        ended.how == "raised" and ended.result[0] == "KeyboardInterrupt"
    )
    if after or ended.how == "ended with code 0":  # something came when there was no call
        if (surely and not end.heard) or again or (end.at == math.inf and not after):
            return f"it was heard when the call was over ({ended.how})", True
        return None, False
    return f"{ended.how} {': '.join(ended.result or ())[:100]}".strip(), True


def interrupt_large(share: Share) -> Tally:
    """Interrupt a fit of many entries while it sorts them, plans, and makes a step."""
    tally = Tally()
    waited: list[float] = []
    if share.seconds < 40:
        tally.notes.append("left out: takes a budget of more")
        return tally
    rng = np.random.default_rng(0)
    coords = rng.integers(0, (20_000, 5_000, 500), (LARGE, 3), dtype=np.int32)
    X = vt.SparseTensor(coords, rng.random(LARGE), shape=(20_000, 5_000, 500), duplicates="first")

    def fitted(end: End) -> str:
        end.listen()
        try:
            vt.fit(X, 8, preset="paper", lam=0.01, max_iter=2, seed=0, on_interrupt="raise")
        except KeyboardInterrupt:
            end.note()
            return "raised"
        end.note()
        return "complete"

    seconds = seconds_of(lambda: fitted(End()))
    for _ in share.turns(most=1000, least=5):
        if tally.tried >= ENOUGH:
            break
        end = End()
        child = Child(functools.partial(fitted, end))
        child.is_over(share.rng.uniform(0.05, seconds))
        sent = send(child)
        judge(tally, "", child.wait(patience=20.0), sent, waited, end)
    tally.notes += [answers(waited), f"the whole call takes {seconds:.0f} s"]
    return tally


CASES = [
    Case(
        "Ctrl-C at random moments of fit, search, path, stability, read, predict, report, save",
        "an answer within a second; what is returned can be used, what is written is whole",
        functools.partial(interrupt, twice=False),
        weight=6.0,
        in_slice=False,  # what Python itself drops in a generator is rare, but not never
    ),
    Case(
        "Ctrl-C twice at random moments of the same calls",
        "the second one ends the call, and nothing is broken",
        functools.partial(interrupt, twice=True),
        weight=7.0,
        in_slice=False,
    ),
    Case(
        "Ctrl-C while a fit of ten million entries sorts, plans, or is in the middle of a step",
        "an answer within a second",
        interrupt_large,
        weight=3.0,
    ),
]
