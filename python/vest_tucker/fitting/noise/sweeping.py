"""So many sweeps of a fit, which a checkpoint may interrupt between any two."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from vest_tucker.fitting.checkpoint.packing import stored
from vest_tucker.fitting.checkpoint.record import loop
from vest_tucker.fitting.noise.posterior import Posterior


@stored
@dataclass
class Sweeping:
    """Where they stand."""

    posterior: Posterior
    done: int = 0


def sweep_often(
    posterior: Posterior,
    count: int,
    tell: Callable[[Posterior], None],
    *,
    learn_from: float = math.inf,
) -> None:
    """Sweep so many times; from the one with this number on, from 0, the priors follow."""
    with loop("sweeps", posterior.target) as here:
        at = here.state or Sweeping(posterior)
        posterior.become(at.posterior)
        at.posterior = posterior
        while at.done < count:
            posterior.sweep(learn=at.done >= learn_from)
            tell(posterior)
            at.done += 1
            here.reached(at)
