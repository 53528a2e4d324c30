"""Cells in a file, a block at a time, with labels of the types that a model has.

A file of text has texts, whatever the labels of the model are. Each text becomes a label of the
kind that its mode has, if it can; one that cannot is a label that the model has not seen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from vest_tucker.base.types import Labels
from vest_tucker.cli.streams import STANDARD
from vest_tucker.data.frames import Column, require_columns
from vest_tucker.data.label_arrays import label_array, listed
from vest_tucker.data.labels import SHOWN, show_some
from vest_tucker.io.archive import is_archive
from vest_tucker.io.blocks import parquet_blocks, text_blocks
from vest_tucker.io.compression import open_bytes, suffixes
from vest_tucker.io.files import read
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


class Strangers:
    """Counts cells with labels that a model has not seen, and remembers some of the labels."""

    def __init__(self, model: TuckerModel) -> None:
        self.model = model
        self.cells = 0
        self.labels: dict[str, dict[object, None]] = {name: {} for name in model.modes}

    def count(self, columns: dict[str, Column]) -> None:
        """Look at the labels of a block."""
        length = max(len(each.rows(each.labels)) for each in columns.values())
        strange = np.zeros(length, dtype=bool)
        for name, column in columns.items():
            found = self.model.mode_labels.encode(name, column.labels)
            unseen = (found < 0) | (found >= self.model.shape[self.model.modes.index(name)])
            strange |= column.rows(unseen)
            if len(self.labels[name]) < SHOWN:
                self.labels[name] |= dict.fromkeys(listed(column.labels[unseen][:SHOWN]))
        self.cells += int(strange.sum())

    def __str__(self) -> str:
        named = [f"{name} {show_some([*each])}" for name, each in self.labels.items() if each]
        number = "1 cell has a label" if self.cells == 1 else f"{self.cells:,} cells have labels"
        return f"{number} that the model has not seen, as {'; '.join(named)}"


def cells_of(table: Any, model: TuckerModel) -> dict[str, Column]:
    """Return the labels of each mode of a model; other columns do not matter."""
    require_columns(model.modes, table.column_names)
    return {
        name: labels_of(table.column(name), own)
        for name, own in zip(model.modes, model.labels, strict=True)
    }


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
    attempts: dict[str, tuple[Callable[[str], Any], ...]] = {
        "i": (int, float),
        "u": (int, float),
        "f": (float,),
        "b": (lambda text: {"true": True, "false": False}[text.lower()],),
        "M": (np.datetime64,),
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
