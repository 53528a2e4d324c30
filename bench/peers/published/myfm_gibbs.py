"""myFM: a factorization machine of the modes, its weights drawn by Gibbs sampling."""

from __future__ import annotations

from typing import Any

import myfm
import numpy as np
from scipy import sparse

from peers.clock import Clock
from peers.peer import Fitted, Floats, Ints, Task

BURN_IN = 5  # how many of its first samples it leaves out by default


def fit(task: Task, clock: Clock) -> Fitted:
    """Predict the average of the samples after the burn-in."""
    model = fitted_model(task, Average(task, clock) if clock.curve else quiet)
    kept = model.predictor_.samples
    weights = sum(fm.w.size + fm.V.size + 1 for fm in kept)

    def predict(coords: Ints) -> Floats:
        return np.asarray(model.predict(one_hot(coords, task.shape), n_workers=task.threads))

    return Fitted(predict, weights // len(kept), samples=len(kept))


def fitted_model(task: Task, callback: Any) -> myfm.MyFMGibbsRegressor:
    """Draw the setting "samples" of samples at the setting "rank"."""
    return myfm.MyFMGibbsRegressor(rank=task.settings["rank"], random_seed=task.seed).fit(
        one_hot(task.coords, task.shape),
        task.values,
        n_iter=task.settings["samples"],
        group_shapes=task.shape,  # each mode has variances of its own
        callback=callback,
    )


class Average:
    """Looks at each sample, and averages what those after the burn-in predict."""

    def __init__(self, task: Task, clock: Clock) -> None:
        self.cells = one_hot(task.test_coords, task.shape)
        self.clock, self.sum, self.count = clock, np.zeros(len(task.test_coords)), 0

    def __call__(self, step: int, fm: Any, *_: object) -> tuple[bool, None]:
        with self.clock.paused():
            now = fm.predict_score(self.cells, [])
            if step >= BURN_IN:
                self.sum, self.count = self.sum + now, self.count + 1
            average = self.sum / self.count if self.count else now
        self.clock.point(lambda: average)
        return False, None


def quiet(*_: object) -> tuple[bool, None]:
    """Go on, with nothing to say."""
    return False, None


def one_hot(coords: Ints, shape: tuple[int, ...]) -> sparse.csr_matrix:
    """Return a row per cell with a 1 in the column of each of its rows."""
    columns = coords + np.concatenate([[0], np.cumsum(shape[:-1])])
    starts = np.arange(len(coords) + 1) * len(shape)
    wide = (len(coords), sum(shape))
    return sparse.csr_matrix((np.ones(columns.size), columns.ravel(), starts), shape=wide)
