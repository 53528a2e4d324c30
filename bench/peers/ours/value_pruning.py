"""Value pruning: fit without pruning, then set the elements of smallest magnitude to zero."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from peers.clock import Clock
from peers.ours.vest import fitted_model
from peers.peer import Fitted, Floats, Task
from peers.tucker import tucker_predictor


def fit(task: Task, clock: Clock) -> Fitted:
    """Fit with sparsity 0 and prune the share "ratio" of all elements."""
    model = fitted_model(task, sparsity=0.0, standardize=task.settings["standardize"])
    core, *factors = without_smallest((model.core, *model.factors), task.settings["ratio"])
    return Fitted.of_arrays(tucker_predictor(core, factors), (core, *factors))


def without_smallest(parts: Sequence[Floats], ratio: float) -> list[Floats]:
    """Return the arrays with this share of all their elements, the smallest ones, set to zero."""
    flat = np.concatenate([part.ravel() for part in parts])
    smallest = np.argsort(np.abs(flat), kind="stable")[: math.ceil(ratio * flat.size)]
    flat[smallest] = 0.0
    pieces = np.split(flat, np.cumsum([part.size for part in parts])[:-1])
    return [piece.reshape(part.shape) for piece, part in zip(pieces, parts, strict=True)]
