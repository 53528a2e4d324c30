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

from vest_tucker.base.errors import EmptyModelWarning
from vest_tucker.base.interrupts import Interrupts
from vest_tucker.base.options import check_on_interrupt, generator
from vest_tucker.base.telling.steps import watched
from vest_tucker.base.telling.warn import Told, collected, warn
from vest_tucker.dask.tensor import ClusterTensor
from vest_tucker.dask.whole.choice import whole_or_why
from vest_tucker.dask.whole.tasks import WholeTensor
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.fit import fit_problem, interruption, problem_of, require_no_holdout
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
    found = whole_or_why(X, X.client, ranks, call["penalty"])
    return None if isinstance(found, str) else found


def best_of_starts(X: WholeTensor, call: Mapping[str, Any], ranks: tuple[int, ...]) -> TuckerModel:
    """Return the model of lowest error among fits from several starts, each a whole fit.

    A generator that the caller gave as seed is left where drawing the starts here would leave it.
    """
    require_no_holdout(call["holdout"], call["penalty"])
    arguments = {**call, "ranks": ranks, "n_starts": 1, "threads": 1, "check_memory": False}
    rng = generator(call["seed"])
    count = call["n_starts"]
    alone = functools.partial(fit_from_start, arguments=arguments, rng=copy.deepcopy(rng))
    numbers = list(range(count))
    result = made_elsewhere(X, alone, numbers)
    assert result is not None
    best: TuckerModel | None = None
    lowest, ended = math.inf, False
    warned, of_best = set[Told](), set[Told]()
    with (
        Interrupts(check_on_interrupt(call["on_interrupt"])) as interrupts,
        watched(call["progress"], "fit", count, "start") as starts,
    ):
        try:
            for number in numbers:
                random.random_start(X.shape, ranks, rng)
                with collected() as told:
                    model = result(number)
                poor = {each for each in told if each[1] is EmptyModelWarning}
                warned.update(set(told) - poor)
                starts.advance()
                if best is None or model.error < lowest:
                    best, lowest, of_best = model, model.error, poor
        except KeyboardInterrupt:
            if best is None:
                raise
            ended = True
        assert best is not None
        for text, category in sorted(warned | of_best, key=str):  # each once
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
