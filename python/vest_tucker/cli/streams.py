"""Where commands read and write: files, or standard input and output, which are called ``-``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from vest_tucker.base.errors import FileFormatError, OptionError
from vest_tucker.io.compression import create_bytes
from vest_tucker.model.model import TuckerModel

STANDARD = "-"


def require_one_result(wanted: Mapping[str, bool]) -> None:
    """Raise if several results want to go to standard output, where they would be mixed up.

    Examples
    --------
    >>> require_one_result({"-o -": True, "--json": False})
    """
    given = [words for words, is_given in wanted.items() if is_given]
    if len(given) > 1:
        raise OptionError(
            f"{' and '.join(given)} cannot share standard output; write all but one into files"
        )


@contextmanager
def readable(path: str) -> Iterator[str]:
    """Give the path of a file; standard input becomes one, because some formats are read twice."""
    if path != STANDARD:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="vest-tucker-") as folder:
        copy = Path(folder) / "stdin"
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        if not copy.stat().st_size:
            raise OptionError("standard input is empty; name a file, or send one by a pipe")
        try:
            yield str(copy)
        except FileFormatError as error:
            raise type(error)(error.what, "standard input", error.line) from error


@contextmanager
def writable(path: str) -> Iterator[BinaryIO]:
    """Open a file, whole or not at all and compressed as its suffix says, or standard output."""
    if path == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with create_bytes(path) as file:
            yield file


def load_model(path: str) -> TuckerModel:
    """Read a model from a file or from standard input."""
    with readable(path) as file:
        return TuckerModel.load(file)


def deliver(path: str, write: Callable[[str], object], name: str) -> None:
    """Let something be written that wants a path, also if it is to go to standard output.

    ``name`` is what the file is called meanwhile; its suffix may say what is written.
    """
    if path != STANDARD:
        write(path)
        return
    with tempfile.TemporaryDirectory(prefix="vest-tucker-") as folder:
        copy = Path(folder) / name
        write(str(copy))
        with copy.open("rb") as file, writable(path) as out:
            shutil.copyfileobj(file, out)


def save_model(model: TuckerModel, path: str) -> None:
    """Write a model into a file or to standard output."""
    deliver(path, model.save, "model.npz")
