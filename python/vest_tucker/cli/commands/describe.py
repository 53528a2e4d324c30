"""``vest-tucker describe``: what there is to know about entries before a fit."""

from __future__ import annotations

import argparse

from vest_tucker.cli.command import Command, add_json, add_tensor, read_tensor
from vest_tucker.cli.options import add_options, options_of, taken
from vest_tucker.cli.output import tell, tell_json
from vest_tucker.data.tensor import SparseTensor

OPTIONS = tuple(options_of(SparseTensor.describe))


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_tensor(parser)
    add_options(parser, "what to tell", OPTIONS)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the description."""
    about = read_tensor(arguments).describe(**taken(arguments, OPTIONS))
    if arguments.json:
        tell_json("describe", {"tensor": about})
    else:
        tell(str(about))
    return 0


COMMAND = Command(
    "describe",
    "Tell what there is to know about entries before a fit: dimensions, values, rows, memory.",
    (
        "vest-tucker describe ratings.csv --modes user movie year --value rating",
        "zcat ratings.tsv.gz | vest-tucker describe - --json",
    ),
    add,
    run,
)
