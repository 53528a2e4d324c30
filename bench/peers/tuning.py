"""Settings that a system chooses for itself, on a tenth of its entries, as its user would.

A setting given as {"try": [...]} stands for the best of these values. The time counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from peers.clock import Clock
from peers.peer import Fitted, Task

Fit = Callable[[Task, Clock], Fitted]


def centred(fit: Fit) -> Fit:
    """Return the fit of values without their mean, if the setting "centre" says so."""

    def around_the_mean(task: Task, clock: Clock) -> Fitted:
        if not task.settings["centre"]:
            return fit(task, clock)
        mean = clock.offset = float(task.values.mean())
        model = fit(replace(task, values=task.values - mean), clock)
        predict = model.predict
        return replace(model, predict=lambda coords: predict(coords) + mean, extra=model.extra + 1)

    return around_the_mean


def tuned(task: Task, fit: Fit) -> Task:
    """Return the task with the settings that predict a tenth of the entries best."""
    every = list(candidates(task))
    if len(every) == 1:
        return every[0]
    held = np.random.default_rng(task.seed).permutation(len(task.values)) % 10 == 0

    def error(settings: Task) -> float:
        part = replace(settings, coords=task.coords[~held], values=task.values[~held])
        predicted = fit(part, Clock()).predict(task.coords[held])
        return float(np.linalg.norm(predicted - task.values[held]))

    return min(every, key=error)


def candidates(task: Task) -> Iterator[Task]:
    """Yield the task with every combination of values to try."""
    open_ones = {name: given["try"] for name, given in task.settings.items() if is_open(given)}
    for values in product(*open_ones.values()):
        yield task.with_settings({**task.settings, **dict(zip(open_ones, values, strict=True))})


def is_open(given: Any) -> bool:
    """Tell whether a setting is yet to be chosen."""
    return isinstance(given, dict) and "try" in given
