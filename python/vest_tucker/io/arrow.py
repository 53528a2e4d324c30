"""Loading Arrow, which parses text and reads Parquet, where it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module  # Arrow has no types
from typing import Any

from vest_tucker.base.errors import FileFormatError, NotEnoughMemoryError
from vest_tucker.base.extras import needed_for
from vest_tucker.base.types import AnyPath


def arrow(what: str) -> Any:
    """Return pyarrow; if it is missing, the error says that ``what`` needs it and how to get it."""
    with needed_for(what, "io"):
        for part in ("csv", "parquet"):
            import_module(f"pyarrow.{part}")
        return import_module("pyarrow")


@contextmanager
def named_errors(path: AnyPath) -> Iterator[None]:
    """Give the errors of Arrow that nobody has expected, and want of memory, names of ours."""
    try:
        yield
    except NotEnoughMemoryError:
        raise
    except MemoryError as error:  # of Arrow, NumPy or Python
        raise NotEnoughMemoryError(
            f"{path}: there is not enough memory to read it ({error}); read a part of it"
        ) from error
    except Exception as error:
        pa = arrow_or_none()
        if pa is None or not isinstance(error, pa.ArrowException):
            raise
        raise FileFormatError(f"could not be read ({error})", path) from error


def arrow_or_none() -> Any:
    """Return pyarrow if it is installed."""
    try:
        return arrow("this")
    except ImportError:
        return None


@contextmanager
def told_of_memory() -> Iterator[None]:
    """Have Arrow raise nothing but a MemoryError where there is not enough memory.

    Its own error for that is a kind of all its errors, most of which speak of the file; and where
    no thread can begin, it does not know why.
    """
    try:
        yield
    except arrow("this").ArrowException as error:
        if isinstance(error, MemoryError) or "Failed to launch worker thread" in str(error):
            raise MemoryError(f"Arrow has not enough memory: {error}") from error
        raise
