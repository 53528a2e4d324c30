"""Ctrl-C at any moment of a call, and what must be true of whatever comes out.

``python tests/interrupting.py [times]`` sends real signals at random moments, one or two to each
call; tests use `Interrupting`, which sends them when so many functions have been called: the same
moment in every run.
"""

from __future__ import annotations

import _thread
import collections
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

import vest_tucker as vt


class Outcome(NamedTuple):
    """What a call gave: a complete result, a partial one, or a KeyboardInterrupt."""

    kind: str
    result: Any


class _Pending:
    """``PENDING[number]``: a signal has come, which whoever was interrupted hears, as a real one.

    No function of Python is called, for it looks for signals when one is: the tracing function
    would hear it. What that raises when a generator goes on ends the generator in Python 3.10
    without its `except` and `finally`, which no signal does.
    """

    __getitem__ = staticmethod(_thread.interrupt_main)


PENDING = _Pending()


class Interrupting:
    """Sends SIGINT at the n-th call of a Python function, and again some calls after that."""

    def __init__(self, first: int, then: int | None = None) -> None:
        self.first, self.then, self.calls = first, then, 0

    def __enter__(self) -> Interrupting:
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *error: object) -> None:
        sys.setprofile(None)
        sys.settrace(None)

    def _profile(self, frame: FrameType, event: str, argument: object) -> None:
        """Count calls; whoever raises here is no longer called, so another counts on."""
        self.calls += event == "call"
        if self.calls == self.first and event == "call":
            if self.then is None:
                PENDING[signal.SIGINT]
                return
            sys.settrace(self._trace)  # heard at once, or two signals could become one
            signal.raise_signal(signal.SIGINT)

    def _trace(self, frame: FrameType, event: str, argument: object) -> None:
        self.calls += 1
        if self.then is not None and self.calls == self.first + self.then:
            signal.raise_signal(signal.SIGINT)


def outcome_of(call: Callable[[], Any]) -> Outcome:
    """Make a call that may be interrupted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except KeyboardInterrupt as error:
            return Outcome("raised", getattr(error, "partial", None))
    told = any("interrupted after" in str(each.message) for each in caught)
    return Outcome("partial" if told else "complete", result)


def require_sound(
    outcome: Outcome, X: vt.SparseTensor, handler: Any = signal.default_int_handler
) -> None:
    """Raise unless whatever came out can be used, and Ctrl-C is heard by its handler again."""
    result = outcome.result
    if isinstance(result, vt.TuckerModel):
        assert np.isfinite(result.error)
        assert result.n_iter >= 1
        assert np.isfinite(result.predict(X)).all()
        assert (result.stopped == "interrupted") == (outcome.kind != "complete")
        assert_text_is_made(result)
    elif result is not None:
        assert len(result.models if hasattr(result, "models") else result) >= 1
        assert_text_is_made(result)
    else:
        assert outcome.kind == "raised"
    assert signal.getsignal(signal.SIGINT) == handler


def assert_text_is_made(result: object) -> None:
    """A summary looks at everything."""
    assert str(result)


@contextmanager
def signals_after(*seconds: float) -> Iterator[None]:
    """Send this process real signals, one after the other."""
    over = threading.Event()

    def send() -> None:
        for each in seconds:
            time.sleep(each)
            if not over.is_set():
                os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        over.set()
        sender.join()


def calls_on(X: vt.SparseTensor) -> dict[str, Callable[..., Any]]:
    """The calls to interrupt, by name."""
    paper: dict[str, Any] = {"preset": "paper", "lam": 0.1, "max_iter": 12}
    return {
        "plain": lambda seed=0, **more: vt.fit(X, 3, seed=seed, **more),
        "paper": lambda seed=0, **more: vt.fit(X, 2, seed=seed, n_starts=2, **paper, **more),
        "path": lambda **more: vt.path(X, 2, seed=0, step=0.2, **more),
        "path, paper": lambda **more: vt.path(
            X, 2, preset="paper", seed=0, step=0.2, n_starts=1, **more
        ),
        "stability": lambda **more: vt.stability(X, 2, 3, seed=0, **paper, **more),
        "cross_validate": lambda **more: vt.cross_validate(X, 3, ranks=2, seed=0, **paper, **more),
    }


def main(times: int) -> None:
    """Interrupt each call so often at random moments, and count what comes out."""
    rng = random.Random(0)
    X, _ = vt.datasets.synthetic((60, 40, 20), 2, nnz=6000, noise=0.1, seed=0)
    for name, call in calls_on(X).items():
        began = time.perf_counter()
        call()
        seconds = time.perf_counter() - began
        for title, how in (("once", "return"), ("once", "raise"), ("twice", "return")):
            kinds = collections.Counter(
                at_random(call, how, X, seconds, rng, twice=title == "twice") for _ in range(times)
            )
            print(f"{name:15} {title:5} {how:6}", dict(sorted(kinds.items())), flush=True)


def at_random(
    call: Callable[..., Any],
    how: str,
    X: vt.SparseTensor,
    seconds: float,
    rng: random.Random,
    *,
    twice: bool,
) -> str:
    """Interrupt a call that takes so many seconds; say what came out."""
    moments = [rng.uniform(0.0, seconds)]
    if twice:
        moments.append(rng.choice([0.0, 0.0002, 0.002]))
    try:
        with signals_after(*moments):
            outcome = outcome_of(lambda: call(on_interrupt=how))
    except KeyboardInterrupt:
        return "after the call"
    require_sound(outcome, X)
    return outcome.kind + ("" if outcome.result is not None else ", nothing complete")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
