"""When a curve reaches an error for good: what is looked at on the way may be thrown away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments.summary.rows import Document, ok, pick, values

ABOVE = {"within 5 %": 1.05, "within 2 %": 1.02, "within 1 %": 1.01}


def levels(document: Document, tensor: str) -> dict[str, float]:
    """Return errors to be reached: so far above the lowest that a system ends with, in the mean."""
    rows = pick(document, "figure3", set=tensor)
    ends = [
        float(np.mean([row["found"]["curve"][-1][1] for row in some]))
        for name in values(rows, "system")
        if (some := ok([row for row in rows if row["settings"]["system"] == name]))
    ]
    return {name: factor * min(ends) for name, factor in ABOVE.items()} if ends else {}


def reached(curve: Sequence[Sequence[float]], level: float) -> float | None:
    """Return the seconds from which on the error is never above this, if there are any."""
    since = None
    for seconds, error in curve:
        if error > level:
            since = None
        elif since is None:
            since = seconds
    return since
