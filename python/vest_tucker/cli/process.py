"""The process of ``vest-tucker``: how it begins and ends, whenever Ctrl-C comes.

The package loads this before all else, which takes a while: a Ctrl-C meanwhile would otherwise be
told as a traceback, or be lost in a module that is half loaded.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

INTERRUPTED, FAILED = 130, 1
NAMED = re.compile("(-[^m]*m)?vest_tucker").fullmatch
ENDS_WITH: list[int] = []  # the exit code, when it is known
NOTHING = "there was nothing to write yet"
LEFT = [NOTHING]  # what an interrupt leaves undone; there is another one when a file is written


def start() -> NoReturn:
    """Run the command that was typed, and end the process with its exit code."""
    from vest_tucker.cli.main import main  # it loads all else

    try:
        code = main()
    except SystemExit as end:  # of the parser, which has said why
        code = int(end.code or 0)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = FAILED
    leave(code)


def leave(code: int) -> NoReturn:
    """End the process; at once if anything went wrong.

    Threads of Arrow may still want to read from a file then, and wait for an interpreter that is
    ending: for ever, or until they take the process down.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # gone, closed, or none at all
            stream.flush()
    ends_with(code)
    if code == 0:
        sys.exit(0)
    os._exit(code)


def ends_with(code: int) -> None:
    """Say that all is done and written: a Ctrl-C from here on does not change the exit code."""
    ENDS_WITH[:] = [code]


def leave_at_once(number: int, frame: FrameType | None) -> NoReturn:
    """End the process that has done nothing yet, or all it had to do: a handler of signals."""
    if not ENDS_WITH:
        with suppress(OSError):
            os.write(2, f"vest-tucker: interrupted: {LEFT[0]}\n".encode(errors="replace"))
    os._exit(ENDS_WITH[0] if ENDS_WITH else INTERRUPTED)


def is_command() -> bool:
    """Whether this process is the command, and not a program that uses the package."""
    program = sys.argv[0] if sys.argv else ""
    if program == "-m":  # Python says no more than that while it looks for a module
        # Its name stands before what is left for it, alone or in one word with the option.
        return any(map(NAMED, sys.orig_argv[-len(sys.argv) :][:1]))
    return Path(program).stem == "vest-tucker"


if is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, leave_at_once)
