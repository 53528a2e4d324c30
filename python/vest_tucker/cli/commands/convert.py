"""``vest-tucker convert``: from one file format to another."""

from __future__ import annotations

import argparse

from vest_tucker.base.errors import OptionError
from vest_tucker.cli.command import Command, add_tensor, read_tensor
from vest_tucker.cli.options import add_options, options_of, taken
from vest_tucker.cli.output import note
from vest_tucker.cli.streams import STANDARD, deliver
from vest_tucker.io.files import loses_labels, write

OPTIONS = tuple(options_of(write, skip=("tensor", "path"), prefix="output_"))


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_tensor(parser)
    parser.add_argument("output", metavar="OUTPUT", help="the new file; - is standard output")
    add_options(parser, "how to write", OPTIONS)


def run(arguments: argparse.Namespace) -> int:
    """Read, and write in the format that the suffix says."""
    options = taken(arguments, OPTIONS)
    tensor = read_tensor(arguments)
    if arguments.output == STANDARD and "format" not in options:
        raise OptionError("standard output has no suffix; say --output-format, as csv or tns")
    name = f"tensor.{options.get('format', '')}"
    deliver(arguments.output, lambda path: write(tensor, path, **options), name)
    if arguments.output != STANDARD:
        note(f"wrote {tensor.nnz:,} entries to {arguments.output}")
    if loses_labels(tensor, name if arguments.output == STANDARD else arguments.output,
                    options.get("format")):  # fmt: skip
        note("it has numbers in place of names and labels; .npz, .parquet, .csv and .tsv keep them")
    return 0


COMMAND = Command(
    "convert",
    "Convert entries from one file format to another: .tns, .sptensor, .csv, .tsv, .parquet, .npz.",
    (
        "vest-tucker convert ratings.csv ratings.npz --modes user movie --value rating",
        "vest-tucker convert counts.tns.gz - --output-format csv | head",
    ),
    add,
    run,
)
