"""``vest-tucker path``: models of every sparsity, and the one at the knee."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import io

from vest_tucker.cli.command import Command, add_json, add_tensor, read_tensor
from vest_tucker.cli.commands.fit import NEED_PYTHON, add_result, finish, fit_options, keep
from vest_tucker.cli.facts import facts
from vest_tucker.cli.options import add_options, options_of, taken
from vest_tucker.cli.output import tell_json
from vest_tucker.cli.streams import STANDARD, check_results, writable
from vest_tucker.studies.path.result import Path
from vest_tucker.studies.path.run import path

OPTIONS = tuple(options_of(path, skip=("X", *NEED_PYTHON)))


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_tensor(parser)
    add_result(parser)
    parser.add_argument(
        "--curve", metavar="FILE", help="a CSV file for sparsities and errors; - is standard output"
    )
    add_options(parser, "how to prune", OPTIONS)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prune, write the model at the knee and the curve, and print both."""
    curve_alone = arguments.curve == STANDARD
    check_results(
        {"-o -": arguments.output == STANDARD, "--curve -": curve_alone, "--json": arguments.json},
        model=arguments.output, checkpoint=taken(arguments, OPTIONS).get("checkpoint"),
    )  # fmt: skip
    X = read_tensor(arguments)
    found = path(X, **fit_options(arguments, OPTIONS))
    keep(arguments, found.best)
    if arguments.curve:
        with writable(arguments.curve) as file:
            file.write(curve(found).encode())
        if curve_alone:
            return 0
    if arguments.json:
        steps = {"steps": found.steps, "best": found.best_index, "model": facts(found.best)}
        tell_json("path", steps | {"output": arguments.output})
        return 0
    return finish(arguments, "path", found.best, found)


def curve(found: Path) -> str:
    """Return the numbers of each stop as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [each.name for each in dataclasses.fields(found.steps[0])]
    writer.writerow(names)
    writer.writerows([getattr(step, name) for name in names] for step in found.steps)
    return text.getvalue()


COMMAND = Command(
    "path",
    "Prune from the dense model on, and find how sparse to go; the model at the knee is written.",
    ("vest-tucker path counts.tns --ranks 5 --seed 0 -o model.npz --curve curve.csv",),
    add,
    run,
)
