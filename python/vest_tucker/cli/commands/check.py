"""``vest-tucker check``: is a file whole, and what is in it."""

from __future__ import annotations

import argparse
from typing import Any

from vest_tucker.cli.command import READ, READING, Command, add_json
from vest_tucker.cli.facts import facts
from vest_tucker.cli.options import add_options, taken
from vest_tucker.cli.output import complain, tell, tell_json, told_of_error
from vest_tucker.cli.streams import STANDARD, readable
from vest_tucker.io.archive import kind_of
from vest_tucker.io.files import read
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.storage import KIND


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="models or entries; - is standard input"
    )
    add_options(parser, READING, READ)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read each file to its end, and tell of each what it is."""
    from vest_tucker.cli.parser import as_typed  # which knows all commands, this one included

    found = [look(path, taken(arguments, READ)) for path in arguments.files]
    if arguments.json:
        tell_json("check", {"files": found})
    else:
        for each in found:
            if each["error"] is None:
                tell(f"{each['file']}: {each['text']}")
            else:
                complain("error", as_typed(each["error"], COMMAND))
    return int(any(each["error"] is not None for each in found))


def look(path: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return what a file holds, or what is wrong with it."""
    about: dict[str, Any] = {"file": path, "kind": None, "text": None, "error": None}
    try:
        with readable(path) as file:
            if kind_of(file) == KIND:
                model = TuckerModel.load(file)
                text = f"a model of {model.nnz:,} entries, {model!r}"
                return about | {"kind": "model", "text": text, "model": facts(model)}
            tensor, info = read(file, **options, return_info=True)
    except (ValueError, TypeError, OSError) as error:
        return about | {"error": str(error) if path == STANDARD else named(error, path)}
    text = f"{tensor.nnz:,} entries in the format {info.format}, {tensor!r}"
    shape = {"shape": tensor.shape, "nnz": tensor.nnz, "modes": tensor.modes}
    return about | {"kind": "tensor", "text": text, "tensor": shape | {"format": info.format}}


def named(error: Exception, path: str) -> str:
    """Return what an error says, with the file, if it does not say it itself."""
    said = told_of_error(error)
    return said if path in said else f"{path}: {said}"


COMMAND = Command(
    "check",
    "Read files to their end and tell what is in them: models, or entries to fit.",
    ("vest-tucker check model.npz ratings.tns.gz",),
    add,
    run,
)
