"""``vest-tucker predict``: the values of cells, for files of any length."""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from vest_tucker.base.errors import ColumnError, ModeError, OptionError, UnseenLabelsWarning
from vest_tucker.base.options import ProgressOption
from vest_tucker.base.telling.steps import Step, watched
from vest_tucker.base.telling.texts import BYTES
from vest_tucker.base.types import Floats
from vest_tucker.cli.cells import cells_of, count_strange, open_blocks
from vest_tucker.cli.command import Command
from vest_tucker.cli.commands.show import add_model
from vest_tucker.cli.options import add_options, options_of, taken
from vest_tucker.cli.output import YELLOW, complain, envelope, plain
from vest_tucker.cli.streams import STANDARD, load_model, writable
from vest_tucker.data.labels import listed
from vest_tucker.io.blocks import with_columns, write_parquet_blocks, write_text_blocks
from vest_tucker.io.compression import suffixes
from vest_tucker.io.counted import size_of
from vest_tucker.io.safety.formulas import harmless_table
from vest_tucker.model.cells import averaged_modes, told_of
from vest_tucker.model.meaning.meant import StrangeLabels
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.uncertainty import half_width, range_to_keep

OPTIONS = tuple(options_of(TuckerModel.predict, skip=("cells",)))
TABLES = (".csv", ".tsv", ".txt", ".parquet")
JSON_LINES = (".jsonl", ".ndjson", ".json")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_model(parser)
    parser.add_argument(
        "cells", metavar="CELLS",
        help="a table (.csv, .tsv, .parquet) with a column for each mode that is not averaged "
        "over, or entries; - is CSV or TSV from standard input",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="FILE", default=STANDARD,
        help="where the table goes, with the predictions: .csv, .tsv, .parquet, or .jsonl with "
        "--json; - is standard output, the default",
    )  # fmt: skip
    parser.add_argument(
        "--column", metavar="NAME", default="predicted",
        help="the name of the column of predictions; others begin with it (default: predicted)",
    )  # fmt: skip
    parser.add_argument(
        "--escape-formulas", action="store_true",
        help="put an apostrophe before texts of .csv and .tsv that a spreadsheet would compute",
    )  # fmt: skip
    parser.add_argument(
        "--json", action="store_true",
        help="write JSON Lines: first what they are, with a schema version, then a line per cell",
    )  # fmt: skip
    add_options(parser, "how to predict", OPTIONS)


def run(arguments: argparse.Namespace) -> int:
    """Copy the table with more columns, block by block."""
    if arguments.escape_formulas and (arguments.json or is_parquet(arguments.output)):
        raise OptionError("--escape-formulas is for .csv and .tsv, which have no types of cells")
    require_table(arguments.output, arguments.json)
    check_options(taken(arguments, OPTIONS))
    model = load_model(arguments.model)
    options, strange = taken(arguments, OPTIONS), StrangeLabels(model.mode_labels)
    try:  # before any cell is read
        averaged_modes(options.get("average", ()), model.mode_labels)
    except ModeError as error:
        raise OptionError(f"--average: {error}") from error
    with (
        shown(arguments), open_blocks(arguments.cells) as blocks, writable(arguments.output) as file
    ):  # fmt: skip
        done = (predicted(block, model, strange, options, arguments.column) for block in blocks)
        first = next(done)  # a file without rows has an empty block
        tables: Iterator[Any] = itertools.chain([first], done)
        if arguments.json:
            head = envelope("predict") | {"columns": first.column_names}
            file.write(json.dumps(head).encode() + b"\n")
            for table in tables:
                file.writelines(json_lines(table))
        elif is_parquet(arguments.output):
            write_parquet_blocks(file, tables, first.schema)
        else:
            if arguments.escape_formulas:
                first, tables = harmless_table(first), map(harmless_table, tables)
            delimiter = "\t" if suffixes(arguments.output)[0] == ".tsv" else ","
            write_text_blocks(file, tables, first.column_names, delimiter)
    only = told_of(options.get("unseen", "mean")) == "mistakes"
    if told := strange.text(mistakes_only=only):
        complain("warning", f"{told}; --unseen says how these are predicted", YELLOW)
    return 0


def require_table(path: str, as_json: bool) -> None:
    """Raise if the suffix of the output says something that is not written."""
    suffix = suffixes(path)[0]
    if suffix not in ("", *(JSON_LINES if as_json else TABLES)):
        raise OptionError(
            f"{path!r} ends in {suffix!r}, but predictions are written as "
            f"{listed(JSON_LINES if as_json else TABLES)}; name the file so"
            + ("" if as_json or suffix not in JSON_LINES else ", or add --json")
        )


def check_options(options: Mapping[str, Any]) -> None:
    """Raise if an option means nothing, whatever the model and the cells are."""
    if "interval" in options:
        half_width(options["interval"])
    if options.get("clip", "seen") != "seen":
        range_to_keep(options["clip"], None)


def is_parquet(path: str) -> bool:
    """Whether a path is that of a Parquet file."""
    return suffixes(path)[0] == ".parquet"


def shown(arguments: argparse.Namespace) -> AbstractContextManager[Step]:
    """Return what shows how much of the cells is read; not over a table that is itself seen."""
    over = arguments.output == STANDARD and sys.stdout.isatty()
    name = "cells" if arguments.cells == STANDARD else Path(arguments.cells).name
    progress: ProgressOption = False if over and arguments.progress == "auto" else "auto"
    return watched(progress, f"predicting {name}", size_of(arguments.cells), BYTES)


def predicted(
    table: Any, model: TuckerModel, strange: StrangeLabels, options: dict[str, Any], name: str
) -> Any:
    """Return a block with its predictions; count the labels that the model has not seen."""
    columns = cells_of(table, model, options.get("average", ()))
    count_strange(columns, model, strange)
    cells = {mode: each.rows(each.labels) for mode, each in columns.items()}
    predict: Any = model.predict  # of many overloads
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenLabelsWarning)  # the command tells of them at its end
        found: Floats | tuple[Floats, ...] = predict(cells, **options)
    numbers = iter([found] if isinstance(found, np.ndarray) else found)
    added = {name: next(numbers)}
    if options.get("return_std"):
        added[f"{name}_std"] = next(numbers)
    if "interval" in options:
        added |= {f"{name}_lower": next(numbers), f"{name}_upper": next(numbers)}
    try:
        return with_columns(table, added)
    except ColumnError as error:
        raise OptionError(f"{error}, as --column predicted_2") from error


def json_lines(table: Any) -> Iterator[bytes]:
    """Yield a line of JSON for each row."""
    for row in table.to_pylist():
        yield json.dumps(plain(row)).encode() + b"\n"


COMMAND = Command(
    "predict",
    "Predict the values of cells: the table of cells comes out with one more column.",
    (
        "vest-tucker predict model.npz cells.csv -o predicted.csv",
        "vest-tucker predict model.npz users-and-movies.csv --average year -o predicted.csv",
        "zcat cells.csv.gz | vest-tucker predict model.npz - --interval 0.9 --clip 1 5 > out.csv",
    ),
    add,
    run,
)
