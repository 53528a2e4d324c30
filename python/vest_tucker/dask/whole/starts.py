"""One fit from several random starts: a whole fit for each, where the tensor fits a worker."""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from vest_tucker.base.interrupts import Interrupts
from vest_tucker.base.options import check_on_interrupt, generator
from vest_tucker.base.telling.steps import watched
from vest_tucker.base.telling.warn import Told, collected, warn
from vest_tucker.dask.tensor import ClusterTensor
from vest_tucker.dask.whole.room import fits_at_once
from vest_tucker.dask.whole.tasks import WholeTensor
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.fit import defaults_of_fit, fit_problem, interruption, problem_of
from vest_tucker.fitting.options import with_preset
from vest_tucker.fitting.starts import random
from vest_tucker.model.model import TuckerModel
from vest_tucker.studies.beside import made_elsewhere

# Options with which the starts follow one another in shards: what they name is here.
HERE = ("callback", "checkpoint", "validation", "warm_start")


def whole_for_starts(
    X: ClusterTensor, call: Mapping[str, Any], ranks: tuple[int, ...] | None
) -> WholeTensor | None:
    """Return the tensor for whole fits, one for each random start; None for a fit in shards."""
    count, start = call["n_starts"], call["init"]
    several = isinstance(count, int) and count > 1 and start in (None, "random")
    named = any(call[name] is not None for name in HERE)
    if not several or named or call["penalty"] == "bayes" or call["lam"] == "auto":
        return None
    at_once = fits_at_once(X, X.client, ranks, call["penalty"])
    return WholeTensor.of(X, X.client, at_once) if at_once else None


def best_of_starts(X: WholeTensor, options: dict[str, Any]) -> TuckerModel:
    """Return the model of lowest error among fits from several starts, each a whole fit."""
    call = with_preset({**defaults_of_fit(), "ranks": "auto", **options, "threads": 1})
    rng = generator(call["seed"])
    count = call["n_starts"]
    alone = functools.partial(
        fit_from_start, arguments={**call, "n_starts": 1, "check_memory": False}, rng=rng
    )
    numbers = list(range(count))
    result = made_elsewhere(X, alone, numbers)
    assert result is not None
    best: TuckerModel | None = None
    lowest, warned, ended = math.inf, set[Told](), False
    with (
        Interrupts(check_on_interrupt(call["on_interrupt"])) as interrupts,
        watched(call["progress"], "fit", count, "start") as starts,
    ):
        try:
            for number in numbers:
                with collected() as told:
                    model = result(number)
                warned.update(told)
                starts.advance()
                if best is None or model.error < lowest:
                    best, lowest = model, model.error
        except KeyboardInterrupt:
            if best is None:
                raise
            ended = True
        assert best is not None
        for text, category in sorted(warned, key=str):  # all starts have the same to say
            warn(text, category)
        if ended:
            best = dataclasses.replace(best, stopped="interrupted")
        return interrupts.answer(best, interruption(best))


def fit_from_start(
    X: SparseTensor, number: int, *, arguments: Mapping[str, Any], rng: np.random.Generator
) -> TuckerModel:
    """Fit from one of the random starts that a call draws one after the other."""
    began, rng = time.perf_counter(), copy.deepcopy(rng)  # that of all tasks of this worker
    problem = problem_of(X, arguments["ranks"], arguments)
    for _ in range(number):
        random.make(problem, rng)
    return fit_problem(problem, rng, arguments["init"], began=began)
