"""Packages that only some functions need: loaded there, and asked for by name where missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from vest_tucker.base.errors import MissingPackageError


@contextmanager
def needed_for(what: str, extra: str | None = None) -> Iterator[None]:
    """Import inside of it; a package that is not there is then named, with the way to get it.

    That is one of our extras, or the package by itself.

    Examples
    --------
    >>> with needed_for("riding a unicorn", "frame"):
    ...     import unicorn
    Traceback (most recent call last):
        ...
    vest_tucker.MissingPackageError: riding a unicorn needs the package unicorn, which is not \
installed; pip install 'vest-tucker[frame]' brings it
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or str(error)).partition(".")[0]
        wanted = package if extra is None else f"'vest-tucker[{extra}]'"
        raise MissingPackageError(
            f"{what} needs the package {package}, which is not installed; pip install {wanted} "
            f"brings it",
            name=package,
        ) from error
