"""Figure 5 on the page: what zeros cost, by who chooses them; and the example by hand."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.page import example
from experiments.page.pictures import PICTURES
from experiments.page.text import number, table
from experiments.summary.rows import Document, Spread, ok, pick, values

FIGURE = "figure5"
WAYS = ("responsibility", "value", "random")
SHOWN = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9)


def section(document: Document) -> Iterator[str]:
    """Yield the lines of the section."""
    yield PICTURES["pruning"].line
    yield ""
    yield (
        "A dense fit (L_F) loses the same share of core and factors, in steps of a tenth. *Ranked "
        "once*: as the dense model ranks its elements, and nothing is fitted afterwards, which is "
        "what value pruning at the last step does. *In steps*: two iterations after each, and "
        "ranked anew. Errors on the entries fitted, means over the seeds:"
    )
    for refit in sorted({row["settings"]["refit"] for row in pick(document, FIGURE)}):
        rows = []
        wins = dict.fromkeys(WAYS, 0)
        for tensor in values(pick(document, FIGURE), "set"):
            errors = {way: _errors(document, tensor, way, refit) for way in WAYS}
            rows += [
                [f"{tensor}: {way}", *(number(errors[way].get(step), 3) for step in SHOWN)]
                for way in WAYS
            ]
            for step in errors["value"]:
                best = min(WAYS, key=lambda way: errors[way].get(step, 9.0))
                wins[best] += bool(step)
        title = "ranked once" if not refit else f"in steps, {refit} iterations each"
        yield from table([title, *(f"{100 * step:.0f} %" for step in SHOWN)], rows)
        total = sum(wins.values())
        yield (
            f"Responsibility has the lowest error at {wins['responsibility']} of {total} steps, "
            f"value at {wins['value']}, chance at {wins['random']}."
        )
        yield ""
    yield from example.section()


def _errors(document: Document, tensor: str, way: str, refit: int) -> dict[float, float]:
    """Return the mean error at each step."""
    rows = ok(pick(document, FIGURE, set=tensor, by=way, refit=refit))
    found: dict[float, float] = {}
    for k, step in enumerate(rows[0]["found"]["shares"] if rows else ()):
        mean = Spread.of(row["found"]["re"][k] for row in rows)
        if mean:
            found[step] = mean.mean
    return found
