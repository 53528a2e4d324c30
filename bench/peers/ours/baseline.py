"""Predicting the mean, or the mean and a bias per row: what every model has to beat."""

from __future__ import annotations

import vest_tucker as vt
from peers.clock import Clock
from peers.ours.vest import predictions
from peers.peer import Fitted, Task


def fit(task: Task, clock: Clock) -> Fitted:
    """Fit the baseline that the setting "kind" names. Its mean and biases are its elements."""
    X = vt.SparseTensor(task.coords, task.values, task.shape)
    model = vt.baseline(X, task.settings["kind"])
    offset = model.offset
    assert offset is not None
    return Fitted.of_arrays(
        lambda coords: predictions(model, task, coords), [[offset.mean], *offset.biases]
    )
