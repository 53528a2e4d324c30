"""Processes that are made to end: a function in a fork of this one, and what became of it.

The process that forks never fits anything itself, so that its children find it as it began.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import pickle
import select
import signal
import struct
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
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


class End:
    """What a child notes of its call for its parent: when it ended, and what it had heard by then.

    With ``then``, the child sends itself a second Ctrl-C, so many seconds after it has heard the
    first: two that are sent one after the other may be one for who hears them.

    Examples
    --------
    >>> end = End()
    >>> end.at
    inf
    >>> end.note()
    >>> end.at < time.monotonic(), end.heard
    (True, 0)
    """

    FORM = "ddqq"

    def __init__(self, then: float | None = None) -> None:
        self.then = then
        self._shared = mmap.mmap(-1, struct.calcsize(self.FORM))
        self._first, self._heard, self._dropped = math.inf, 0, 0
        struct.pack_into(self.FORM, self._shared, 0, math.inf, math.inf, 0, 0)

    def listen(self) -> None:
        """Hear what comes from now on, and what Python does not pass on."""
        sys.unraisablehook = self._drop
        signal.signal(signal.SIGINT, self.hear)

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Count a Ctrl-C, and raise as Python does."""
        self._heard += 1
        if self._heard == 1:
            self._first = time.monotonic()
            if self.then is not None:
                interrupt_after(self.then)
        signal.default_int_handler(number, frame)

    def _drop(self, what: Any) -> None:
        self._dropped += issubclass(what.exc_type, KeyboardInterrupt)

    def note(self) -> None:
        """Note that the call has ended."""
        now = time.monotonic()
        struct.pack_into(self.FORM, self._shared, 0, now, self._first, self._heard, self._dropped)

    @property
    def at(self) -> float:
        """When it ended; infinite before."""
        return float(struct.unpack(self.FORM, self._shared)[0])

    @property
    def second(self) -> float:
        """When the second Ctrl-C came; infinite if there was none."""
        first = float(struct.unpack(self.FORM, self._shared)[1])
        return math.inf if self.then is None else first + self.then

    @property
    def heard(self) -> int:
        """How many Ctrl-C it had heard."""
        return int(struct.unpack(self.FORM, self._shared)[2])

    @property
    def dropped(self) -> int:
        """How many of them Python has dropped, as it does where nothing can be raised."""
        return int(struct.unpack(self.FORM, self._shared)[3])


class _Event(ctypes.Structure):
    """What a timer of the system does: ``struct sigevent``, whose end no signal needs."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("number", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("more", ctypes.c_char * 64),
    )


def interrupt_after(seconds: float) -> None:
    """Let the system send this process a Ctrl-C; Python has timers for other signals alone."""
    system, timer = ctypes.CDLL(None), ctypes.c_void_p()
    event = _Event(number=signal.SIGINT)
    system.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer))
    times = (ctypes.c_long * 4)(0, 0, int(seconds), int(seconds % 1.0 * 1e9))
    system.timer_settime(timer, 0, ctypes.byref(times), None)


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
