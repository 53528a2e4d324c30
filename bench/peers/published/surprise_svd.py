"""Surprise's SVD: mean, biases and the factors of a matrix, by stochastic gradients."""

from __future__ import annotations

from functools import partial

import surprise

from peers.clock import Clock
from peers.peer import Fitted, Task
from peers.published.surprise_data import predictor, train_set


def fit(task: Task, clock: Clock) -> Fitted:
    """Fit for the setting "epochs"; for a curve, anew for every smaller number of them."""
    for epochs in clock.lengths(task.settings["epochs"]):
        clock.restart()
        model = surprise.SVD(
            n_factors=task.settings["rank"], n_epochs=epochs, random_state=task.seed
        )
        model.fit(train_set(task))
        predict = predictor(model, task)
        clock.keep(partial(predict, task.test_coords))
    return Fitted.of_arrays(predict, (model.pu, model.qi, model.bu, model.bi), extra=1)
