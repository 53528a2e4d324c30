"""Every example that a reader may copy runs: those of docstrings, README and documentation."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker
from pages import BLOCK, PAGES, ROOT, run_examples, without_seconds

MODULES = [
    "vest_tucker",
    *(found.name for found in pkgutil.walk_packages(vest_tucker.__path__, "vest_tucker.")),
]

# NumPy 1 sums in another order and pandas beside it prints otherwise: then pages only have to run.
AS_SHOWN = not np.__version__.startswith("1.")


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("._core")])
def test_docstring_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    finder = doctest.DocTestFinder(recurse=name != "vest_tucker")
    run(finder.find(importlib.import_module(name), name))


@pytest.mark.parametrize("name", vest_tucker.__all__)
def test_public_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Public classes and functions say that they belong to the package, so no module has them."""
    monkeypatch.chdir(tmp_path)
    public = getattr(vest_tucker, name)
    if getattr(public, "__module__", "") == "vest_tucker":
        run(doctest.DocTestFinder().find(public, f"vest_tucker.{name}", module=vest_tucker))


def run(examples: list[doctest.DocTest]) -> None:
    runner = Runner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for example in examples:
        runner.run(example)
    assert runner.failures == 0


def test_all_public_examples_are_run() -> None:
    names = {name for name in vest_tucker.__all__ if getattr(vest_tucker, name)}
    found = doctest.DocTestFinder().find(vest_tucker, "vest_tucker")
    assert {each.name.split(".")[1] for each in found if each.examples} <= names


class Runner(doctest.DocTestRunner):
    """Lets an import that fails out, so that the test is skipped where an extra is missing."""

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        if isinstance(exc_info[1], ImportError):
            raise exc_info[1]
        super().report_unexpected_exception(out, test, example, exc_info)


@pytest.mark.parametrize(
    "page",
    [
        # Stories fit real data, which takes longer than a reader of the other pages would wait.
        pytest.param(page, marks=[pytest.mark.slow] * (page.parent.name == "stories"), id=name)
        for name, page in ((page.relative_to(ROOT).as_posix(), page) for page in PAGES)
        if BLOCK.search(page.read_text("utf-8"))
    ],
)
def test_page_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text block right after a Python block is what it prints, but for the seconds."""
    monkeypatch.chdir(tmp_path)
    text = page.read_text("utf-8")
    for name in re.findall(r'os\.environ\["(\w+)"\]', text):
        if name not in os.environ:
            pytest.skip(f"the page reads files of the folder that {name} names")
    if "frame(" in text:
        pytest.importorskip("pandas", reason="frames are shown as pandas prints them")
    for example in run_examples(page):
        if AS_SHOWN:
            assert without_seconds(example.printed) == without_seconds(example.shown)


def test_the_readme_shows_a_model() -> None:
    blocks = BLOCK.findall(PAGES[0].read_text("utf-8"))
    assert any("model.describe(" in code and shown for code, shown in blocks)
