"""Sweeps over targets: the points of each version, means over seeds."""

from __future__ import annotations

from experiments.summary.rows import Document, pick, spread


def swept(
    document: Document, tensor: str, system: str, label: str, over: str = "zeros"
) -> tuple[list[float], list[float]]:
    """Return zeros (or numbers kept) and errors of a system at its targets, in their order."""
    rows = [
        row
        for row in pick(document, "figure2", set=tensor, system=system)
        if row["settings"].get("settings")
    ]
    x: list[float] = []
    y: list[float] = []
    for target in sorted({row["settings"]["settings"]["sparsity"] for row in rows}):
        some = [row for row in rows if row["settings"]["settings"]["sparsity"] == target]
        where, error = spread(some, over), spread(some, label)
        if where and error:
            x.append(where.mean)
            y.append(error.mean)
    return x, y
