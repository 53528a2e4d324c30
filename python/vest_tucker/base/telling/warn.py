"""Warnings that point to the line of the user's program, however deep inside the cause is."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

from vest_tucker.base.telling.steps import hide
from vest_tucker.base.text_table import visible

# The package, and what enters and leaves its contexts.
PACKAGE = str(Path(__file__).parents[2]) + os.sep
INSIDE = (PACKAGE, contextlib.__file__)


Told = tuple[str, type[Warning]]


class _Here(threading.local):
    """What collects warnings in this thread."""

    told: list[Told] | None = None


_HERE = _Here()


@contextlib.contextmanager
def collected() -> Iterator[list[Told]]:
    """Collect the warnings of a block, and show none: their reader is in another process.

    Filters of Python would do for a process of one thread; they are shared by all threads.

    Examples
    --------
    >>> with collected() as told:
    ...     warn("this is odd", UserWarning)
    >>> told
    [('this is odd', <class 'UserWarning'>)]
    """
    told: list[Told] = []
    before, _HERE.told = _HERE.told, told
    try:
        yield told
    finally:
        _HERE.told = before


def warn(message: str, category: type[Warning]) -> None:
    """Warn of something that the first caller outside of the package can change."""
    told = _HERE.told
    if told is not None:
        told.append((message, category))
        return
    hide()
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        frame, level = frame.f_back, level + 1
    warnings.warn(visible(message), category, stacklevel=level)
