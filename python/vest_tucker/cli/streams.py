"""Where commands read and write: files, or standard input and output, which are called ``-``."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from vest_tucker.base.errors import EmptyTensorError, FileFormatError, OptionError
from vest_tucker.cli.output import note
from vest_tucker.fitting.checkpoint.file import check_place
from vest_tucker.io.compression import create_bytes
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.storage import check_model_path
from vest_tucker.report.model_page import check_page_path

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
        if sys.stdin.isatty():
            note("reading from the terminal until Ctrl-D; to read a file instead, name it")
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        if not copy.stat().st_size:
            raise EmptyTensorError("standard input is empty; name a file, or send one by a pipe")
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


def check_results(
    wanted: Mapping[str, bool],
    *,
    model: str | None = None,
    page: str | None = None,
    checkpoint: str | None = None,
) -> None:
    """Raise if results cannot go where they should, before anything is read.

    ``wanted`` is as for `require_one_result`.
    """
    require_one_result(wanted)
    if model == STANDARD:
        require_no_terminal("a model")
    elif model:
        check_model_path(model)
    if page and page != STANDARD:
        check_page_path(page)
    if checkpoint:
        check_place(Path(checkpoint))
    for path in (model, page):
        folder = Path(path or STANDARD).parent
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def require_no_terminal(what: str) -> None:
    """Raise if bytes that are no text would go to a terminal."""
    if sys.stdout.isatty():
        raise OptionError(f"{what} is no text for a terminal; name a file, or send it on by a pipe")


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
