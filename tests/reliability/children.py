"""Processes that are made to end: a function in a fork of this one, and what became of it.

The process that forks never fits anything itself, so that its children find it as it began.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

PATIENCE = 120.0  # seconds after which a child is taken to hang


@dataclass(frozen=True)
class Ended:
    """What became of a child.

    Attributes
    ----------
    how : str
        "returned", "raised", "killed by SIGKILL" and so on, "hangs", or "over": it had ended before
        the last Ctrl-C came.
    result
        What it returned, or raised: ``(class, message)``, and what it warned of.
    at : float
        When, by the monotonic clock that all processes share.
    warned : list of str
        The classes of its warnings.
    """

    how: str
    result: Any
    at: float
    warned: list[str]

    @property
    def fault(self) -> str | None:
        """What is wrong if it should have returned."""
        return None if self.how == "returned" else f"{self.how} {self.result or ''}".strip()


class Child:
    """A function at work in a process of its own, which has begun: it hears signals."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._reads, writes = os.pipe()
        hears, begins = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._reads)
            os.close(hears)
            _be_child(work, writes, begins)
        os.close(writes)
        os.close(begins)
        os.read(hears, 1)  # on a machine with much else to do, a process begins late
        os.close(hears)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, if it is still there."""
        os.kill(self.pid, number)  # not waited for yet: the number is still its own

    def is_over(self, seconds: float) -> bool:
        """Whether it ends within so many seconds: its end of the pipe is then closed."""
        return bool(select.select([self._reads], [], [], max(seconds, 0.0))[0])

    def wait(self, patience: float = PATIENCE) -> Ended:
        """Wait for its end, but not for ever."""
        content, limit = b"", time.monotonic() + patience
        hangs = False
        while True:
            if not self.is_over(limit - time.monotonic()):
                hangs = True
                self.send(signal.SIGKILL)
                limit += PATIENCE
            piece = os.read(self._reads, 1 << 20)
            content += piece
            if not piece:
                break
        at = time.monotonic()
        os.close(self._reads)
        status = os.waitpid(self.pid, 0)[1]
        if hangs:
            return Ended("hangs", None, at, [])
        if os.WIFSIGNALED(status):
            return Ended(f"killed by {signal.Signals(os.WTERMSIG(status)).name}", None, at, [])
        if not content:
            return Ended(f"ended with code {os.WEXITSTATUS(status)}", None, at, [])
        return Ended(*pickle.loads(content))


def outcome_in_child(work: Callable[[], Any]) -> Ended:
    """Do something in a process of its own, and wait for it."""
    return Child(work).wait()


def _be_child(work: Callable[[], Any], writes: int, begins: int) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                try:
                    os.write(begins, b".")
                    os.close(begins)
                    how, result = "returned", work()
                except BaseException as error:
                    how, result = "raised", (type(error).__name__, str(error))
                at = time.monotonic()
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            except KeyboardInterrupt:
                how, result, at = "over", None, time.monotonic()
        told = (how, result, at, [each.category.__name__ for each in caught])
        with os.fdopen(writes, "wb") as pipe:
            pickle.dump(told, pipe)
    finally:
        os._exit(0)
