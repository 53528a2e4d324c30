"""What a file format is: how to recognise, read and write it, and which options it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from vest_tucker.base.types import AnyPath
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.io.compression import BOM, open_bytes
from vest_tucker.io.diagnose import NUMBER
from vest_tucker.io.lines import DATA_LINE
from vest_tucker.io.read_options import Request

BLOCK = 1 << 16  # bytes searched for the first line


class Head(NamedTuple):
    """The beginning of a file, by which its format is recognised.

    Attributes
    ----------
    stored : bytes
        The first bytes as they are stored, perhaps compressed.
    line : str
        The first line of the unpacked text that is neither blank nor a comment; "" if there is
        none.
    """

    stored: bytes
    line: str

    @property
    def is_numbers(self) -> bool:
        """Whether the first line has numbers only, so that it cannot name columns."""
        fields = self.line.replace(",", " ").split()
        return bool(fields) and all(NUMBER.fullmatch(field) for field in fields)


def head_of(path: AnyPath) -> Head:
    """Return the beginning of a file."""
    with Path(path).open("rb") as file:
        stored = file.read(8)
    with open_bytes(path) as stream:
        found = DATA_LINE.search(stream.read(BLOCK).removeprefix(BOM))
    return Head(stored, found[1].decode("utf-8", "replace") if found else "")


@dataclass(frozen=True, kw_only=True)
class Format:
    """One file format; `FORMATS` in ``io/formats/__init__.py`` lists them all.

    Attributes
    ----------
    name : str
        How ``format=`` and `FileInfo` call it.
    suffixes : tuple of str
        The suffixes of its files, in lower case, with the dot.
    read : function
        Takes the path and the options of `read`; returns the tensor and what the indices of the
        file count from, or None if it has labels or needs no such number.
    write : function
        Takes the tensor, the path and, by name, those options of `write` that the caller gave.
    recognizes : function
        Takes the `Head` of a file and says whether the file has this format.
    reads_with : tuple of str
        The options of `read` that mean something for this format.
    writes_with : tuple of str
        The options of `write` that mean something for this format.
    has_names : bool
        Whether the first line names columns. A file without such a line is read as lines of
        numbers.
    compressible : bool
        Whether `write` may compress its files as a whole.
    keeps_weights : bool
        Whether its files hold weights.
    keeps_labels : bool
        Whether its files hold names of modes, and labels.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[AnyPath, Request], tuple[SparseTensor, int | None]]
    write: Callable[..., None]
    recognizes: Callable[[Head], bool]
    reads_with: tuple[str, ...]
    writes_with: tuple[str, ...]
    has_names: bool = False
    compressible: bool = True
    keeps_weights: bool = True
    keeps_labels: bool = True


# Options of formats that have lines of indices, and of formats that have named columns.
LINE_OPTIONS = ("index_base", "shape", "modes")
TABLE_OPTIONS = (*LINE_OPTIONS, "value", "like", "weight")
