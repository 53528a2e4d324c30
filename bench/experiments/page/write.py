"""The whole page: sections in order, those without a row left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from experiments.page import (
    ablations,
    comparison,
    discovery,
    pruning,
    recovery,
    scaling,
    settings,
    targets,
    times,
)
from experiments.page.text import beside, listed
from experiments.summary.rows import Document, ok, paired, pick, spread, values

SECTIONS: dict[str, tuple[str, Callable[[Document], Iterator[str]]]] = {
    "figure1": ("Sparsity and error: every system on small tensors", comparison.section),
    "figure2": ("How sparse, and how large: the large tensors", targets.section),
    "figure3": ("Time to a test error", times.section),
    "figure4": ("Scalability", scaling.section),
    "figure5": ("Responsibility, value or chance", pruning.section),
    "figure6": ("Discovery: rows that stay dense", discovery.section),
    "figure7": ("Recovery of planted truths", recovery.section),
    "figure8": ("Ablations", ablations.section),
}
PLAIN = "vest-tucker"


def page(document: Document, source: str) -> str:
    """Return the page as text."""
    return "\n".join(_lines(document, source)).rstrip() + "\n"


def _lines(document: Document, source: str) -> Iterator[str]:
    yield "# Evaluation"
    yield ""
    yield (
        f"Made by `make experiments` from `{source}`, which has every single measurement with its "
        "settings, seed, commit, machine and seconds: no number on this page is typed, and none of "
        "its comparisons. Errors are relative: the norm of what is left over the norm of the values."
    )
    yield ""
    yield from _short(document)
    yield "## What of the paper is here"
    yield from settings.reproduced(document)
    for figure, (title, section) in SECTIONS.items():
        if ok(pick(document, figure)):
            yield f"## {title}"
            yield ""
            yield from section(document)
    yield "## The systems"
    yield from settings.systems(document)
    yield "## Where and how"
    yield ""
    yield from settings.where(document)


def _short(document: Document) -> Iterator[str]:
    """Say the most important in a few lines: the plain call beside the best of the others."""
    yield "## In short"
    yield ""
    for figure in ("figure1", "figure2"):
        for tensor in values(pick(document, figure), "set"):
            ours = pick(document, figure, set=tensor, system=PLAIN, settings=None)
            best: dict[str, tuple[float, str]] = {}
            for name, about in document["systems"].items():
                theirs = pick(document, figure, set=tensor, system=name, settings=None)
                test = spread(theirs, "test")
                if test is None or name == PLAIN:
                    continue
                kind = "paper" if name == "lasso" or about["kind"] == "paper" else about["kind"]
                kind = kind if name not in ("mean", "biases") else "baselines"
                best[kind] = min(best.get(kind, (9.0, "")), (test.mean, name))
            parts = []
            for kind in ("ours", "paper", "user", "baselines"):
                if kind in best:
                    name = best[kind][1]
                    rows = pick(document, figure, set=tensor, system=name, settings=None)
                    title = document["systems"][name]["title"]
                    parts.append(beside(title, paired(ours, rows, "test")))
            if parts and ok(ours):
                yield f"- {tensor}, test error: {listed(parts)}."
    yield ""
    yield (
        "Of each kind the best is named: VeST's four versions, the paper's competitors, what users "
        "take today, mean and biases."
    )
    yield ""
