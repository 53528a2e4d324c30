"""What only some functions need, loaded when they do: other packages, and modules of later rooms.

If a package is missing, the error says how to install it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

from vest_tucker.base.errors import MissingPackageError
from vest_tucker.base.interrupts import Aside, deferred_interrupt, loading

T = TypeVar("T")


class Later:
    """A module that is loaded when something of it is first asked for; Ctrl-C waits meanwhile.

    A type checker sees the module itself, if it is imported where ``TYPE_CHECKING`` and made by
    this otherwise.

    Examples
    --------
    >>> wave = Later("wave")
    >>> wave.Error.__name__
    'Error'
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # who looks around, as for doctests, loads nothing
            raise AttributeError(name)
        if self._module is None:
            with loading():
                self._module = import_module(self._name)
        return getattr(self._module, name)


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


def load_aside(load: Callable[[], T], module: str, what: str, extra: str) -> T:
    """Return what ``load`` gives, which imports a module that takes long to load.

    It must not be interrupted: some packages can never be loaded again by the process. So another
    thread loads it, and Ctrl-C is answered at once. ``what`` and ``extra`` are as of `needed_for`.

    Examples
    --------
    >>> import importlib
    >>> load_aside(lambda: importlib.import_module("wave"), "wave", "sound", "io").__name__
    'wave'
    """
    if module in sys.modules:
        with needed_for(what, extra):
            return load()
    loading = Aside(load)
    loading.wait()
    with needed_for(what, extra):
        found: T = loading.outcome()
    return found
