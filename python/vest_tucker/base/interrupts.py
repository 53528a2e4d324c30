"""Deferring Ctrl-C until a block is done that an interrupt would leave half finished."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def deferred_interrupt() -> Iterator[list[KeyboardInterrupt]]:
    """Run a block to its end; afterwards the list has the interrupt that came meanwhile, if any.

    The handler of Ctrl-C is called after the block. Nothing is deferred outside the main thread,
    which alone receives Ctrl-C, nor where its handler is not a Python function.

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
    received: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda _, frame: received.append(frame))
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, handler)
    try:
        if received:
            handler(signal.SIGINT, received[0])
    except KeyboardInterrupt as interrupt:
        interrupts.append(interrupt)
