"""``vest-tucker report``: a page about a model, for people without Python."""

from __future__ import annotations

import argparse
from typing import Any

from vest_tucker.cli.command import Command
from vest_tucker.cli.commands.show import add_model
from vest_tucker.cli.options import add_options, options_of, taken
from vest_tucker.cli.output import wrote
from vest_tucker.cli.streams import STANDARD, check_results, deliver, load_model
from vest_tucker.model.model import TuckerModel

OPTIONS = tuple(options_of(TuckerModel.report, skip=("path",)))


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_model(parser)
    parser.add_argument(
        "-o", "--output", metavar="PAGE", required=True,
        help="the file to write, .html; - is standard output",
    )  # fmt: skip
    add_options(parser, "what is on the page", OPTIONS)


def run(arguments: argparse.Namespace) -> int:
    """Write the page."""
    check_results({}, page=arguments.output)
    write_page(load_model(arguments.model), arguments.output, taken(arguments, OPTIONS))
    return 0


def write_page(model: TuckerModel, output: str, options: dict[str, Any]) -> None:
    """Write the page about a model into a file or to standard output."""
    deliver(output, lambda path: model.report(path, **options), "report.html")
    if output != STANDARD:
        wrote(output)


COMMAND = Command(
    "report",
    "Write a page about a model, one HTML file for people without Python.",
    ("vest-tucker report model.npz -o report.html --title 'Who watches what' --unit stars",),
    add,
    run,
)
