"""Every example that a reader may copy runs: the docstrings' and the README's."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import vest_tucker

MODULES = [
    "vest_tucker",
    *(found.name for found in pkgutil.walk_packages(vest_tucker.__path__, "vest_tucker.")),
]
README = Path(__file__).parents[2] / "README.md"


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("._core")])
def test_docstring_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(importlib.import_module(name), optionflags=flags).failed == 0


def test_readme_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python blocks run in order, as one session; a traceback has the README's line numbers."""
    monkeypatch.chdir(tmp_path)
    text = README.read_text("utf-8")
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    assert blocks, "the README shows no Python"
    session: dict[str, object] = {"__name__": "__main__"}
    for block in blocks:
        padding = "\n" * text.count("\n", 0, block.start(1))
        exec(compile(padding + block[1], str(README), "exec"), session)
