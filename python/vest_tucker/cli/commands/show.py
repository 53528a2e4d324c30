"""``vest-tucker show``: a model in words."""

from __future__ import annotations

import argparse

from vest_tucker.cli.command import Command, add_json
from vest_tucker.cli.facts import facts
from vest_tucker.cli.options import add_options, options_of, taken
from vest_tucker.cli.output import tell, tell_json
from vest_tucker.cli.streams import load_model
from vest_tucker.model.model import TuckerModel

OPTIONS = tuple(options_of(TuckerModel.describe))


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the file of a model."""
    parser.add_argument("model", metavar="MODEL", help="a file of a model; - is standard input")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_model(parser)
    add_options(parser, "what to show", OPTIONS)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the summary of a model, and what it says."""
    model = load_model(arguments.model)
    if arguments.json:
        tell_json("show", {"model": facts(model)})
    else:
        tell(f"{model}\n\n{model.describe(**taken(arguments, OPTIONS))}")
    return 0


COMMAND = Command(
    "show",
    "Print the summary of a model and what it says: groups of labels, and how they hang together.",
    ("vest-tucker show model.npz -n 5 --labels 6 --unit stars",),
    add,
    run,
)
