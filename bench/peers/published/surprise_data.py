"""What Surprise gets: the two longest modes as users and items."""

from __future__ import annotations

import numpy as np
import surprise

from peers.peer import Floats, Ints, Predictor, Task


def two_modes(task: Task) -> tuple[int, int]:
    """Return which modes are the longest two, in order."""
    first, second = sorted(np.argsort(task.shape, kind="stable")[-2:])
    return int(first), int(second)


def train_set(task: Task) -> surprise.Trainset:
    """Return the entries as ratings; cells that differ in the other modes alone are several."""
    user, item = two_modes(task)
    scale = (float(task.values.min()), float(task.values.max()))
    data = surprise.Dataset(surprise.Reader(rating_scale=scale))
    cells = zip(task.coords[:, user].tolist(), task.coords[:, item].tolist(), strict=True)
    raw = [(u, i, r, None) for (u, i), r in zip(cells, task.values.tolist(), strict=True)]
    return data.construct_trainset(raw)


def predictor(model: surprise.AlgoBase, task: Task) -> Predictor:
    """Predict cells one by one, as it does."""
    user, item = two_modes(task)

    def predict(coords: Ints) -> Floats:
        cells = zip(coords[:, user].tolist(), coords[:, item].tolist(), strict=True)
        return np.array([model.predict(u, i, clip=False).est for u, i in cells])

    return predict
