"""A plain Tucker model with variances: burnt in, and reduced to the ranks that the data support.

A random start first fits as if there were little noise, so that weak components are found at all.
Then the priors follow the fit: in a basis of uncorrelated components, those that the data do not
support shrink to nothing and are dropped.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vest_tucker import _core
from vest_tucker.base.types import Floats
from vest_tucker.fitting.noise.bases import make_canonical, without_dead
from vest_tucker.fitting.noise.posterior import Parts, Posterior, Target, first_variances
from vest_tucker.fitting.noise.priors import Priors
from vest_tucker.fitting.starts.random import random_start

BURN_IN = 12  # sweeps before priors and noise follow the fit
LEARNING = 30  # sweeps after that, at most
LOOK_EVERY = 4  # sweeps between looks for dead components
SETTLED = 1e-4  # the fit has settled if its error falls by less than this share of it

Tell = Callable[[Posterior], None]


def random_parts(
    target: Target, ranks: tuple[int, ...], rng: np.random.Generator, share: float
) -> Posterior:
    """Return a random start whose predictions have the size of the values.

    ``share`` is the noise that is assumed at first, as a share of the mean square of the values.
    """
    core, factors = random_start(target.X.shape, ranks, rng)
    for factor in factors:
        factor *= target.size  # in whatever unit the values are, the fit is the same
    predicted = _core.predict(core, factors, target.X.coords, threads=target.threads)
    core *= np.sqrt(target.square / max(float(np.mean(predicted**2)), 1e-300))
    return started(target, [core, *factors], share)


def started(target: Target, values: list[Floats], share: float) -> Posterior:
    """Return a fit that starts at these parts."""
    variances = first_variances(values, target.size)
    for part in target.constraints.fixed:
        variances[part][:] = 0.0
    priors = Priors.flat(values[0].shape, target.size**-2.0, share * target.noise, target.noise)
    return Posterior(target, Parts(values, variances), priors)


def fit_tucker(posterior: Posterior, tell: Tell, *, burn_in: int = BURN_IN) -> Posterior:
    """Fit until the error settles; return the fit, with the ranks that are left."""
    target = posterior.target
    modes = target.constraints.turnable(target.X.order)
    before = np.inf
    for t in range(burn_in + LEARNING):
        posterior.sweep(learn=t >= burn_in)
        tell(posterior)
        if modes:
            make_canonical(posterior.parts, target.row_amounts, target.size, modes)
            posterior.solver.values_changed()
        if t > burn_in and (t - burn_in) % LOOK_EVERY == 0:
            smaller = without_dead(posterior.parts, posterior.priors, target.row_amounts, modes)
            if smaller is not None:
                posterior = posterior.replaced(*smaller)
                before = np.inf
                continue
            if before - posterior.error < SETTLED * posterior.error * LOOK_EVERY:
                break
            before = posterior.error
    return posterior
