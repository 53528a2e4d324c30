"""The entry point of ``vest-tucker``: finds the command, runs it, and returns the exit code.

The codes are 0; 1 if data or a model are at fault, with a sentence that says what to do; 2 if the
command line is; 130 after Ctrl-C, with whatever was fitted until then written; and 141 if whoever
read the output has gone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from vest_tucker.cli.command import INTERRUPTED
from vest_tucker.cli.output import complain, short_warnings
from vest_tucker.cli.parser import make_parser

FAILED, BROKEN_PIPE = 1, 141
# What a user can do something about. Anything else is a mistake of ours, and shows where it is.
EXPECTED = (ValueError, TypeError, OSError, MemoryError, ImportError, FloatingPointError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; by default that of the command line."""
    given = None
    try:
        given = make_parser().parse_args(arguments)
        with short_warnings():
            code = int(given.command.run(given))
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        complain("interrupted", "there was nothing to write yet")
        return INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes standard output at its end, which would fail once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except EXPECTED as error:
        if given is not None and given.traceback:
            raise
        complain("error", str(error))
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
