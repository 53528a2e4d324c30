"""Ctrl-C at random moments: an answer within a second, and whatever comes out can be used."""

from __future__ import annotations

import functools
import signal
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import vest_tucker as vt
from interrupting import outcome_of, require_sound
from reliability.case import Case, Share, Tally
from reliability.children import Child, Ended, outcome_in_child
from reliability.things import CALLS, call, leftovers, model, tensor

WITHIN = 1.0  # second for an answer
LARGE = 10_000_000  # entries


def long_call(name: str, how: str) -> None:
    """Make a call that returns what is complete, or raises, and look at what it gives."""
    outcome = outcome_of(lambda: call(name, on_interrupt=how))
    at = time.monotonic()
    require_sound(outcome, tensor())
    if how == "raise" and outcome.kind == "partial":
        raise AssertionError("it returned, though it should raise")
    raise Answered(at)


class Answered(Exception):  # noqa: N818 - not an error
    """Tells the moment at which a call ended."""

    def __init__(self, at: float) -> None:
        super().__init__(repr(at))


def short_call(work: Callable[[Path], Any]) -> None:
    """Do something that has nothing to return halfway."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        try:
            while True:
                work(path)
        except KeyboardInterrupt:
            at = time.monotonic()
        assert not leftovers(path), "a temporary file was left behind"
    raise Answered(at)


def reading(folder: Path) -> None:
    """Read a file of text, and one of arrays."""
    for name in ("entries.tns", "entries.npz"):
        if not (folder / name).exists():
            vt.write(middling(), folder / name)
        vt.read(folder / name)


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
    "save": lambda folder: model().save(folder / "model.npz"),
}


def interrupt(share: Share, *, twice: bool) -> Tally:
    """Interrupt each call in turns, and take the time until it answers."""
    tally = Tally()
    waited: list[float] = []
    seconds = {name: seconds_of(name) for name in CALLS}
    model()
    middling()
    names = [*CALLS, *([] if twice else SHORT)]
    times = dict.fromkeys(names, 0)
    for turn in share.turns(most=10_000, least=len(names)):
        name = names[turn % len(names)]
        how = share.rng.choice(["return", "raise"])
        if name in SHORT:
            child, limit = Child(functools.partial(short_call, SHORT[name])), 0.3
        else:
            child, limit = Child(functools.partial(long_call, name, how)), seconds[name]
        if child.is_over(share.rng.uniform(0.02, limit)):
            child.wait()
            continue  # it was over before, and there was nothing to interrupt
        sent = time.monotonic()
        child.send(signal.SIGINT)
        if twice:
            child.is_over(share.rng.choice([0.0, 0.001, 0.01]))
            sent = time.monotonic()
            child.send(signal.SIGINT)
        before = tally.tried
        judge(tally, f"{name}: ", child.wait(patience=20.0), sent, waited)
        times[name] += tally.tried - before
    counts = ", ".join(f"{name} {count}" for name, count in times.items())
    tally.notes += [counts, answers(waited)]
    return tally


def answers(waited: list[float]) -> str:
    """Return how long answers took."""
    if not waited:
        return "nothing was interrupted"
    middle = statistics.median(waited)
    return f"answers after {middle * 1000:.0f} ms (median), {max(waited) * 1000:.0f} ms at most"


def seconds_of(name: str) -> float:
    """Return how long a call takes."""
    began = time.monotonic()
    outcome_in_child(lambda: call(name) and None)
    return time.monotonic() - began


def judge(tally: Tally, name: str, ended: Ended, sent: float, waited: list[float]) -> None:
    """Count an answer, and note how long it took."""
    if ended.how == "over":
        return  # there was nothing left to interrupt
    if ended.how != "raised":
        tally.add(f"{name}{ended.fault or 'it went on'}")
        return
    kind, message = ended.result
    at = float(message) if kind == "Answered" else ended.at
    if kind not in ("Answered", "KeyboardInterrupt"):
        tally.add(f"{name}{kind}: {message[:100]}")
        return
    waited.append(max(at - sent, 0.0))
    is_late = at - sent > WITHIN
    tally.add(f"{name}no answer for {at - sent:.1f} s" if is_late else None, is_late=is_late)


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

    def fitted() -> None:
        vt.fit(X, 8, preset="paper", lam=0.01, max_iter=2, seed=0, on_interrupt="raise")

    began = time.monotonic()
    ended = outcome_in_child(fitted)
    assert ended.how == "returned", ended.fault
    seconds = time.monotonic() - began
    for _ in share.turns(most=100, least=5):
        child = Child(fitted)
        if child.is_over(share.rng.uniform(0.05, seconds)):
            child.wait()
            continue
        sent = time.monotonic()
        child.send(signal.SIGINT)
        judge(tally, "", child.wait(patience=20.0), sent, waited)
    tally.notes += [answers(waited), f"the whole call takes {seconds:.0f} s"]
    return tally


CASES = [
    Case(
        "Ctrl-C at random moments of fit, search, path, stability, read, predict, report, save",
        "an answer within a second; what is returned can be used, what is written is whole",
        functools.partial(interrupt, twice=False),
        weight=3.0,
        in_slice=False,  # what Python itself drops in a generator is rare, but not never
    ),
    Case(
        "Ctrl-C twice at random moments of fit, search, path and stability",
        "the second one ends the call, and nothing is broken",
        functools.partial(interrupt, twice=True),
        weight=2.0,
        in_slice=False,
    ),
    Case(
        "Ctrl-C while a fit of ten million entries sorts, plans, or is in the middle of a step",
        "an answer within a second",
        interrupt_large,
        weight=4.0,
    ),
]
