"""``vest-tucker explain``: what a prediction is made of."""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from vest_tucker.base.errors import OptionError, UnseenLabelsWarning
from vest_tucker.base.types import Labels
from vest_tucker.cli.cells import converter
from vest_tucker.cli.command import Command, add_json
from vest_tucker.cli.commands.show import add_model
from vest_tucker.cli.options import add_options, options_of, taken
from vest_tucker.cli.output import YELLOW, complain, tell, tell_json
from vest_tucker.cli.streams import load_model
from vest_tucker.data.label_arrays import label_array
from vest_tucker.data.labels import listed, perhaps, show
from vest_tucker.data.sources.dates import plain_text
from vest_tucker.model.model import TuckerModel
from vest_tucker.reading.explain import Explanation

OPTIONS = tuple(options_of(TuckerModel.explain, skip=("cells",)))


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_model(parser)
    parser.add_argument(
        "cell",
        metavar="MODE=LABEL",
        nargs="+",
        help="labels of modes, as user=ann; the others are averaged over",
    )
    add_options(parser, "how to explain", OPTIONS)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the terms of one prediction."""
    model = load_model(arguments.model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenLabelsWarning)  # told of below, all of them
        explained = model.explain(cell_of(arguments.cell, model), **taken(arguments, OPTIONS))
    if explained.unseen.any():
        complain(
            "warning",
            f"the model has not seen a label of this cell: {explained.title()}"
            f"{meant(explained, model)}; --unseen says how such a cell is predicted",
            YELLOW,
        )
    if arguments.json:
        terms = {"predicted": explained.totals[0], "terms": explained.terms}
        tell_json("explain", {"cell": explained.title()} | terms)
    else:
        tell(str(explained))
    return 0


def meant(explained: Explanation, model: TuckerModel) -> str:
    """Return which labels may be meant by those that the model does not have, or how its look."""
    found = []
    for mode, own in enumerate(model.labels):
        given = explained.labels[mode][:1]
        if own is None or not explained.unseen[0, mode]:
            continue
        if model.mode_labels.encode(mode, given)[0] >= 0:  # without an entry in the fit
            continue
        example = plain_text(own[0]) if own.dtype.kind == "M" else show(own[0])
        looks = f"; labels of {model.modes[mode]!r} look like {example}"
        found.append(perhaps(given[0], own) or looks)
    return "".join(found)


def cell_of(given: list[str], model: TuckerModel) -> dict[str, Labels]:
    """Return the cell that words as "user=ann" name."""
    pairs = dict(word.split("=", 1) for word in given if "=" in word)
    example = " ".join(f"{name}=..." for name in model.modes)
    if wordless := [word for word in given if "=" not in word]:
        raise OptionError(
            f"{listed(wordless)} is not a label of a mode; name a cell of the model as {example}"
        )
    if strange := [name for name in pairs if name not in model.modes]:
        near = perhaps(strange[0], np.array(model.modes, dtype=object))
        raise OptionError(f"the model has no mode {strange[0]!r}{near}; name a cell as {example}")
    if len(pairs) < len(given):
        raise OptionError(f"{listed(given)} names a mode twice; name a cell as {example}")
    empty = [name for name, text in pairs.items() if not text]
    if empty:
        raise OptionError(
            f"{empty[0]}= names no label; give one, or leave the mode out to average over it"
        )
    return {
        name: label_array([converter(own)(pairs[name])])
        for name, own in zip(model.modes, model.labels, strict=True)
        if name in pairs
    }


COMMAND = Command(
    "explain",
    "Tell what the prediction of a cell is made of: mean, effects and relations, which add up.",
    ("vest-tucker explain model.npz user=ann movie='Toy Story' year=1995",),
    add,
    run,
)
