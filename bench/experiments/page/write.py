"""The whole page: sections in order, those without a row left out."""

from __future__ import annotations

import math
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
from experiments.page.text import NOTHING, table, with_spread
from experiments.summary.rows import Document, Row, Spread, ok, paired, pick, spread, values

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
KINDS = {
    "ours": "best of VeST",
    "paper": "best of its competitors",
    "user": "best of today's",
    "baselines": "mean, biases",
}


def page(document: Document, source: str) -> str:
    """Return the page as text."""
    return "\n".join(_lines(document, source)).rstrip() + "\n"


def _lines(document: Document, source: str) -> Iterator[str]:
    yield "# Evaluation"
    yield ""
    yield (
        f"Made by `make experiments` from `{source}`, which has every single measurement with its "
        "settings, seed, commit, machine and seconds: nothing that was measured is typed here, and "
        "no comparison of it. Errors are relative: the norm of what is left over the norm of the "
        "values."
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
    """Say the most important in one table: the plain call beside the best of each kind."""
    yield "## In short"
    yield ""
    yield (
        "Test errors of a plain `vt.fit(X)`, and by how much the best of each kind is better or "
        "worse, run by run: VeST's four versions, the paper's competitors, what users take today, "
        "and mean and biases. Percentages are means of the ratios of runs with the same split, so "
        "they need not be the ratio of two means; a 95 % interval of a mean over the runs that "
        "reaches zero is marked as perhaps chance. Bold: somebody is better than the plain call, "
        "and not by chance. Systems have the settings told below, the same for all tensors; "
        "those that choose some by themselves do it on entries that they hold out."
    )
    rows = []
    for figure in ("figure1", "figure2"):
        for tensor in values(pick(document, figure), "set"):
            ours = pick(document, figure, set=tensor, system=PLAIN, settings=None)
            own = spread(ours, "test")
            if own is None:
                continue
            best = best_of_kinds(document, figure, tensor)
            cells = []
            for kind in KINDS:
                theirs = _rows(document, figure, tensor, best.get(kind, ""))
                cells.append(_beside(document, best.get(kind, ""), paired(ours, theirs, "test")))
            rows.append([tensor, with_spread(own), *cells])
    yield from table(["", "the plain call", *KINDS.values()], rows)


def best_of_kinds(document: Document, figure: str, tensor: str) -> dict[str, str]:
    """Return the system of each kind that is best beside the plain call, run by run."""
    best: dict[str, tuple[float, str]] = {}
    ours = _rows(document, figure, tensor, PLAIN)
    for name, about in document["systems"].items():
        test = paired(ours, _rows(document, figure, tensor, name), "test")
        if test is None or name == PLAIN:
            continue
        kind = "baselines" if name in ("mean", "biases") else about["kind"]
        kind = "paper" if name == "lasso" else kind
        best[kind] = min(best.get(kind, (math.inf, "")), (test.mean, name))
    return {kind: name for kind, (_, name) in best.items()}


def _rows(document: Document, figure: str, tensor: str, name: str) -> list[Row]:
    return pick(document, figure, set=tensor, system=name, settings=None)


def _beside(document: Document, name: str, difference: Spread | None) -> str:
    if difference is None:
        return NOTHING
    title = document["systems"][name]["title"]
    sure = difference.runs > 1 and abs(difference.mean) > difference.half
    word = "worse" if difference.mean > 0.0 else "better"
    doubt = "" if sure else " (one run)" if difference.runs == 1 else " (chance?)"
    text = f"{title}: {abs(100.0 * difference.mean):.1f} % {word}{doubt}"
    return f"**{text}**" if sure and difference.mean < 0.0 else text
