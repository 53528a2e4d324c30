"""From the document to what is published: pictures, and docs/evaluation.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.harness.machine import ROOT
from experiments.page.pictures import FOLDER
from experiments.page.write import page

DOCS = ROOT / "docs"
PAGE = DOCS / "evaluation.md"
RESULTS = ROOT / "bench" / "results" / "evaluation.json"


def page_of(results: Path) -> str:
    """Return the page of a document, which does not depend on where that lies."""
    document: dict[str, Any] = json.loads(results.read_text("utf-8"))
    return page(document, f"bench/results/{results.name}")


def publish(results: Path = RESULTS, docs: Path = DOCS) -> None:
    """Write the page and draw its pictures."""
    from experiments.drawing.all import draw_all

    (docs / FOLDER).mkdir(parents=True, exist_ok=True)
    document = json.loads(results.read_text("utf-8"))
    files = draw_all(document, docs / FOLDER)
    (docs / PAGE.name).write_text(page_of(results), "utf-8")
    print(f"experiments: wrote {docs / PAGE.name} and {len(files)} pictures")
