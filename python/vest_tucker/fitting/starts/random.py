"""The start of the paper: uniform random numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vest_tucker.base.options import generator
from vest_tucker.base.types import Floats
from vest_tucker.fitting.penalty import mean_square_unit
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.starts.start import Start, StartKind, several


def random_start(
    shape: tuple[int, ...], ranks: tuple[int, ...], seed: int | np.random.Generator | None
) -> tuple[Floats, list[Floats]]:
    """Line 1 of Algorithm 1: uniform on [0, 1), the factors in mode order, then the core."""
    rng = generator(seed)
    factors = [rng.random((dim, rank)) for dim, rank in zip(shape, ranks, strict=True)]
    return rng.random(ranks), factors


def make(problem: Problem, rng: np.random.Generator) -> Start:
    """Draw a start for a problem."""
    return Start(*random_start(problem.X.shape, problem.ranks, rng))


def starts(problem: Problem, rng: np.random.Generator, core_turns: int) -> Iterator[Start]:
    """Draw as many as are asked for."""
    return several(lambda: make(problem, rng), problem.options.n_starts)


KIND = StartKind(
    name="random",
    make=make,
    starts=starts,
    lam_unit=lambda problem, seed: mean_square_unit(problem),
    first_sweeps=15,
    sweeps=5,
    is_searched=False,  # it takes too many iterations before such a fit can be judged
)
