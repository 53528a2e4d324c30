"""Packages that only some functions need: if one is missing, the error says how to install it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from vest_tucker.base.errors import MissingPackageError
from vest_tucker.base.interrupts import deferred_interrupt


@contextmanager
def needed_for(what: str, extra: str | None = None) -> Iterator[None]:
    """Context for imports of optional packages; the error for a missing one says how to get it.

    ``extra`` is the extra of vest-tucker that brings the package; None if none does. Ctrl-C waits
    until a package is loaded: some can never be loaded again by a process that was interrupted.

    Examples
    --------
    >>> with needed_for("riding a unicorn", "frame"):
    ...     import unicorn
    Traceback (most recent call last):
        ...
    vest_tucker.errors.MissingPackageError: riding a unicorn needs the package unicorn, which is \
not installed; pip install 'vest-tucker[frame]' brings it
    """
    try:
        with deferred_interrupt() as interrupts:
            yield
    except ModuleNotFoundError as error:
        package = (error.name or str(error)).partition(".")[0]
        wanted = package if extra is None else f"'vest-tucker[{extra}]'"
        raise MissingPackageError(
            f"{what} needs the package {package}, which is not installed; pip install {wanted} "
            f"brings it",
            name=package,
        ) from error
    if interrupts:
        raise interrupts[0]
