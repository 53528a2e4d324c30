"""Mean, effects of one mode, and interactions of pairs of modes, all elements of one sparse core.

The first column of every factor is constant one. A core element that is at the first column in all
modes is then the mean; one that joins the second column of a mode to ones is the effect of its
rows; and a diagonal joins the other columns of two modes, whatever the rest: what a factorization
machine has is this pattern. Which elements the core has is given, their weight is in the factors.
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.data.per_row import mean_of, sum_of_squares
from vest_tucker.fitting.noise.posterior import EXACT, Parts, Posterior, Target
from vest_tucker.fitting.noise.priors import LEAST_NOISE, Priors
from vest_tucker.fitting.noise.sweeping import sweep_often
from vest_tucker.fitting.noise.tucker import Tell
from vest_tucker.fitting.shards.entries import predict_entries

FIRST = 2  # columns before those of the pairs: ones, and the effects of the mode's rows
SPREAD = 0.1  # standard deviation of a start, relative to the size of an element
VARIANCE = 0.01  # its variance, relative to the square of that size
PRECISION = 10.0  # of the first priors, in the same unit
NOISE = 0.75  # of the variance of the values, at first
VAGUE = 1e-6  # precision of the prior of the mean: none to speak of
SWEEPS = 30
SWEEPS_OF_EFFECTS = 10  # without pairs, or from where a fit ended, there is little to settle


def effects_core(order: int, columns: tuple[int, ...], mean: float) -> Floats:
    """Return the core that joins so many columns of each mode in pairs.

    A mode of -1 columns has a constant alone: its one row has no effect of its own.

    Examples
    --------
    >>> effects_core(2, (1, 1), 3.5).tolist()
    [[3.5, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    core = np.zeros([FIRST + each for each in columns])
    core[(0,) * order] = mean
    for mode in range(order):
        if core.shape[mode] > 1:
            core[tuple(1 if n == mode else 0 for n in range(order))] = 1.0
    for one, other in combinations(range(order), 2):
        for j in range(min(columns[one], columns[other])):
            core[tuple(FIRST + j if n in (one, other) else 0 for n in range(order))] = 1.0
    return core


def start_effects(target: Target, columns: tuple[int, ...], rng: np.random.Generator) -> Posterior:
    """Return a start with so many columns for pairs in each mode."""
    values, weights = target.values, target.X.weights
    mean = mean_of(values, weights)
    least = EXACT**2 * target.square  # what equal values leave is rounding
    variance = max(mean_of((values - mean) ** 2, weights), least)
    noise = variance * target.noise / target.square  # of an entry of weight 1
    size = variance**0.25  # of an element whose product with another has the values' deviation
    core = effects_core(target.X.order, columns, mean)
    factors, squares, precision = [], [], []
    for mode, dim in enumerate(target.X.shape):
        rank = FIRST + columns[mode]
        factor = SPREAD * size * rng.standard_normal((dim, rank))
        factor[:, 0], factor[:, 1:FIRST] = 1.0, 0.0
        factors.append(factor)
        squares.append(np.full(rank, size**2))
        prior = np.full(rank, PRECISION / size**2)
        prior[1:FIRST] = PRECISION / variance
        precision.append(prior)
    priors = Priors([np.array([VAGUE / variance]), *precision], NOISE * noise, LEAST_NOISE * noise)
    return _posterior(target, core, factors, squares, variance, priors)


def resume_effects(target: Target, core: Floats, factors: list[Floats]) -> Posterior:
    """Return a start where another fit ended: its columns may have any scale.

    What joins what is given by the core, and stays. The noise is what the entries show.
    """
    predicted = predict_entries(core, factors, target.X.coords, threads=target.threads)
    left = sum_of_squares(target.values - predicted, target.X.weights) / target.X.nnz
    noise = max(left, LEAST_NOISE * target.noise)
    squares = [np.einsum("ij,ij->j", factor, factor) / len(factor) for factor in factors]
    squares = [np.where(each > 0.0, each, 1.0) for each in squares]
    precision = [1.0 / each for each in squares]
    vague = VAGUE / target.square
    priors = Priors([np.array([vague]), *precision], noise, LEAST_NOISE * target.noise)
    return _posterior(target, core, factors, squares, target.square, priors)


def _posterior(
    target: Target,
    core: Floats,
    factors: list[Floats],
    squares: list[Floats],
    variance: float,
    priors: Priors,
) -> Posterior:
    """Return a start of which the first columns and the pattern of the core are fixed.

    ``squares`` are the squared sizes of the elements of each column, ``variance`` that of values.
    """
    variances = [
        np.tile(VARIANCE * square, (len(factor), 1))
        for factor, square in zip(factors, squares, strict=True)
    ]
    parts = constant_parts(core, factors, variances, variance / target.X.nnz)
    return Posterior(target, parts, priors)


def constant_parts(
    core: Floats, factors: list[Floats], variances: list[Floats], of_mean: float
) -> Parts:
    """Return parts of which the first columns and the pattern of the core are fixed.

    ``variances`` are those of the factors, ``of_mean`` that of the mean.
    """
    in_core = np.zeros(core.shape)
    fixed, zero = {0: core != 0.0}, {0: core == 0.0}
    top = (0,) * core.ndim
    fixed[0][top], zero[0][top] = False, False
    in_core[top] = of_mean
    for part, factor in enumerate(factors, start=1):
        variances[part - 1][:, 0] = 0.0
        mask = np.zeros(factor.shape, dtype=bool)
        mask[:, 0] = True
        fixed[part] = mask
    return Parts([core, *factors], [in_core, *variances], fixed, zero, constant=True)


def fit_effects(posterior: Posterior, tell: Tell, *, again: bool = False) -> Posterior:
    """Fit with priors that follow from the first sweep on."""
    pairs = max(posterior.parts.ranks) > FIRST
    count = SWEEPS if pairs and not again else SWEEPS_OF_EFFECTS
    sweep_often(posterior, count, tell, learn_from=0)
    return posterior


def shares_by_order(parts: Parts, target: Target) -> list[float]:
    """Return the share of what is explained by effects of one mode, by pairs, and so on.

    Each order gets what the squared error falls by when it joins those before.
    """
    present = np.argwhere(parts.core != 0.0)
    orders = np.count_nonzero(present, axis=1)
    errors = []
    for order in range(int(orders.max(initial=0)) + 1):
        core = np.zeros_like(parts.core)
        at = tuple(present[orders <= order].T)
        core[at] = parts.core[at]
        predicted = predict_entries(core, parts.factors, target.X.coords, threads=target.threads)
        errors.append(sum_of_squares(target.values - predicted, target.X.weights))
    explained = errors[0] - errors[-1]
    falls = [before - after for before, after in pairwise(errors)]
    return [fall / explained if explained > 0.0 else 0.0 for fall in falls]
