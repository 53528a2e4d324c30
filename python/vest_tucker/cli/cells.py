"""Cells in a file, a block at a time, with labels of the types that a model has.

A file of text has texts, whatever the labels of the model are. Each text becomes a label of the
kind that its mode has, if it can; one that cannot is a label that the model has not seen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from vest_tucker.base.errors import ColumnError
from vest_tucker.base.types import Labels
from vest_tucker.cli.streams import STANDARD
from vest_tucker.data.frames import Column, require_columns
from vest_tucker.data.label_arrays import label_array
from vest_tucker.data.labels import default_names, listed
from vest_tucker.data.sources.dates import time_reader
from vest_tucker.io.archive import is_archive
from vest_tucker.io.blocks import parquet_blocks, text_blocks
from vest_tucker.io.compression import open_bytes, suffixes
from vest_tucker.io.files import read
from vest_tucker.model.cells import AVERAGE, known_rows
from vest_tucker.model.meaning.meant import StrangeLabels
from vest_tucker.model.model import TuckerModel

DELIMITERS = {".csv": ",", ".tsv": "\t"}
WHOLE_FILES = (".tns", ".sptensor", ".npz")  # read at once, as tensors


@contextmanager
def open_blocks(path: str) -> Iterator[Iterator[Any]]:
    """Give the tables of a file of cells; standard input is a table of text."""
    suffix = suffixes(path)[0]
    if path == STANDARD:
        yield text_blocks(sys.stdin.buffer, "standard input")
    elif suffix == ".parquet":
        yield parquet_blocks(path)
    elif suffix in WHOLE_FILES or is_archive(path):
        yield iter([read(path).to_frame(backend="pyarrow")])
    else:
        with open_bytes(path) as stream:
            yield text_blocks(stream, path, DELIMITERS.get(suffix))


def cells_of(table: Any, model: TuckerModel, average: Sequence[str] = ()) -> dict[str, Column]:
    """Return the labels of each mode that is not averaged over; other columns do not matter."""
    wanted = [name for name in model.modes if name not in average]
    there = table.column_names
    numbers = default_names(model.order)
    if wanted and {*numbers} <= {*there} and not {*wanted} & {*there}:
        raise ColumnError(
            f"the file has numbers ({listed(numbers)}), and no names or labels; give the "
            f"{listed(wanted)} of each cell in a table, as .csv or .parquet"
        )
    require_columns(wanted, there, advice=AVERAGE)
    own = dict(zip(model.modes, model.labels, strict=True))
    return {name: labels_of(table.column(name), own[name]) for name in wanted}


def count_strange(columns: dict[str, Column], model: TuckerModel, strange: StrangeLabels) -> None:
    """Count the cells of a block with labels that a model has not seen."""
    for name, column in columns.items():
        mode = model.modes.index(name)
        known_rows(column, model.mode_labels, mode, model.shape[mode], False, strange)
    strange.end_block(max(each.length for each in columns.values()))


def labels_of(column: Any, own: Labels | None) -> Column:
    """Return a column of Arrow as labels; texts become what the labels of the mode are."""
    if str(column.type) not in ("string", "large_string"):
        return Column(label_array(column.to_numpy()))
    coded = column.combine_chunks().dictionary_encode()
    convert = converter(own)
    distinct = label_array([convert(text) for text in coded.dictionary.to_pylist()])
    return Column(distinct, coded.indices.to_numpy())


def converter(own: Labels | None) -> Callable[[str], Any]:
    """Return the function from texts to the labels of a mode; without labels it has indices.

    Examples
    --------
    >>> import numpy as np
    >>> [converter(np.array([1, 7]))(text) for text in ("7", "7.0", "seven")]
    [7, 7.0, 'seven']
    >>> converter(np.array(["2021-05-01"], dtype="datetime64[D]"))("2021-05-02").dtype
    dtype('<M8[D]')
    """
    kind = "i" if own is None else own.dtype.kind
    if own is not None and kind == "M":
        read = time_reader(own)
        return lambda text: text if (time := read(text)) is None else time
    attempts: dict[str, tuple[Callable[[str], Any], ...]] = {
        "i": (int, float),
        "u": (int, float),
        "f": (float,),
        "b": (lambda text: {"true": True, "false": False}[text.lower()],),
    }

    def convert(text: str) -> Any:
        found = (_tried(attempt, text) for attempt in attempts.get(kind, ()))
        return next((label for label in found if label is not None), text)

    return convert


def _tried(attempt: Callable[[str], Any], text: str) -> Any:
    try:
        return attempt(text)
    except (ValueError, KeyError):
        return None
