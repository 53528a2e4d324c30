"""scikit-learn's gradient boosting of histograms, with the coordinates as features."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.preprocessing import OneHotEncoder, TargetEncoder

from peers.clock import Clock
from peers.peer import Fitted, Floats, Ints, Task

MOST_CATEGORIES = 255  # that it takes as they are


def fit(task: Task, clock: Clock) -> Fitted:
    """Boost; for a curve, anew for every smaller number of rounds."""
    for rounds in clock.lengths(task.settings["max_iter"], first=10):
        clock.restart()
        model = fitted(task, rounds)
        clock.keep(partial(model.predict, task.test_coords))
    return model


def fitted(task: Task, rounds: int) -> Fitted:
    """Encode the modes as the setting "encoding" says, then boost for so many rounds."""
    encoder = make_encoder(task)
    features = encoder.fit_transform(task.coords, task.values)
    model = HistGradientBoostingRegressor(
        max_iter=rounds,
        learning_rate=task.settings["learning_rate"],
        min_samples_leaf=task.settings["min_samples_leaf"],  # its 20 would hide most rows
        categorical_features=short_modes(task) or None,
        early_stopping=False,
        random_state=task.seed,
    )
    model.fit(features, task.values)

    def predict(coords: Ints) -> Floats:
        return np.asarray(model.predict(encoder.transform(coords)))

    # A node keeps a feature and a threshold, a leaf its value; encodings are kept, too.
    nodes = [tree.nodes for trees in model._predictors for tree in trees]
    kept = sum(2 * len(some) - int(some["is_leaf"].sum()) for some in nodes)
    encodings = 0 if task.settings["encoding"] == "one-hot" else sum(task.shape)
    return Fitted(predict, kept, extra=encodings)


def short_modes(task: Task) -> list[int]:
    """Return which features are categories as they are: those of short modes come first."""
    if task.settings["encoding"] == "one-hot":
        return []
    return list(range(sum(dim <= MOST_CATEGORIES for dim in task.shape)))


def make_encoder(task: Task) -> ColumnTransformer:
    """Return what turns coordinates into features."""
    every = [np.arange(dim) for dim in task.shape]
    if task.settings["encoding"] == "one-hot":
        hot = OneHotEncoder(categories=every, sparse_output=False, dtype=np.float32)
        return ColumnTransformer([("modes", hot, list(range(task.order)))])
    short = [mode for mode, dim in enumerate(task.shape) if dim <= MOST_CATEGORIES]
    long = [mode for mode in range(task.order) if mode not in short]
    target = TargetEncoder(
        categories=[every[mode] for mode in long],
        target_type="continuous",
        random_state=task.seed,
    )
    return ColumnTransformer([("short", "passthrough", short), ("long", target, long)])
