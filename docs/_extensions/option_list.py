"""The directive `option-list`: a function's options with their defaults, from its docstring.

So the page of options is made anew by each build, and nobody has to write an option down twice.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from docutils import nodes
from numpydoc.docscrape import FunctionDoc
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class OptionList(SphinxDirective):
    """``.. option-list:: package.function`` becomes a definition list, an option each."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the list as reStructuredText and let Sphinx parse it."""
        module, _, name = self.arguments[0].rpartition(".")
        function = getattr(import_module(module), name)
        return self.parse_text_to_nodes("\n".join(described(function)))


def described(function: Any) -> Iterator[str]:
    """Yield each keyword-only option: name and default, kind, and what its docstring says."""
    parameters = inspect.signature(function).parameters
    for entry in FunctionDoc(function)["Parameters"]:
        options = [parameters[name] for name in entry.name.split(", ")]
        if options[0].kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        shown = ", ".join(f"``{option.name}={shown_default(option)}``" for option in options)
        yield f"{shown} : {entry.type}" if entry.type else shown
        yield from (f"   {line}" for line in entry.desc)
        yield ""


def shown_default(option: inspect.Parameter) -> str:
    """Return a default as one would type it."""
    return f'"{option.default}"' if isinstance(option.default, str) else repr(option.default)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("option-list", OptionList)
    return {"parallel_read_safe": True}
