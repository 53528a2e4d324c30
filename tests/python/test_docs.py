"""The documentation is complete: public names and pages are listed, links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import vest_tucker as vt
import vest_tucker.dask as vtd

# Imported here, because SciPy draws numbers without a seed when it is loaded inside of a test.
try:
    from vest_tucker.sklearn import __all__ as estimators
except ImportError:
    estimators = []

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def listed(page: str) -> set[str]:
    """The names in the lists of a page: lines of `autosummary`, arguments of `autoexception`."""
    text = (DOCS / page).read_text("utf-8")
    return set(re.findall(r"^(?:   |\.\. autoexception:: )([\w.]+)$", text, re.MULTILINE))


def test_every_public_name_has_an_entry() -> None:
    public = set(vt.__all__) - {"__version__", "datasets", "errors"}
    public |= {f"datasets.{name}" for name in vt.datasets.__all__}
    public |= {f"dask.{name}" for name in vtd.__all__}
    there = listed("api.md")
    public |= {f"sklearn.{name}" for name in estimators}
    if not estimators:
        there = {name for name in there if not name.startswith("sklearn.")}
    assert there == public
    assert listed("errors.md") == set(vt.errors.__all__)


def test_every_page_is_in_a_table_of_contents() -> None:
    table = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    reached = {
        page.parent / f"{line}.md"
        for page in PAGES
        for lines in table.findall(page.read_text("utf-8"))
        for line in lines.splitlines()
    }
    assert set(PAGES) - {DOCS / "index.md"} <= reached


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    """Files, and sections of pages; addresses of the web are not followed."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if "://" in target:
            continue
        name, _, section = target.partition("#")
        file = page.parent / name if name else page
        assert file.is_file(), f"{page.name} links to {target}"
        assert not section or section in anchors(file), f"{page.name} links to {target}"


def anchors(page: Path) -> set[str]:
    """The sections of a page, called as in its addresses."""
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
