"""The abstract's claims held against what was measured: against whom, and by what factor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from experiments.summary.rows import Document, Row, pick, spread

# What the paper compares with; all others are what a user would take today.
COMPETITORS = (
    "lasso", "value-pruning-lf", "value-pruning-l1", "tucker-als", "p-tucker-approx", "ttp",
    "sparse-cp",
)  # fmt: skip
VERSIONS = {"lf": "VeST, L_F", "l1": "VeST, L1"}
ACCURATE, SPARSER, TEST = 2.8, 2.2, 1.8  # the claims


@dataclass(frozen=True)
class Factors:
    """One version against one competitor on one tensor: by what factor it is better."""

    competitor: str
    accurate: float  # its error over ours, at its sparsity
    sparser: float  # our share of zeros over its, at its error
    fewer: float  # its numbers over ours, at its error
    test: float  # its test error over that of our automatic version


def curve(document: Document, tensor: str, penalty: str) -> list[tuple[float, float]]:
    """Return the manual version's zeros and errors, from few zeros to many."""
    name = f"vest-{penalty}-manual"
    rows = pick(document, "figure1", set=tensor, system=name)
    targets = sorted({_target(row) for row in rows})
    points = []
    for target in targets:
        some = [row for row in rows if _target(row) == target]
        zeros, re = spread(some, "zeros"), spread(some, "re")
        if zeros and re:
            points.append((zeros.mean, re.mean))
    return sorted(points)


def _target(row: Row) -> float:
    return float(row["settings"].get("settings", {}).get("sparsity", 0.6))


def error_at(points: Sequence[tuple[float, float]], zeros: float) -> float:
    """Return the error of a curve at a share of zeros; of fewer than it has, that of its first."""
    x, y = zip(*points, strict=True)
    return float(np.interp(zeros, x, y)) if zeros <= x[-1] else math.nan


def zeros_at(points: Sequence[tuple[float, float]], error: float) -> float:
    """Return the most zeros that a curve has with an error of at most this; NaN if none has."""
    best = math.nan
    for (x0, y0), (x1, y1) in pairwise(points):
        if y0 <= error:
            best = x0
        if y0 <= error < y1:
            best = x0 + (x1 - x0) * (error - y0) / (y1 - y0)
        elif y1 <= error:
            best = x1
    return best


def factors(document: Document, tensor: str, penalty: str) -> list[Factors]:
    """Return how one version does against every competitor that ran."""
    points = curve(document, tensor, penalty)
    auto = pick(document, "figure1", set=tensor, system=f"vest-{penalty}-auto")
    auto_test = spread(auto, "test")
    found = []
    for name in COMPETITORS:
        rows = pick(document, "figure1", set=tensor, system=name)
        re, test, zeros = (spread(rows, each) for each in ("re", "test", "zeros"))
        if not (re and test and zeros and points and auto_test):
            continue
        most = zeros_at(points, re.mean)
        dense = zeros.mean == 0.0 and not math.isnan(most)
        sparser = math.inf if dense else most / (zeros.mean or math.nan)
        fewer = (1.0 - zeros.mean) / (1.0 - most)
        accurate = re.mean / error_at(points, zeros.mean)
        found.append(Factors(name, accurate, sparser, fewer, test.mean / auto_test.mean))
    return found


def least(found: Sequence[Factors], name: str) -> tuple[float, str] | None:
    """Return the smallest factor and against whom; what cannot be reached counts as 0."""
    if not found:
        return None
    pairs = [(getattr(each, name), each.competitor) for each in found]
    value, who = min((0.0 if math.isnan(each) else each, who) for each, who in pairs)
    return value, who
