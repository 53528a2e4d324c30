"""A plain Tucker model with variances: burnt in, and reduced to the ranks that the data support.

A random start first fits as if there were little noise, so that weak components are found at all.
Then the priors follow the fit: in a basis of uncorrelated components, those that the data do not
support shrink to nothing and are dropped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.data.per_row import total
from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.checkpoint.record import loop
from vest_tucker.fitting.noise.bases import (
    balance,
    chosen_components,
    explained,
    make_canonical,
    without_dead,
)
from vest_tucker.fitting.noise.posterior import Parts, Posterior, Target, first_variances
from vest_tucker.fitting.noise.priors import Priors
from vest_tucker.fitting.shards.entries import predict_entries
from vest_tucker.fitting.starts.random import random_start, scale_to_values

BURN_IN = 12  # sweeps before priors and noise follow the fit
LEARNING = 30  # sweeps after that, at most
UNTURNED = 150  # the same where no basis may be changed, which is what makes sweeps few
LOOK_EVERY = 4  # sweeps between looks for dead components
SETTLED = 1e-4  # the fit has settled if its error falls by less than this share of it

TRIES = 20  # sweeps without a component, at most, to see whether it was needed
FEWEST_TRIES = 4
HOPELESS = 10.0  # sweeps that gain as much as the last one

Tell = Callable[[Posterior], None]
Veto = Callable[[Parts, Parts], bool]


def random_parts(
    target: Target, ranks: tuple[int, ...], rng: np.random.Generator, share: float
) -> Posterior:
    """Return a random start whose predictions have the size of the values.

    ``share`` is the noise that is assumed at first, as a share of the mean square of the values.
    """
    X, constraints = target.X, target.constraints
    core, factors = random_start(X.shape, ranks, rng)
    if constraints.nonnegative:
        constraints.impose_on(core, factors)
        scale_to_values(
            core, factors, X, target.values, fixed=constraints.fixed, threads=target.threads
        )
        return started(target, [core, *factors], share)
    for factor in factors:
        factor *= target.size  # in whatever unit the values are, the fit is the same
    predicted = predict_entries(core, factors, X.coords, threads=target.threads)
    core *= np.sqrt(target.square / max(total(predicted**2) / X.nnz, 1e-300))
    return started(target, [core, *factors], share)


def started(target: Target, values: list[Floats], share: float) -> Posterior:
    """Return a fit that starts at these parts."""
    variances = first_variances(values, target.size)
    for part in target.constraints.fixed:
        variances[part][:] = 0.0
    priors = Priors.flat(values[0].shape, target.size**-2.0, share * target.noise, target.noise)
    return Posterior(target, Parts(values, variances), priors)


def sweep_turned(posterior: Posterior, modes: Sequence[int], *, learn: bool) -> None:
    """Update everything once, and turn it to a basis of uncorrelated components."""
    target = posterior.target
    posterior.sweep(learn=learn)
    if modes:
        make_canonical(posterior.parts, target.row_amounts, target.size, modes)
        if learn:
            balance(posterior.parts, modes)
        posterior.solver.values_changed()
        if learn:
            posterior.learn(noise=False)


@stored
@dataclass
class Settling:
    """Where a fit that settles stands: sweeps so far, and its error when it was last looked at."""

    posterior: Posterior
    done: int = 0
    before: float = math.inf
    over: bool = False


def fit_tucker(posterior: Posterior, tell: Tell, *, burn_in: int = BURN_IN) -> Posterior:
    """Fit until the error settles; return the fit, with the ranks that are left."""
    with loop("settling", posterior.target) as here:
        at = here.state or Settling(posterior)
        while not at.over:
            settle(at, burn_in, tell)
            here.reached(at)
    found: Posterior = at.posterior
    return found


def settle(at: Settling, burn_in: int, tell: Tell) -> None:
    """Sweep once; now and then, look whether components have died or all has settled."""
    posterior, target = at.posterior, at.posterior.target
    modes = target.constraints.turnable(target.X.order)
    t = at.done
    sweep_turned(posterior, modes, learn=t >= burn_in)
    tell(posterior)
    at.done += 1
    at.over = at.done == burn_in + (LEARNING if modes else UNTURNED)
    if t > burn_in and (t - burn_in) % LOOK_EVERY == 0:
        smaller = without_dead(posterior.parts, posterior.priors, target.row_amounts, modes)
        if smaller is not None:
            at.posterior, at.before = posterior.replaced(*smaller), math.inf
        elif at.before - posterior.error < SETTLED * posterior.error * LOOK_EVERY:
            at.over = True
        else:
            at.before = posterior.error


@stored
@dataclass
class Reducing:
    """Where ranks that are reduced stand, and of which modes every component is needed."""

    posterior: Posterior
    needed: set[int] = field(default_factory=set)
    smaller: bool = False
    over: bool = False


def reduce_ranks(posterior: Posterior, tell: Tell, veto: Veto | None = None) -> Posterior:
    """Drop components, the weakest first, as long as the evidence rises without them.

    A component that has settled on noise does not die by itself: it explains what it was fitted to.
    Without it the others do nearly as well, and its elements need not be paid for. ``veto`` may
    object to parts that take the place of others.
    """
    with loop("reducing", posterior.target, has_stages=True) as here:
        at = here.state or Reducing(posterior)
        while not at.over:
            try_without(at, tell, veto)
            here.reached(at)
    found: Posterior = at.posterior
    return fit_tucker(found, tell, burn_in=0) if at.smaller else found


def try_without(at: Reducing, tell: Tell, veto: Veto | None) -> None:
    """Do without the weakest component, unless that makes the fit worse."""
    posterior, target = at.posterior, at.posterior.target
    modes = target.constraints.turnable(target.X.order)
    worth = explained(posterior.parts, target.row_amounts)
    ranks = posterior.parts.ranks
    sizes = [target.X.shape[mode] + math.prod(ranks) // ranks[mode] for mode in modes]
    weak = [
        (worth[mode][-1] / size, mode)
        for mode, size in zip(modes, sizes, strict=True)
        if ranks[mode] > 1 and mode not in at.needed
    ]
    if not weak:
        at.over = True
        return
    _, mode = min(weak)
    smaller = _without_last(posterior, mode, modes, tell)
    if smaller is None:
        at.needed.add(mode)
    elif veto is not None and veto(posterior.parts, smaller.parts):
        smaller.rest()  # who is told of fits still has it
        at.needed.add(mode)
    else:
        at.posterior, at.needed, at.smaller = smaller, set(), True


@stored
@dataclass
class Trying:
    """Where a fit without a component stands: sweeps so far, its last cost, and the verdict."""

    posterior: Posterior
    done: int = 0
    before: float = math.inf
    is_better: bool | None = None


def _without_last(
    posterior: Posterior, mode: int, modes: Sequence[int], tell: Tell
) -> Posterior | None:
    """Return a fit without the last component of a mode; None if the evidence falls."""
    kept = [np.arange(rank - (n == mode)) for n, rank in enumerate(posterior.parts.ranks)]
    goal = posterior.cost
    with loop("without one", posterior.target) as here:
        at = here.state or Trying(
            posterior.replaced(*chosen_components(posterior.parts, posterior.priors, kept))
        )
        while at.is_better is None:
            sweep_turned(at.posterior, modes, learn=True)
            tell(at.posterior)
            at.done += 1
            cost = at.posterior.cost
            if at.done >= FEWEST_TRIES and cost < goal:
                at.is_better = True
            elif at.done == TRIES or (
                at.done >= FEWEST_TRIES and cost - goal > HOPELESS * (at.before - cost)
            ):
                at.is_better = False  # it will not get there
            at.before = cost
            here.reached(at)
    if at.is_better:
        better: Posterior = at.posterior
        return better
    at.posterior.rest()  # who is told of fits still has it
    return None
