"""Tucker-ALS, the higher-order orthogonal iteration: every missing cell is taken for 0."""

from __future__ import annotations

import numpy as np
import pyttb

from peers.clock import Clock
from peers.peer import Fitted, Task
from peers.tucker import tucker_predictor


def fit(task: Task, clock: Clock) -> Fitted:
    """Fit with pyttb, which keeps the tensor sparse."""
    np.random.seed(task.seed)  # noqa: NPY002 (its start comes from NumPy's global generator)
    tensor = pyttb.sptensor(task.coords, task.values[:, np.newaxis], task.shape)
    model, _, _ = pyttb.tucker_als(
        tensor,
        np.array(task.ranks),
        stoptol=task.settings["tol"],
        maxiters=task.settings["max_iter"],
        printitn=0,
    )
    core, factors = model.core.double(), model.factor_matrices
    return Fitted.of_arrays(tucker_predictor(core, factors), (core, *factors))
