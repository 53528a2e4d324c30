"""Every example that a reader may copy runs: the docstrings' and the README's."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
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
    """The Python blocks run in order, as one session; a traceback has the README's line numbers.

    A text block right after one is what it prints, but for the seconds.
    """
    monkeypatch.chdir(tmp_path)
    text = README.read_text("utf-8")
    blocks = list(
        re.finditer(
            r"^```python\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", text, re.DOTALL | re.MULTILINE
        )
    )
    assert any("print(model)" in block[1] and block[2] for block in blocks), "no example is shown"
    session: dict[str, object] = {"__name__": "__main__"}
    for block in blocks:
        padding = "\n" * text.count("\n", 0, block.start(1))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(padding + block[1], str(README), "exec"), session)
        assert without_seconds(printed.getvalue()) == without_seconds(block[2] or "")


def without_seconds(text: str) -> str:
    return re.sub(r"[\d.e-]+ s$", "... s", text, flags=re.MULTILINE)
