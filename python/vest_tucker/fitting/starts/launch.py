"""Which start a fit takes: by name, from the caller's arrays, or where another model stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.base import checks
from vest_tucker.base.errors import InitError, OptionError
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.starts.data import BURN_INS, data_start, rotated
from vest_tucker.fitting.starts.start import Start, pairs_start, random_start, start_from
from vest_tucker.model.model import TuckerModel

INITS = ("random", "pairs", "data")


def make_start(init: str, problem: Problem, rng: np.random.Generator, core_turns: int = 0) -> Start:
    """Make a start of the kind asked for."""
    shape, ranks = problem.X.shape, problem.ranks
    if init == "pairs":
        signs = problem.known.nonnegative
        if problem.known.names_elements:
            raise OptionError(
                'init="pairs" sets the core and all but two factors itself; with support=, keep= '
                'or fixed= choose init="random" or "data"'
            )
        return pairs_start(shape, ranks, rng, core_turns=core_turns, nonnegative=signs)
    if init == "data":
        return data_start(problem, problem.options.n_starts or BURN_INS, rng)
    return Start(*random_start(shape, ranks, rng))


def starts(
    problem: Problem,
    init: str | tuple[ArrayLike, Iterable[ArrayLike]],
    warm_start: TuckerModel | None,
    core_turns: int,
    rng: np.random.Generator,
) -> Iterator[Start]:
    """Yield one start after the other.

    There are several if they are drawn at random. What the data make of them is one; but if it
    is to be pruned, then so is the same in a sparse basis.
    """
    X = problem.X
    if warm_start is not None:
        yield start_from(warm_start, X.mode_labels, X.shape, problem.ranks)
    elif init == "data":
        start = make_start(init, problem, rng)
        turned = None if problem.options.sparsity == 0.0 else rotated(start, problem, rng)
        yield from (start,) if turned is None else (turned, start)
    elif isinstance(init, str):
        for _ in range(problem.options.n_starts or 1):
            yield make_start(init, problem, rng, core_turns)
    else:
        yield Start(*checks.start(init, X.shape, problem.ranks), kind="given")


def check_init(init: object, warm_start: object, n_starts: int | None) -> None:
    """Raise unless the options that say where to start agree."""
    if isinstance(init, str) and init not in INITS:
        listed = ", ".join(f'"{name}"' for name in INITS)
        raise InitError(f"init is {init!r}; choose one of {listed}, or a pair (core, factors)")
    given = warm_start is not None or not (init is None or isinstance(init, str))
    if given and n_starts is not None and n_starts > 1:
        raise OptionError(
            f"n_starts is {n_starts}, but init or warm_start give a single place to start from"
        )
    if warm_start is not None and init is not None:
        raise OptionError("init and warm_start both say where to start; give one of them")
