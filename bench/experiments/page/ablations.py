"""Figure 8 on the page: one table of what matters and what does not."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.page.pictures import PICTURES
from experiments.page.text import NOTHING, listed, number, percent, share, table
from experiments.summary.ablations import AS_IT_IS, Effect, effects
from experiments.summary.rows import Document, pick, values

FIGURE = "figure8"


def section(document: Document) -> Iterator[str]:
    """Yield the lines of the section."""
    yield PICTURES["ablations"].line
    yield ""
    tensors = values(pick(document, FIGURE), "set")
    runs = len({row["seed"] for row in pick(document, FIGURE)})
    yield (
        f"One thing changed at a time, {runs} seeds, each a split and a start of its own. In each "
        "cell: the test error; by how much the change raises it, seed by seed, with the interval "
        "of 95 % of that mean; the zeros at the end. Bold: the interval leaves 0 out. For the line "
        "*as it is*, ± is the standard deviation that seeds alone make."
    )
    every = {
        tensor: {(e.base, e.change): e for e in effects(document, tensor)} for tensor in tensors
    }
    keys = dict.fromkeys(key for some in every.values() for key in some)
    rows = []
    for base, change in keys:
        cells = [_cell(every[tensor].get((base, change))) for tensor in tensors]
        rows.append([base if change == AS_IT_IS else "", change, *cells])
    yield from table(["", "change", *tensors], rows)
    yield from _said(every)


def _cell(effect: Effect | None) -> str:
    if effect is None or effect.error is None or effect.test is None:
        return NOTHING
    zeros = share(effect.zeros.mean if effect.zeros else None)
    if effect.change == AS_IT_IS:
        return f"{number(effect.error.mean)} ± {number(effect.error.deviation)}, {zeros}"
    half = f" ± {100.0 * effect.test.half:.1f}" if effect.test.runs > 1 else ""
    by = f"{percent(effect.test.mean).removesuffix(' %')}{half} %"
    return f"{number(effect.error.mean)}, {f'**{by}**' if effect.matters else by}, {zeros}"


def _said(every: dict[str, dict[tuple[str, str], Effect]]) -> Iterator[str]:
    """Say what helps, what hurts, and what does not matter, for each base on each tensor."""
    for tensor, some in every.items():
        for base in dict.fromkeys(base for base, _ in some):
            changes = [e for (b, c), e in some.items() if b == base and c != AS_IT_IS and e.test]
            helps = [e for e in changes if e.matters and e.test and e.test.mean < 0.0]
            hurts = [e for e in changes if e.matters and e.test and e.test.mean > 0.0]
            rest = len(changes) - len(helps) - len(hurts)
            yield (
                f"- {tensor}, {base}: better with {_listed(helps)}; worse with {_listed(hurts)}; "
                f"{rest} of {len(changes)} changes cannot be told from chance."
            )
    yield ""


def _listed(some: list[Effect]) -> str:
    order = sorted(some, key=lambda e: -abs(e.test.mean) if e.test else 0.0)
    return listed([e.change for e in order]) or "none"
