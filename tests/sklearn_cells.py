"""Cells and values as scikit-learn has them, for tests of the estimators."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np

import vest_tucker as vt
from vest_tucker.base.types import Floats

# A fit of a millisecond; the plain call takes a hundred times as long.
QUICK: dict[str, Any] = {"loss": "lf", "ranks": 2, "lam": 0.01, "sparsity": 0.0, "seed": 0}
NAMES = ("who", "dish", "day")


def columns() -> tuple[dict[str, list[Any]], Floats]:
    """Texts, whole numbers and dates for the labels of 600 cells, and their values."""
    X, _ = vt.datasets.synthetic((12, 10, 8), 2, nnz=600, noise=0.05, seed=0)
    who, dish, day = X.coords.T.tolist()
    labels = {
        "who": [f"person {chr(97 + row)}" for row in who],
        "dish": [100 + row for row in dish],
        "day": [dt.date(2021, 5, 1) + dt.timedelta(days=row) for row in day],
    }
    return labels, np.array(X.values)


def rows() -> tuple[list[list[Any]], Floats]:
    """The same as lists, one for each cell."""
    labels, values = columns()
    return [list(row) for row in zip(*labels.values(), strict=True)], values
