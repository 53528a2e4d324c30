"""Recovery of planted truths: points over what is varied, and all cases together."""

from __future__ import annotations

from typing import Any

from experiments.summary.rows import Document, Row, Spread, ok, pick, spread

USUAL = {"noise": 0.2, "entries": 8_000, "skew": 0.0, "order": 3}


def cases_over(document: Document, name: str, who: str, diagonal: bool) -> list[Row]:
    """Return the rows of one series, the usual case among them."""
    rows = pick(document, "figure7", system=who, diagonal=diagonal)
    return [
        row
        for row in rows
        if row["settings"]["over"] == name
        or all(row["settings"][each] == usual for each, usual in USUAL.items())
    ]


def over(
    document: Document, name: str, who: str, measure: str, diagonal: bool
) -> tuple[list[float], list[float]]:
    """Return what is varied and the means of a measure."""
    rows = cases_over(document, name, who, diagonal)
    x: list[float] = []
    y: list[float] = []
    for value in sorted({row["settings"][name] for row in rows}):
        found = spread([row for row in rows if row["settings"][name] == value], measure)
        if found:
            x.append(value)
            y.append(found.mean)
    return x, y


def together(document: Document, who: str, measure: str, **settings: Any) -> Spread | None:
    """Return the spread of a measure over all cases."""
    return spread(pick(document, "figure7", system=who, **settings), measure)


def hits(document: Document, who: str, **settings: Any) -> tuple[int, int]:
    """Return how often all ranks were found, and of how many."""
    rows = ok(pick(document, "figure7", system=who, **settings))
    return sum(bool(row["found"].get("hit")) for row in rows), len(rows)
