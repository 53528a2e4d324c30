"""Error against sparsity on the large sets, with targets and where the automatic versions end.

And every other system on the same splits: its error, and how many numbers it keeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from experiments.harness.job import SLOW_TURN, Job
from experiments.measures.systems import job
from experiments.sets.tensors import SETS
from peers import SYSTEMS

TARGETS = (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95)
PLAIN = (0.0, 0.4, 0.6, 0.8, 0.9)
SWEPT = ("vest-lf-manual", "vest-l1-manual")
# The manual versions are at their targets, and those that need all cells cannot be here.
ELSEWHERE = {*SWEPT, "ttp", "sparse-cp", "tensorly-masked"}
# Minutes each on the larger tensors: they are left to a full run, and on the smaller to one seed.
SLOW = {"tucker-als", "pyttb-gcp", "boosting", "smurff-spike-and-slab"}


def tensors(whole: bool) -> tuple[str, ...]:
    """Return which tensors are taken: the made-up one where there is no other, or all."""
    real = ("ML_small", "MovieTweetings")
    here = tuple(name for name in real if SETS[name].is_here)
    return (*here, "ratings 100k") if whole or not here else here


def jobs(whole: bool) -> Iterator[Job]:
    """Yield all targets and all systems; the larger tensors with fewer seeds."""
    for seed in range(5 if whole else 3):
        for tensor in tensors(whole):
            large = tensor != "ML_small"
            if large and seed and not whole:
                continue
            left_out = SLOW if (large or seed) and not whole else set()
            limit = 900.0 if whole else 180.0
            for name in SYSTEMS:
                if name not in ELSEWHERE | left_out:
                    one = job(name, tensor, seed, limit=limit)
                    yield replace(one, turn=SLOW_TURN) if name in SLOW and not whole else one
            for name in SWEPT:
                for target in TARGETS:
                    yield job(name, tensor, seed, limit=limit, settings={"sparsity": target})
            for target in PLAIN:
                yield job("vest-tucker", tensor, seed, limit=limit, settings={"sparsity": target})
