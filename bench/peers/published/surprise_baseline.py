"""Surprise's BaselineOnly: the mean and a bias per user and item."""

from __future__ import annotations

import surprise

from peers.clock import Clock
from peers.peer import Fitted, Task
from peers.published.surprise_data import predictor, train_set


def fit(task: Task, clock: Clock) -> Fitted:
    """Fit with its defaults, alternating least squares."""
    model = surprise.BaselineOnly(verbose=False)
    model.fit(train_set(task))
    return Fitted.of_arrays(predictor(model, task), (model.bu, model.bi), extra=1)
