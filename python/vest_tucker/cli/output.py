"""What commands say: results on standard output, everything else on standard error."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TextIO

import numpy as np

from vest_tucker._core import __version__
from vest_tucker.base.options import ProgressOption
from vest_tucker.base.telling.steps import preferring
from vest_tucker.base.text_table import visible
from vest_tucker.cli import process
from vest_tucker.data.sources.dates import plain_text

SCHEMA = 1  # of --json; a key may be added without a change, none is renamed or removed
_QUIET: ContextVar[bool] = ContextVar("vest_tucker_quiet", default=False)
RED, YELLOW, PLAIN = "\x1b[1;31m", "\x1b[1;33m", "\x1b[0m"
# How messages name in Python what has a name here.
SPOKEN = {
    "model.describe()": "vest-tucker show",
    "with checkpoint= nothing": "with --checkpoint FILE nothing",
    "warm_start=model goes on": "--warm-start MODEL goes on",
    "for value= named it": "for --value named it",
    "say value= and modes= if": "say --value and --modes if",
    "vt.resume(path, X) takes those of the file": "give those options, and it goes on",
    "vt.resume calls what wrote it": "the same command as before goes on from it",
    "pass format= one": "say --output-format, one",
    "pass format= if": "say --format if",
}
# A list of modes in Python, and each name in it.
NAMED, QUOTED = re.compile(r"\bmodes=\[('[^\]]*')\]"), re.compile(r"'([^']*)'")


def tell(text: str) -> None:
    """Print a result."""
    print(visible(without_python(text)))


def without_python(text: str) -> str:
    """Return a text with commands in place of what one would call in Python.

    Examples
    --------
    >>> without_python("and 3 more; model.describe() tells them")
    'and 3 more; vest-tucker show tells them'
    >>> without_python("say so, as modes=['user', 'a film']")
    "say so, as --modes user 'a film'"
    """
    for call, command in SPOKEN.items():
        text = text.replace(call, command)
    return NAMED.sub(lambda found: f"--modes {shlex.join(QUOTED.findall(found[1]))}", text)


def note(text: str) -> None:
    """Print a message, which is not a result."""
    if not _QUIET.get():
        print(visible(without_python(text)), file=sys.stderr)


def wrote(path: str) -> None:
    """Print that a file is written, and what an interrupt from now on leaves undone."""
    process.LEFT[:] = [visible(f"nothing was written after {path}")]
    note(f"wrote {path}")


@contextmanager
def said_by(*, quiet: bool, progress: ProgressOption) -> Iterator[None]:
    """Let a command say no more than was asked for."""
    before = _QUIET.get()
    process.LEFT[:] = [process.NOTHING]
    _QUIET.set(quiet)
    try:
        with preferring(False if quiet else progress):
            yield
    finally:
        _QUIET.set(before)


def complain(kind: str, text: str, color: str = RED) -> None:
    """Print an error or a warning in one line, in color on a terminal that wants it."""
    said = f"{color}{kind}:{PLAIN}" if wants_color(sys.stderr) else f"{kind}:"
    if kind != "warning" or not _QUIET.get():
        print(
            f"vest-tucker: {said} {visible(' '.join(without_python(text).split()))}",
            file=sys.stderr,
        )


def told_of_error(error: BaseException) -> str:
    """Return what an error says; those of the system say what to do.

    Examples
    --------
    >>> told_of_error(FileNotFoundError(2, "No such file or directory", "nowhere/model.npz"))
    "there is no folder 'nowhere'; make it, or name another file than 'nowhere/model.npz'"
    """
    name = getattr(error, "filename", None)
    if not isinstance(error, OSError) or not isinstance(name, str | bytes | os.PathLike):
        return str(error)
    path, folder = os.fsdecode(name), os.path.dirname(os.fsdecode(name))  # noqa: PTH120
    if isinstance(error, FileNotFoundError):
        if folder and not os.path.isdir(folder):  # noqa: PTH112
            return f"there is no folder {folder!r}; make it, or name another file than {path!r}"
        return f"there is no file {path!r}; look whether the name is right"
    if isinstance(error, IsADirectoryError):
        return f"{path!r} is a folder; name a file in it"
    if isinstance(error, PermissionError):
        return f"{path!r} may not be used ({error.strerror}); name another, or ask its owner"
    return f"{path!r}: {error.strerror}"


def wants_color(stream: TextIO) -> bool:
    """Tell whether to color what goes to a stream; NO_COLOR, if it is not empty, forbids it."""
    forbidden = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not forbidden


@contextmanager
def short_warnings() -> Iterator[None]:
    """Show warnings as messages of the command, without files and lines of Python."""
    with warnings.catch_warnings():
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("default", category)
        warnings.showwarning = lambda message, *rest, **more: complain(
            "warning", str(message), YELLOW
        )
        yield


def tell_json(command: str, result: Mapping[str, Any]) -> None:
    """Print a result as one JSON object, which says what made it."""
    tell(json.dumps(envelope(command) | plain(result), indent=2))


def envelope(command: str) -> dict[str, Any]:
    """Return what every JSON object begins with."""
    return {"schema_version": SCHEMA, "vest_tucker": __version__, "command": command}


def plain(value: Any) -> Any:
    """Return a value as JSON knows it: NaN and infinity, which it does not know, become null.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"shape": (2, np.int64(3)), "error": math.nan, "day": np.datetime64("2021-05-01")})
    {'shape': [2, 3], 'error': None, 'day': '2021-05-01'}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist() if value.dtype.kind not in "mM" else [*value])
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, np.generic) and value.dtype.kind not in "mM":
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else plain_text(value)
