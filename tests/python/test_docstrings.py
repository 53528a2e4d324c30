"""Every example that a reader may copy runs: those of docstrings, README and documentation."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import vest_tucker

MODULES = [
    "vest_tucker",
    *(found.name for found in pkgutil.walk_packages(vest_tucker.__path__, "vest_tucker.")),
]
ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# A Python block, and the text block right after it if there is one.
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("._core")])
def test_docstring_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for public in vest_tucker.__all__:  # public classes say that they belong to the package,
        getattr(vest_tucker, public)  # whose own namespace some join when they are asked for
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(importlib.import_module(name), optionflags=flags).failed == 0


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))],
    ids=lambda page: page.stem,
)
def test_page_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python blocks run in order, as one session; a traceback has the page's line numbers.

    A text block right after one is what it prints, but for the seconds.
    """
    monkeypatch.chdir(tmp_path)
    text = page.read_text("utf-8")
    if "frame(" in text:
        pytest.importorskip("narwhals")
        pytest.importorskip("pandas", reason="frames are shown as pandas prints them")
    session: dict[str, object] = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        padding = "\n" * text.count("\n", 0, block.start(1))
        with contextlib.redirect_stdout(io.StringIO()) as printed, skipped_without_an_extra():
            exec(compile(padding + block[1], str(page), "exec"), session)
        assert without_seconds(printed.getvalue()) == without_seconds(block[2] or "")


def test_the_readme_shows_a_model() -> None:
    blocks = BLOCK.findall(PAGES[0].read_text("utf-8"))
    assert any("print(model)" in code and shown for code, shown in blocks)


@contextlib.contextmanager
def skipped_without_an_extra() -> Iterator[None]:
    """Skip the test where an example needs a package that is not installed."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").startswith("vest_tucker"):
            raise
        pytest.skip(str(error))


def without_seconds(text: str) -> str:
    return re.sub(r"[\d.e-]+ s$", "... s", text, flags=re.MULTILINE)
