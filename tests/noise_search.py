"""A plain call whose steps a test can take one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

import vest_tucker as vt
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.noise.best import Search
from vest_tucker.fitting.noise.journal import Journal
from vest_tucker.fitting.noise.wanted import Wanted


def wanted(**changes: Any) -> Wanted:
    """Return what a call without options asks for, on one thread, with changes."""
    options: dict[str, Any] = {
        "ranks": None, "offset": "auto", "sparsity": "auto", "allocation": "global",
        "constraints": Constraints(), "holdout": 0.1, "validation": None, "start": None,
        "threads": 1,
    }  # fmt: skip
    return Wanted(**options | changes)


def search(X: vt.SparseTensor, seed: int = 0, **changes: Any) -> Search:
    """Return a plain call that has not begun."""
    return Search(X, wanted(**changes), np.random.default_rng(seed), Journal(lambda *_: None))
