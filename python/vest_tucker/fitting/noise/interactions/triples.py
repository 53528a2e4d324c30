"""Interactions of three modes, added to a fit of mean, effects and pairs.

Further columns of three modes are joined by a diagonal, whatever the rest; they have priors of
their own, so what the entries do not support shrinks to nothing. The fit of the pairs goes on from
where it ended: what triples explain is what pairs leave.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.fitting.noise.interactions.effects import FIRST, constant_parts
from vest_tucker.fitting.noise.posterior import Posterior
from vest_tucker.fitting.noise.priors import Priors
from vest_tucker.fitting.noise.sweeping import sweep_often
from vest_tucker.fitting.noise.tucker import Tell

COLUMNS = 4  # of the triples of each mode
LARGE = 2.0  # of the square of an element at first: from small ones a product does not grow
VARIANCE = 0.1  # of an element at first, relative to that square
BURN_IN = 8  # sweeps before priors follow: what joins what takes time to be found
SWEEPS = 15


def may_have_triples(shape: tuple[int, ...]) -> bool:
    """Whether three modes have rows enough to interact.

    Examples
    --------
    >>> may_have_triples((50, 40, 1)), may_have_triples((50, 40, 7))
    (False, True)
    """
    return sum(dim > FIRST for dim in shape) >= 3


def with_triples(
    posterior: Posterior, most: tuple[int, ...] | None, rng: np.random.Generator
) -> Posterior:
    """Return a fit that goes on from another one, with columns for triples behind its own.

    ``most`` is how many columns each mode may have, if that is limited.
    """
    target, parts, before = posterior.target, posterior.parts, posterior.priors
    order, shape = target.X.order, target.X.shape
    more = [COLUMNS if dim > FIRST else 0 for dim in shape]
    if most is not None:
        more = [min(each, limit) for each, limit in zip(more, most, strict=True)]
    core = np.zeros([rank + each for rank, each in zip(parts.ranks, more, strict=True)])
    core[tuple(map(slice, parts.ranks))] = parts.core
    for modes in combinations(range(order), 3):
        for j in range(min(more[mode] for mode in modes)):
            at = [parts.ranks[mode] + j if mode in modes else 0 for mode in range(order)]
            core[tuple(at)] = 1.0
    # Of elements whose product with two others has the deviation of what is left to explain.
    square = LARGE * (before.noise * target.square / target.noise) ** (1.0 / 3.0)
    factors, variances, precision = [], [], [before.precision[0].copy()]
    for mode, own in enumerate(more):
        new = square**0.5 * rng.standard_normal((shape[mode], own))
        factors.append(np.hstack([parts.factors[mode], new]))
        unsure: Floats = np.full(new.shape, VARIANCE * square)
        variances.append(np.hstack([parts.variances[mode + 1], unsure]))
        prior = np.full(own, 1.0 / square)
        precision.append(np.concatenate([before.precision[mode + 1], prior]))
    all_parts = constant_parts(core, factors, variances, float(parts.variances[0].max()))
    return Posterior(target, all_parts, Priors(precision, before.noise, before.floor, before.taken))


def fit_triples(posterior: Posterior, tell: Tell) -> Posterior:
    """Fit with priors that follow after some sweeps."""
    sweep_often(posterior, SWEEPS, tell, learn_from=BURN_IN)
    return posterior
