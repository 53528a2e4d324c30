"""What a command is, and the options that many commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from vest_tucker.cli.options import Option, add_options, options_of, taken
from vest_tucker.cli.output import note
from vest_tucker.cli.streams import readable
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.io.files import read


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes
    ----------
    name : str
    summary : str
        What it does, in one sentence.
    examples : tuple of str
        Lines to type, which its help shows.
    add : callable
        Adds its arguments to a parser.
    run : callable
        Does it; returns the exit code.
    """

    name: str
    summary: str
    examples: tuple[str, ...]
    add: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


READING = "how to read the file"
READ: tuple[Option, ...] = tuple(options_of(read, skip=("path", "return_info")))


def add_tensor(parser: argparse.ArgumentParser) -> None:
    """Add the file of a tensor, and the options to read it with."""
    parser.add_argument("file", metavar="FILE", help="the observed entries; - is standard input")
    add_options(parser, READING, READ)


def read_tensor(arguments: argparse.Namespace) -> SparseTensor:
    """Read the tensor that the arguments name."""
    return tensor_from(arguments.file, taken(arguments, READ))


def tensor_from(path: str, options: dict[str, Any]) -> SparseTensor:
    """Read a tensor from a file or standard input."""
    with ExitStack() as stack:
        if "like" in options:
            others = {name: each for name, each in options.items() if name not in ("like", "shape")}
            like = stack.enter_context(readable(options["like"]))
            options = options | {"like": read(like, **others)}
        tensor, info = read(stack.enter_context(readable(path)), **options, return_info=True)
        if info.index_base == 1:
            note(f"{path}: its indices count from 1, those of models and results from 0")
        found: SparseTensor = tensor
        return found


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the option that asks for JSON."""
    parser.add_argument(
        "--json", action="store_true", help="print the result as JSON, with a schema version"
    )
