"""The start for ratings: the two longest modes as the factors of a matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.base.options import penalty_kind
from vest_tucker.base.parts import CORE
from vest_tucker.base.parts import factor as factor_of
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.penalty import mean_square_unit, noise_unit
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.schedule import Schedule
from vest_tucker.fitting.starts.start import Start, StartKind, several

SETTLE = 15  # iterations that update the two factors alone, before anything else changes
SIZE = 0.3  # standard deviation of the elements drawn; from 0.1 to 1 makes no difference
CORE_TURNS = 4


def pairs_start(
    shape: tuple[int, ...],
    ranks: tuple[int, ...],
    rng: np.random.Generator,
    *,
    core_turns: int = 0,
    nonnegative: Iterable[int] = (),
) -> Start:
    """Start with the two longest modes as the factors of a matrix, the other modes constant.

    In ratings it is users and movies that meet; when, matters little beyond what an offset
    holds. Five parts that all pay a penalty draw weak components to zero, two of them do not: so
    only these two are fitted first, the core being a diagonal and the other factors one column of
    ones. After that the core may have a few turns, which let components mix.

    Examples
    --------
    >>> start = pairs_start((50, 3, 40), (2, 2, 2), np.random.default_rng(0))
    >>> start.schedule.modes, start.core[:, 0, :].tolist(), start.factors[1].tolist()
    ((0, 2), [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    """
    pair = longest_pair(shape)
    factors = [SIZE * rng.standard_normal(size) for size in zip(shape, ranks, strict=True)]
    zero, kept = {}, {}
    for mode, factor in enumerate(factors):
        if mode in pair:
            if factor_of(mode) in nonnegative:
                np.abs(factor, out=factor)
            continue
        factor[:] = 0.0
        factor[:, 0] = 1.0
        zero[factor_of(mode)], kept[factor_of(mode)] = factor == 0.0, factor != 0.0
    core = np.zeros(ranks)
    first, second = (ranks[mode] for mode in pair)
    for j in range(max(first, second)):
        core[_at(pair, j % first, j % second, len(shape))] = 1.0
    zero[CORE], kept[CORE] = core == 0.0, core != 0.0
    schedule = Schedule(pair, SETTLE, 0, Constraints(zero=zero, kept=kept))
    start = Start(core, factors, "pairs", schedule)
    return with_core_turns(start, core_turns) if core_turns else start


def with_core_turns(start: Start, core_turns: int) -> Start:
    """Return a copy of a start from pairs whose core is free where the pair meets, for a while."""
    schedule = start.schedule
    met = np.zeros(start.core.shape, dtype=bool)
    met[tuple(slice(None) if schedule.updates_factor(n) else 0 for n in range(met.ndim))] = True
    held = schedule.constraints
    kept = {part: mask for part, mask in held.kept.items() if part != CORE}
    constraints = replace(held, zero=held.zero | {CORE: ~met}, kept=kept)
    schedule = replace(schedule, core_turns=core_turns, constraints=constraints)
    return replace(start.copy(), schedule=schedule)


def longest_pair(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the two modes of most rows, in order."""
    first, second = sorted(np.argsort(shape, kind="stable")[-2:].tolist())
    return first, second


def _at(pair: tuple[int, int], j: int, k: int, order: int) -> tuple[int, ...]:
    return tuple(j if mode == pair[0] else k if mode == pair[1] else 0 for mode in range(order))


def make(problem: Problem, rng: np.random.Generator, core_turns: int = 0) -> Start:
    """Draw a start for a problem whose constraints leave all elements free."""
    constraints = problem.constraints
    if not allows(constraints):
        raise OptionError(
            'init="pairs" sets the core and all but two factors itself; with support=, keep= '
            'or fixed= choose init="random" or "data"'
        )
    return pairs_start(
        problem.X.shape, problem.ranks, rng,
        core_turns=core_turns, nonnegative=constraints.nonnegative,
    )  # fmt: skip


def allows(constraints: Constraints) -> bool:
    """Tell whether the constraints leave the elements to this start."""
    return not constraints.names_elements


def starts(problem: Problem, rng: np.random.Generator, core_turns: int) -> Iterator[Start]:
    """Draw as many as are asked for."""
    return several(lambda: make(problem, rng, core_turns), problem.options.n_starts)


def lam_unit(problem: Problem, seed: int) -> float:
    """Return the lam at which noise just vanishes; for "l1", the mean square of the values."""
    if penalty_kind(problem.options.penalty).power != 2:
        return mean_square_unit(problem)
    return noise_unit(problem, longest_pair(problem.X.shape), np.random.default_rng(seed))


KIND = StartKind(
    name="pairs",
    make=make,
    starts=starts,
    lam_unit=lam_unit,
    grid=(0.21, 0.262, 0.328, 0.41, 0.512, 0.64, 0.8),
    first_sweeps=6,
    sweeps=3,
    is_searched=True,
    core_turns=(0, CORE_TURNS),
    with_core_turns=lambda start, turns: with_core_turns(start, turns) if turns else start.copy(),
    allows=allows,
)
