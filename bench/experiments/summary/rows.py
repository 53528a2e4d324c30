"""Choosing rows by their settings, and means with their spread."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Row = dict[str, Any]
Document = dict[str, Any]
# Student's t for intervals of 95 %, by how many runs there are less one; 1.96 beyond.
T_95 = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)


@dataclass(frozen=True)
class Spread:
    """Several runs of the same: their mean, standard deviation and number."""

    mean: float
    deviation: float
    runs: int

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Spread | None:
        """Return the spread of what is there, or None if nothing is."""
        some = [float(each) for each in values if each is not None and math.isfinite(each)]
        if not some:
            return None
        deviation = float(np.std(some, ddof=1)) if len(some) > 1 else 0.0
        return cls(float(np.mean(some)), deviation, len(some))

    @property
    def half(self) -> float:
        """Half the width of the interval of 95 % of the mean."""
        if self.runs < 2:
            return math.nan
        t = T_95[self.runs - 2] if self.runs - 2 < len(T_95) else 1.96
        return t * self.deviation / math.sqrt(self.runs)


def pick(document: Document, figure: str, **settings: Any) -> list[Row]:
    """Return the rows of a figure with these settings; None means that it is not set."""
    return [
        row
        for row in document["rows"]
        if row["figure"] == figure
        and all(row["settings"].get(name) == value for name, value in settings.items())
    ]


def ok(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of what went well."""
    return [row for row in rows if not row["found"].get("error")]


def spread(rows: Iterable[Row], name: str) -> Spread | None:
    """Return the spread of one number over rows."""
    return Spread.of(row["found"].get(name) for row in ok(rows))


def values(rows: Iterable[Row], name: str) -> list[str]:
    """Return the different values of a setting, in the order in which they come."""
    found: dict[str, None] = {}
    for row in rows:
        if row["settings"].get(name) is not None:
            found[row["settings"][name]] = None
    return list(found)


def paired(ours: Sequence[Row], theirs: Sequence[Row], name: str) -> Spread | None:
    """Return the spread of theirs over ours, less one, seed by seed."""
    mine = {row["seed"]: row["found"][name] for row in ok(ours)}
    return Spread.of(
        row["found"][name] / mine[row["seed"]] - 1.0 for row in ok(theirs) if mine.get(row["seed"])
    )


def mean_curve(rows: Sequence[Row], x: str, y: str) -> tuple[list[float], list[float]]:
    """Return means over seeds of two lists of numbers that rows have, point by point."""
    some = ok(rows)
    if not some:
        return [], []
    length = min(len(row["found"][x]) for row in some)
    means = [
        [float(np.mean([row["found"][name][k] for row in some])) for k in range(length)]
        for name in (x, y)
    ]
    return means[0], means[1]
