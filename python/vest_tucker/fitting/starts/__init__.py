"""Where a fit starts: the register of the kinds of start, one file for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.base.errors import InitError, OptionError
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.starts import data, pairs, random
from vest_tucker.fitting.starts.given import start_at, start_from
from vest_tucker.fitting.starts.start import Start
from vest_tucker.model.model import TuckerModel

KINDS = {kind.name: kind for kind in (random.KIND, data.KIND, pairs.KIND)}
DEFAULT = random.KIND.name


def starts(
    problem: Problem,
    init: str | tuple[ArrayLike, Iterable[ArrayLike]],
    warm_start: TuckerModel | None,
    core_turns: int,
    rng: np.random.Generator,
) -> Iterator[Start]:
    """Yield the starts to fit from, one after the other."""
    X = problem.X
    if warm_start is not None:
        yield start_from(warm_start, X.mode_labels, X.shape, problem.ranks)
    elif isinstance(init, str):
        yield from KINDS[init].starts(problem, rng, core_turns)
    else:
        yield start_at(init, X.shape, problem.ranks)


def check_init(init: object, warm_start: object, n_starts: int | None) -> None:
    """Raise unless the options that say where to start agree."""
    if isinstance(init, str) and init not in KINDS:
        listed = ", ".join(f'"{name}"' for name in KINDS)
        raise InitError(f"init is {init!r}; choose one of {listed}, or a pair (core, factors)")
    given = warm_start is not None or not (init is None or isinstance(init, str))
    if given and n_starts is not None and n_starts > 1:
        raise OptionError(
            f"n_starts is {n_starts}, but init or warm_start give a single place to start from"
        )
    if warm_start is not None and init is not None:
        raise OptionError("init and warm_start both say where to start; give one of them")
