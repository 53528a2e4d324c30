"""The examples of a page: Python blocks, and text blocks with what they print.

``python tests/pages.py README.md docs/stories/*.md`` runs the examples of these pages, writes below
each what it prints now, and puts the pictures that they save into docs/pictures.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PICTURES = ROOT / "docs" / "pictures"
# A Python block, and the text block right after it if there is one.
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```$(?:\s*^```text\n(?P<shown>.*?)^```$)?", re.DOTALL | re.MULTILINE
)


class Example(NamedTuple):
    """A block, what the page says that it prints, what it prints, and where both blocks are."""

    code: str
    shown: str
    printed: str
    place: tuple[int, int]


def run_examples(page: Path) -> Iterator[Example]:
    """Run the blocks of a page in order, as one session, in the current folder.

    A traceback has the page's line numbers.
    """
    text = page.read_text("utf-8")
    session: dict[str, object] = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        padding = "\n" * text.count("\n", 0, block.start("code"))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(padding + block["code"], str(page), "exec"), session)
        yield Example(block["code"], block["shown"] or "", printed.getvalue(), block.span())


def without_seconds(text: str) -> str:
    """Return what is printed but for the time that a fit took, which is never the same."""
    return re.sub(r"[\d.e-]+ s$", "... s", text, flags=re.MULTILINE)


def rewrite(page: Path) -> None:
    """Write what the examples of a page print below them, and keep their pictures."""
    text, done, parts = page.read_text("utf-8"), 0, []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for example in run_examples(page):
            begin, end = example.place
            same = without_seconds(example.printed) == without_seconds(example.shown)
            printed = example.shown if same else example.printed
            output = f"\n\n```text\n{printed}```" if printed else ""
            parts += [text[done:begin], f"```python\n{example.code}```{output}"]
            done = end
        for picture in Path(folder).glob("*.png"):
            shutil.copy(picture, PICTURES)
        os.chdir(ROOT)
    page.write_text("".join(parts) + text[done:], "utf-8")


if __name__ == "__main__":
    for given in [Path(each).resolve() for each in sys.argv[1:]]:
        rewrite(given)
