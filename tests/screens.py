"""Streams and clocks to try progress on: terminals in memory and real ones, and time as told."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import select
import struct
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


class Terminal(io.StringIO):
    """What is written, and that someone looks at it."""

    def isatty(self) -> bool:
        return True


class Clock:
    """Time that passes when it is told to, or by as much with each look."""

    def __init__(self, each: float = 0.0) -> None:
        self.now, self.each = 1000.0, each

    def __call__(self) -> float:
        self.now += self.each
        return self.now


class PseudoTerminal:
    """A terminal of the system's own."""

    def __init__(self, stream: TextIO, outside: int) -> None:
        self.stream, self._outside, self._seen = stream, outside, ""

    def seen(self) -> str:
        """Return all that was written."""
        self.stream.flush()
        while select.select([self._outside], [], [], 0)[0]:
            self._seen += os.read(self._outside, 1 << 16).decode("utf-8", "replace")
        return self._seen


@contextmanager
def pseudo_terminal(lines: int = 30, columns: int = 100) -> Iterator[PseudoTerminal]:
    """Open a terminal; what is written into it must be read before it is full."""
    outside, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    try:
        with os.fdopen(inside, "w", encoding="utf-8") as stream:
            yield PseudoTerminal(stream, outside)
    finally:
        os.close(outside)
