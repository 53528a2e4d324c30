"""The best of each point of a series over its repeats, and slopes on doubly logarithmic axes."""

from __future__ import annotations

import numpy as np

from experiments.summary.rows import Document, ok, pick

FIXED_COSTS = 1e4  # below this many entries they weigh in


def points(document: Document, series: str) -> tuple[list[float], list[float], list[float]]:
    """Return what the series runs over, the best seconds per iteration, and the core's size."""
    rows = ok(pick(document, "figure4", series=series))
    if not rows:
        return [], [], []
    x = rows[0]["found"]["x"]
    same = [row for row in rows if row["found"]["x"] == x]
    best = np.min([row["found"]["best"] for row in same], axis=0)
    return x, best.tolist(), rows[0]["found"]["core"]


def slope(x: list[float], y: list[float]) -> float:
    """Return the slope of a line through the points, both logarithmic."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def last_slope(document: Document, series: str) -> float:
    """Return the slope between the last two points of a series."""
    x, y, _ = points(document, series)
    return slope(x[-2:], y[-2:])


def slopes(document: Document) -> dict[str, float]:
    """Return the slope of each series: of time, over the order of time per core element."""
    found = {}
    for series in ("order", "dimension", "entries"):
        x, y, core = points(document, series)
        if series == "order":
            y = [time / size for time, size in zip(y, core, strict=True)]
        elif x:
            kept = [(a, b) for a, b in zip(x, y, strict=True) if a >= FIXED_COSTS]
            x, y = [a for a, _ in kept], [b for _, b in kept]
        if len(x) > 1:
            found[series] = slope(x, y)
    return found
