"""The parser of the command line, with a parser inside for each command."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import Any

from vest_tucker._core import __version__
from vest_tucker.base.extras import needed_for
from vest_tucker.cli.command import Command
from vest_tucker.cli.commands import COMMANDS

SHELLS = ("bash", "zsh", "tcsh")
FILES = ("FILE", "MODEL", "CELLS", "PAGE", "OUTPUT")  # what arguments are called that name files


class PrintCompletion(argparse.Action):
    """Prints the completion of a shell, which the package shtab makes."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Print it and exit."""
        with needed_for("--print-completion", "cli"):
            import shtab
        for action in actions_of(parser):
            if action.metavar in FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
        print(shtab.complete(parser, values))
        parser.exit()


def actions_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of those inside."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for inside in action.choices.values():
                yield from actions_of(inside)


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
        options = settings(command)
        fill(commands.add_parser(command.name, help=command.summary, **options), command)
    return parser


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return what was typed; the usage that an error shows is that of the command."""
    given, rest = make_parser().parse_known_args(arguments)
    if rest:
        single = next((word for word in rest if re.match(r"-[a-z][a-z-]+$", word)), None)
        hint = f"; write -{single}, with two dashes" if single else ""
        parser_of(given.command).error(f"unrecognized arguments: {' '.join(rest)}{hint}")
    return given


def parser_of(command: Command) -> argparse.ArgumentParser:
    """Return the parser of one command alone."""
    parser = argparse.ArgumentParser(f"vest-tucker {command.name}", **settings(command))
    fill(parser, command)
    return parser


def as_typed(text: str, command: Command) -> str:
    """Return a message that speaks of options in Python with how they are typed at its end.

    Examples
    --------
    >>> as_typed('choose duplicates="mean" or threads=1', COMMANDS[1])
    'choose duplicates="mean" or threads=1 (--duplicates mean, --threads 1)'
    """
    flags = {flag for each in parser_of(command)._actions for flag in each.option_strings}
    found = dict.fromkeys(
        f"{flag} {value}"
        for name, value in re.findall(r'(?<![\w/.-])([a-z]\w*)="?([\w.+-]*\w)', text)
        if (flag := f"--{name.replace('_', '-')}") in flags
    )
    return f"{text} ({', '.join(found)})" if found else text


def settings(command: Command) -> dict[str, Any]:
    """Return how the parser of a command is made; its help shows examples."""
    examples = "\n".join(f"  {line}" for line in command.examples)
    return {
        "description": command.summary,
        "epilog": f"examples:\n{examples}",
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "allow_abbrev": False,
    }


def fill(parser: argparse.ArgumentParser, command: Command) -> None:
    """Add the arguments of a command, and what every command has."""
    command.add(parser)
    parser.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, default="auto",
        help="show on standard error how far it is; unasked, on a terminal, after three seconds",
    )  # fmt: skip
    parser.add_argument(
        "-q", "--quiet", action="store_true",
        help="print results and errors alone: no progress, no messages, no warnings",
    )  # fmt: skip
    parser.add_argument(
        "--traceback", action="store_true", help="show where in Python an error comes from"
    )
    places = [each.metavar for each in parser._actions if not each.option_strings]
    parser.usage = " ".join(["vest-tucker", command.name, *map(str, places), "[options]"])
    parser.set_defaults(command=command)
