"""``vest-tucker fit``: from a file of observed entries to a model, in one go."""

from __future__ import annotations

import argparse
from typing import Any

from vest_tucker.base.interrupts import deferred_interrupt
from vest_tucker.cli.command import (
    READ,
    Command,
    add_json,
    add_tensor,
    read_tensor,
    tensor_from,
)
from vest_tucker.cli.commands.report import write_page
from vest_tucker.cli.facts import facts
from vest_tucker.cli.options import Option, add_options, options_of, taken
from vest_tucker.cli.output import note, tell, tell_json, wrote
from vest_tucker.cli.process import INTERRUPTED
from vest_tucker.cli.streams import STANDARD, check_results, load_model, save_model
from vest_tucker.fitting.fit import fit
from vest_tucker.model.model import TuckerModel

# Masks, arrays and functions, for which Python is the better place. Ctrl-C writes the model here.
NEED_PYTHON = ("support", "keep", "fixed", "callback", "on_interrupt")
OPTIONS = tuple(options_of(fit, skip=("X", *NEED_PYTHON)))


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_tensor(parser)
    add_result(parser)
    parser.add_argument(
        "--report",
        metavar="PAGE",
        help="an .html file for a page about the model; - is standard output",
    )
    add_options(parser, "how to fit", OPTIONS)
    add_json(parser)


def add_result(parser: argparse.ArgumentParser) -> None:
    """Add where the model goes."""
    parser.add_argument(
        "-o", "--output", metavar="MODEL",
        help="the file to write the model to, .npz; - is standard output",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Fit, write the model, and print its summary."""
    on_page = arguments.report == STANDARD
    check_results(
        {"-o -": arguments.output == STANDARD, "--report -": on_page, "--json": arguments.json},
        model=arguments.output, page=arguments.report,
        checkpoint=taken(arguments, OPTIONS).get("checkpoint"),
    )  # fmt: skip
    X = read_tensor(arguments)
    model = fit(X, **fit_options(arguments, OPTIONS))
    keep(arguments, model)
    code = finish(arguments, "fit", model, model, aside=on_page)
    if arguments.report:
        write_page(model, arguments.report, {})
    return code


def fit_options(arguments: argparse.Namespace, options: tuple[Option, ...]) -> dict[str, Any]:
    """Return the options given, files among them read."""
    given = taken(arguments, options)
    if "validation" in given:
        how = {name: each for name, each in taken(arguments, READ).items() if name != "like"}
        given["validation"] = tensor_from(given["validation"], how)
    if "warm_start" in given:
        given["warm_start"] = load_model(given["warm_start"])
    return given


def keep(arguments: argparse.Namespace, model: TuckerModel) -> None:
    """Write the model where it was asked for, before anything else is made of it.

    Ctrl-C waits for a file, because all of the work is in it; of a pipe nobody may read.
    """
    if arguments.output == STANDARD:
        save_model(model, STANDARD)
    elif arguments.output:
        with deferred_interrupt():
            save_model(model, arguments.output)
            wrote(arguments.output)
    else:
        note("no model was saved; -o model.npz keeps it")


def finish(
    arguments: argparse.Namespace,
    command: str,
    model: TuckerModel,
    result: object,
    *,
    aside: bool = False,
) -> int:
    """Tell about the result, with the model in it, where that is not in the way.

    ``aside`` says that something else than the model goes to standard output.
    """
    if aside or arguments.output == STANDARD:
        note(str(result))
    elif arguments.json:
        tell_json(command, {"model": facts(model), "output": arguments.output})
    else:
        tell(str(result))
    return INTERRUPTED if model.stopped == "interrupted" else 0


COMMAND = Command(
    "fit",
    "Fit a model to the observed entries in a file, write it, and print its summary.",
    (
        "vest-tucker fit ratings.csv --modes user movie year --value rating -o model.npz "
        "--report page.html",
        "vest-tucker fit counts.tns --ranks 8 8 4 --sparsity 0.9 --seed 0 -o model.npz --json",
        "vest-tucker fit - --modes user movie --value rating -o - < ratings.csv > model.npz",
    ),
    add,
    run,
)
