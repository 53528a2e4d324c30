"""The entry point of ``vest-tucker``: finds the command, runs it, and returns the exit code.

The codes are 0; 1 if data or a model are at fault, with a sentence that says what to do; 2 if the
command line is; 130 after Ctrl-C, with whatever was fitted until then written; and 141 if whoever
read the output has gone.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from vest_tucker._core import __version__
from vest_tucker.base.extras import needed_for
from vest_tucker.cli.command import INTERRUPTED, Command
from vest_tucker.cli.commands import COMMANDS
from vest_tucker.cli.output import complain, short_warnings

FAILED, BROKEN_PIPE = 1, 141
# What a user can do something about. Anything else is a mistake of ours, and shows where it is.
EXPECTED = (ValueError, TypeError, OSError, MemoryError, ImportError, FloatingPointError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; by default that of the command line."""
    parser = make_parser()
    given = parser.parse_args(arguments)
    try:
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
        if given.traceback:
            raise
        complain("error", str(error))
        return FAILED


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="vest-tucker",
        description="Sparse, readable Tucker factorizations of partially observed tensors.",
        epilog=f"{COMMANDS[1].examples[0]}\n\nvest-tucker COMMAND --help has more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"vest-tucker {__version__}")
    parser.add_argument(
        "--print-completion", action=PrintCompletion, metavar="SHELL", choices=SHELLS,
        help="print what completes commands and options in bash, zsh or tcsh, and exit",
    )  # fmt: skip
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        add_command(commands, command)
    return parser


def add_command(commands: Any, command: Command) -> None:
    """Add the parser of a command, whose help shows examples."""
    examples = "\n".join(f"  {line}" for line in command.examples)
    parser = commands.add_parser(
        command.name,
        help=command.summary,
        description=command.summary,
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add(parser)
    parser.add_argument(
        "--traceback", action="store_true", help="show where in Python an error comes from"
    )
    parser.set_defaults(command=command)


SHELLS = ("bash", "zsh", "tcsh")


class PrintCompletion(argparse.Action):
    """Prints the completion of a shell, which the package shtab makes."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Print it and exit."""
        with needed_for("--print-completion", "cli"):
            import shtab
        print(shtab.complete(parser, values))
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
