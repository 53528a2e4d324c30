"""Settings to try are tried on entries held out, every combination of them."""

from __future__ import annotations

import numpy as np

from peers.clock import Clock
from peers.peer import Fitted, Task
from peers.tuning import candidates, centred, tuned
from planted_tasks import cp_task


def test_every_combination() -> None:
    task = cp_task().task.with_settings({"a": {"try": [1, 2]}, "b": 0, "c": {"try": [3, 4, 5]}})
    tried = [one.settings for one in candidates(task)]
    assert len(tried) == 6
    assert {"a": 2, "b": 0, "c": 3} in tried


def test_the_best_on_entries_that_were_not_fitted() -> None:
    task = cp_task().task.with_settings({"level": {"try": [-1.0, 0.1, 5.0]}})
    shown: list[int] = []

    def fit(part: Task, clock: Clock) -> Fitted:
        shown.append(len(part.values))
        level = part.settings["level"]
        return Fitted(lambda coords: np.full(len(coords), level), 1)

    assert tuned(task, fit).settings == {"level": 0.1}  # the values are about 0 on average
    assert shown == [len(task.values) * 9 // 10] * 3


def test_nothing_to_try_costs_nothing() -> None:
    task = cp_task().task.with_settings({"rank": 2})

    def fit(part: Task, clock: Clock) -> Fitted:
        raise AssertionError

    assert tuned(task, fit) is not None


def test_the_mean_comes_back_in_predictions_points_and_counts() -> None:
    task = cp_task().task
    mean = task.values.mean()

    def fit(part: Task, clock: Clock) -> Fitted:
        assert abs(part.values.mean()) < 1e-12
        clock.keep(lambda: np.zeros(1))
        return Fitted(lambda coords: np.ones(len(coords)), 5)

    clock = Clock(curve=True)
    model = centred(fit)(task.with_settings({"centre": True}), clock)
    assert model.predict(task.test_coords).tolist() == [1.0 + mean] * len(task.test_coords)
    assert clock.points[0][1].tolist() == [mean]
    assert model.stored == 6
