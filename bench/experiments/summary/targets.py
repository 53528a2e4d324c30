"""Sweeps over targets: the points of each version, means over seeds."""

from __future__ import annotations

from collections.abc import Container

from experiments.summary.rows import Document, Row, ok, pick, spread


def swept(
    document: Document,
    tensor: str,
    system: str,
    label: str,
    over: str = "zeros",
    seeds: Container[int] | None = None,
) -> tuple[list[float], list[float]]:
    """Return zeros (or numbers kept) and errors of a system at its targets, in their order."""
    rows = [
        row
        for row in pick(document, "figure2", set=tensor, system=system)
        if row["settings"].get("settings") and (seeds is None or row["seed"] in seeds)
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


def shared_seeds(document: Document, tensor: str) -> list[int]:
    """Return the seeds, and so the splits, of which every system that ran at all has a result."""
    seeds: dict[str, set[int]] = {}
    for row in ok(pick(document, "figure2", set=tensor, settings=None)):
        seeds.setdefault(row["settings"]["system"], set()).add(row["seed"])
    return sorted(set.intersection(*seeds.values())) if seeds else []


def of_seeds(rows: list[Row], seeds: Container[int]) -> list[Row]:
    """Return the rows of these seeds."""
    return [row for row in rows if row["seed"] in seeds]
