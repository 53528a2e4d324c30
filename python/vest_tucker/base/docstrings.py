"""What the docstring of a function says about its parameters, for faces that show them elsewhere.

So that an option is described in one place, and nowhere in other words.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

ENTRY = re.compile(r"(?P<names>\*{0,2}\w+(?:, \w+)*)(?: : (?P<kind>.+))?")


class Documented(NamedTuple):
    """One entry of a list of parameters.

    Attributes
    ----------
    names : tuple of str
        The parameters that it describes, mostly one.
    kind : str
        What stands behind the colon, "" if nothing does.
    text : str
        The description, its lines as they are, without the indent.
    """

    names: tuple[str, ...]
    kind: str
    text: str

    def __str__(self) -> str:
        head = ", ".join(self.names) + (f" : {self.kind}" if self.kind else "")
        return "\n".join([head, *(f"    {line}".rstrip() for line in self.text.splitlines())])


def documented(function: Callable[..., Any]) -> Iterator[Documented]:
    """Yield the entries of the section "Parameters" of a docstring in the style of NumPy.

    Examples
    --------
    >>> def cook(dish: str, minutes: int = 5) -> None:
    ...     '''Cook.
    ...
    ...     Parameters
    ...     ----------
    ...     dish : str
    ...         What to cook.
    ...     minutes : int
    ...         How long.
    ...     '''
    >>> [(each.names, each.kind, each.text) for each in documented(cook)]
    [(('dish',), 'str', 'What to cook.'), (('minutes',), 'int', 'How long.')]
    """
    for block in re.split(r"\n(?=\S)", section(inspect.getdoc(function) or "", "Parameters")):
        head, _, body = block.partition("\n")
        entry = ENTRY.fullmatch(head)
        if entry is not None:
            yield Documented(
                tuple(entry["names"].split(", ")), entry["kind"] or "", inspect.cleandoc(body)
            )


def section(text: str, title: str) -> str:
    """Return the lines of one section of a docstring; "" if it has no such section."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=\n\n\S.*\n-+\n|\Z)", text, re.DOTALL | re.MULTILINE)
    return "" if found is None else found[1]


def summary(function: Callable[..., Any]) -> str:
    """Return the first sentence or paragraph of a docstring."""
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
