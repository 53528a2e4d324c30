"""The start of the paper: uniform random numbers, of the size of the data where signs are given."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from vest_tucker.base.options import generator
from vest_tucker.base.types import Floats
from vest_tucker.data.per_row import dot, sum_of_squares
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.penalty import mean_square_unit
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.shards.entries import predict_entries
from vest_tucker.fitting.starts.start import Start, StartKind, several

LEAST_LIKENESS = 0.1  # cosine between values and random predictions, at least


def random_start(
    shape: tuple[int, ...], ranks: tuple[int, ...], seed: int | np.random.Generator | None
) -> tuple[Floats, list[Floats]]:
    """Line 1 of Algorithm 1: uniform on [0, 1), the factors in mode order, then the core."""
    rng = generator(seed)
    factors = [rng.random((dim, rank)) for dim, rank in zip(shape, ranks, strict=True)]
    return rng.random(ranks), factors


def scale_to_values(
    core: Floats,
    factors: Sequence[Floats],
    X: SparseTensor,
    values: Floats,
    *,
    fixed: Collection[int] = (),
    threads: int = 0,
) -> None:
    """Scale parts, in place, so that their predictions come as near to the values as a scale can.

    A sum of positive numbers predicts far more than most values. Updates then take one column after
    the other down, those that may not be negative to zero in every row, until what the last ones
    predict is small enough. Such a column is lost: the core drops what meets it, and from zero
    beside zero nothing grows. From predictions of the right size all columns have a part in it.
    The parts share the scale, but for those that are ``fixed``.

    Examples
    --------
    >>> X = SparseTensor([[0, 0], [1, 1]], [8.0, 8.0])
    >>> core, factors = np.ones((1, 1)), [np.ones((2, 1)), np.ones((2, 1))]
    >>> scale_to_values(core, factors, X, X.values)
    >>> core.tolist(), factors[0].tolist()
    ([[2.0]], [[2.0], [2.0]])
    """
    free = [part for n, part in enumerate((core, *factors)) if n not in fixed]
    largest = float(np.abs(values).max())
    predicted = predict_entries(core, factors, X.coords, threads=threads)
    weighted = predicted if X.weights is None else X.weights * predicted
    own = dot(weighted, predicted)
    if not free or largest == 0.0 or not own > 0.0:
        return
    wanted = values / largest  # squares of these have no end in sight
    both = dot(weighted, wanted)
    theirs = sum_of_squares(wanted, X.weights)
    # Around an offset, values of both signs hardly resemble positive predictions.
    scale = largest * max(both / own, LEAST_LIKENESS * float(np.sqrt(theirs / own)))
    for part in free:
        part *= scale ** (1.0 / len(free))


def sized_start(problem: Problem, rng: np.random.Generator) -> tuple[Floats, list[Floats]]:
    """Draw a start; where elements must not be negative, one of the size of the values."""
    core, factors = random_start(problem.X.shape, problem.ranks, rng)
    constraints = problem.constraints
    if constraints.nonnegative and not problem.nothing_left:
        constraints.impose_on(core, factors)
        scale_to_values(
            core, factors, problem.X, problem.deviations,
            fixed=constraints.fixed, threads=problem.options.threads,
        )  # fmt: skip
    return core, factors


def make(problem: Problem, rng: np.random.Generator) -> Start:
    """Draw a start for a problem."""
    return Start(*sized_start(problem, rng))


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
