"""vest-tucker: the paper's four versions, Lasso, and the plain call, by settings."""

from __future__ import annotations

from typing import Any

import vest_tucker as vt
from peers.clock import Clock
from peers.peer import Fitted, Floats, Ints, Task

# What `fit` calls the settings of ours that it gets as they are.
PASSED = ("preset", "penalty", "sparsity", "lam", "max_iter", "offset", "allocation")


def fit(task: Task, clock: Clock) -> Fitted:
    """Fit the entries; the ranks are given unless the setting "ranks" says "auto"."""

    def look(_: vt.IterationRecord, running: vt.RunningFit) -> None:
        clock.point(lambda: predictions(running.model(), task, task.test_coords))

    model = fitted_model(task, callback=look if clock.curve else None)
    return of_model(model, task)


def fitted_model(task: Task, **others: Any) -> vt.TuckerModel:
    """Fit a model with the settings of the task."""
    X = vt.SparseTensor(task.coords, task.values, task.shape)
    ranks: Any = "auto" if task.settings.get("ranks") == "auto" else task.ranks
    chosen = {name: task.settings[name] for name in PASSED if name in task.settings}
    return vt.fit(
        X, ranks, **chosen, seed=task.seed, threads=task.threads, progress=False, **others
    )


def of_model(model: vt.TuckerModel, task: Task) -> Fitted:
    """Count what the model keeps; of its offset, what is not zero."""
    return Fitted.of_arrays(
        lambda coords: predictions(model, task, coords),
        (model.core, *model.factors),
        extra=model.n_parameters - model.n_nonzero,
    )


def predictions(model: vt.TuckerModel, task: Task, coords: Ints) -> Floats:
    """Predict cells; of rows that had no entry, as the setting "unseen" says."""
    unseen = task.settings.get("unseen", "mean")
    return model.predict(coords, unseen=unseen, threads=task.threads, progress=False)
