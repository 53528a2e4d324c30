"""GenTen's generalized CP by stochastic gradients, from samples of the observed entries alone."""

from __future__ import annotations

from functools import partial

import numpy as np
import pygenten

from peers.clock import Clock
from peers.peer import Fitted, Task
from peers.tucker import cp_predictor


def fit(task: Task, clock: Clock) -> Fitted:
    """Fit a CP model of the setting "rank"."""
    for epochs in clock.lengths(task.settings["max_iter"]):
        clock.restart()
        model = fitted(task, epochs)
        clock.keep(partial(model.predict, task.test_coords))
    return model


def fitted(task: Task, epochs: int) -> Fitted:
    """Fit from nothing for so many epochs."""
    tensor = pygenten.Sptensor(task.shape, task.coords.astype(np.uint64), task.values)
    batch = min(len(task.values), task.settings["batch"])
    model, _, _ = pygenten.gcp_sgd(
        tensor,
        rank=task.settings["rank"],
        seed=task.seed + 1,
        gcp_seed=task.seed + 1,
        maxiters=epochs,
        epoch_iters=task.settings["epoch_iter"],
        rate=task.settings["rate"],
        max_fails=task.settings["max_fails"],
        num_samples_nonzeros_grad=batch,
        num_samples_nonzeros_value=len(task.values),
        # None at all would mean that it chooses a number itself; one of no weight is none.
        num_samples_zeros_grad=1,
        num_samples_zeros_value=1,
        w_g_z=0.0,
        w_f_z=0.0,
        w_f_nz=1.0,
        w_g_nz=len(task.values) / batch,
        printitn=0,
    )
    weights = np.array(model.weights)
    factors = [np.array(factor) for factor in model.factor_matrices]
    return Fitted.of_arrays(cp_predictor(weights, factors), (weights, *factors))
