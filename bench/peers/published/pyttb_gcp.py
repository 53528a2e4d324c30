"""pyttb's generalized CP by stochastic gradients, from samples of the observed entries alone."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pyttb
from pyttb.gcp.fg_setup import Objectives
from pyttb.gcp.optimizers import Adam
from pyttb.gcp.samplers import GCPSampler, StratifiedCount

from peers.clock import Clock
from peers.peer import Fitted, Task
from peers.tucker import cp_predictor


def fit(task: Task, clock: Clock) -> Fitted:
    """Fit a CP model of the setting "rank"."""
    logging.disable(logging.WARNING)
    np.random.seed(task.seed)  # noqa: NPY002 (it draws from NumPy's global generator)
    tensor = pyttb.sptensor(task.coords, task.values[:, np.newaxis], task.shape)
    solver: Any = Adam(
        rate=task.settings["rate"],
        max_iters=task.settings["max_iter"],
        epoch_iters=task.settings["epoch_iter"],
        max_fails=task.settings["max_fails"],
        printitn=0,
    )
    model, _, _ = pyttb.gcp_opt(
        tensor,
        task.settings["rank"],
        Objectives.GAUSSIAN,
        solver,
        init="random",
        sampler=observed_only(tensor, task.settings["batch"]),
        printitn=0,
    )
    weights, factors = model.weights, model.factor_matrices
    return Fitted.of_arrays(cp_predictor(weights, factors), (weights, *factors))


def observed_only(tensor: pyttb.sptensor, batch: int) -> GCPSampler:
    """Draw no zeros: neither the gradient nor the judged loss sees a cell that is missing."""
    entries = tensor.nnz
    judged = StratifiedCount(num_zeros=0, num_nonzeros=min(entries, 100_000))
    drawn = StratifiedCount(num_zeros=0, num_nonzeros=min(entries, batch))
    return GCPSampler(tensor, function_samples=judged, gradient_samples=drawn)
