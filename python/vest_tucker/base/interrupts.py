"""Ctrl-C held back for a moment, where an interrupt would leave something half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def deferred_interrupt() -> Iterator[list[KeyboardInterrupt]]:
    """Run a block to its end; the list has, after it, the interrupt that came meanwhile, if any.

    Whoever handles Ctrl-C hears of it after the block. Nothing is held back outside the main
    thread, which alone hears of Ctrl-C, nor where it is not handled in Python.

    Examples
    --------
    >>> with deferred_interrupt() as interrupts:
    ...     signal.raise_signal(signal.SIGINT)
    ...     print("done")
    done
    >>> interrupts
    [KeyboardInterrupt()]
    """
    interrupts: list[KeyboardInterrupt] = []
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield interrupts
        return
    came: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda _, frame: came.append(frame))
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, handler)
    try:
        if came:
            handler(signal.SIGINT, came[0])
    except KeyboardInterrupt as interrupt:
        interrupts.append(interrupt)
