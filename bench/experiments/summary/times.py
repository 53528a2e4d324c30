"""When a curve reaches an error for good: what is looked at on the way may be thrown away."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.summary.rows import Document, ok, pick

ABOVE = {"within 5 %": 1.05, "within 2 %": 1.02, "within 1 %": 1.01}


def best_ends(document: Document, tensor: str) -> dict[int, float]:
    """Return, for each seed, the lowest error that anybody ends with: splits differ."""
    best: dict[int, float] = {}
    for row in ok(pick(document, "figure3", set=tensor)):
        end = float(row["found"]["curve"][-1][1])
        best[row["seed"]] = min(end, best.get(row["seed"], end))
    return best


def reached(curve: Sequence[Sequence[float]], level: float) -> float | None:
    """Return the seconds from which on the error is never above this, if there are any."""
    since = None
    for seconds, error in curve:
        if error > level:
            since = None
        elif since is None:
            since = seconds
    return since
