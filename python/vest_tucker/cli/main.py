"""The entry point of ``vest-tucker``: finds the command, runs it, and returns the exit code.

The codes are 0; 1 if data or a model are at fault, with a sentence that says what to do; 2 if the
command line is, an option that means nothing included; 130 after Ctrl-C and 143 after SIGTERM,
which batch systems send, with whatever was fitted until then written; and 141 if whoever read the
output has gone.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from vest_tucker.base.errors import (
    InitError,
    LossError,
    OptionError,
    RankError,
    SparsityError,
    ThreadsError,
)
from vest_tucker.cli.output import complain, said_by, short_warnings, told_of_error
from vest_tucker.cli.parser import as_typed, parsed
from vest_tucker.cli.process import FAILED, INTERRUPTED, LEFT, ends_with, leave_at_once

USAGE, BROKEN_PIPE = 2, 141
# What a user can do something about. Anything else is a mistake of ours, and shows where it is.
EXPECTED = (ValueError, TypeError, OSError, MemoryError, ImportError, FloatingPointError)
MISTYPED = (OptionError, RankError, SparsityError, LossError, InitError, ThreadsError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; by default that of the command line."""
    given, code = None, None
    interrupts: list[int] = []
    try:
        given = parsed(arguments)
        shown = said_by(quiet=given.quiet, progress=given.progress)
        with shown, short_warnings(), noticed(interrupts):
            code = int(given.command.run(given))
            sys.stdout.flush()
            ends_with(code)
        return 128 + interrupts[0] if interrupts else code
    except KeyboardInterrupt:
        if code is None:
            complain("interrupted", LEFT[0])
        return 128 + interrupts[0] if interrupts else INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes standard output at its end, which would fail once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except EXPECTED as error:
        if given is not None and given.traceback:
            raise
        told = told_of_error(error)
        complain("error", told if given is None else as_typed(told, given.command))
        return USAGE if isinstance(error, MISTYPED) else FAILED


@contextmanager
def noticed(interrupts: list[int]) -> Iterator[None]:
    """Note in a list each Ctrl-C that comes, though whoever hears it may go on.

    Fits and paths return what they have. The exit code says that it is not all. SIGTERM, which
    would end the program at once, does the same.
    """
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    if threading.current_thread() is not threading.main_thread():
        before = {}

    def notice(number: int, frame: FrameType | None) -> None:
        interrupts.append(number)
        handler = before[signal.Signals(number)]
        if callable(handler) and handler is not leave_at_once:
            handler(number, frame)
        else:
            signal.default_int_handler(number, frame)

    heard = [
        number
        for number, handler in before.items()
        if callable(handler) or (number == signal.SIGTERM and handler == signal.SIG_DFL)
    ]
    for number in heard:
        signal.signal(number, notice)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])
