"""The decorator of public names: users see them in the package, not in the module of their code."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def public(thing: T) -> T:
    """Say that a class or function is ``vest_tucker.<its name>``.

    Tracebacks, representations and pickles then name the package and not a module inside of it,
    and keep working when the code moves.
    """
    named: Any = thing
    named.__module__ = "vest_tucker"
    return thing
