"""Error against sparsity on the large sets, with targets and where the automatic versions end.

And every other system on the same splits: its error, and how many numbers it keeps.
"""

from __future__ import annotations

from collections.abc import Iterator

from experiments.harness.job import Job
from experiments.measures.systems import job
from experiments.sets.tensors import SETS
from peers import SYSTEMS

TENSORS = ("ML_small", "MovieTweetings")
PLANTED = "ratings 100k"
TARGETS = (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95)
PLAIN = (0.0, 0.4, 0.6, 0.8, 0.9)
SWEPT = ("vest-lf-manual", "vest-l1-manual")
# The manual versions are at their targets, and those that need all cells cannot be here.
ELSEWHERE = {*SWEPT, "ttp", "sparse-cp", "tensorly-masked"}


def jobs(whole: bool) -> Iterator[Job]:
    """Yield all targets and all systems; the larger tensors with fewer seeds."""
    for seed in range(5 if whole else 3):
        for tensor in (*TENSORS, PLANTED):
            large = tensor != "ML_small"
            if not SETS[tensor].is_here or (large and seed and not whole):
                continue
            limit = 600.0 if whole else 90.0 if large else 60.0
            for name in SYSTEMS:
                if name not in ELSEWHERE:
                    yield job(name, tensor, seed, limit=limit)
            for name in SWEPT:
                for target in TARGETS:
                    yield job(name, tensor, seed, limit=limit, settings={"sparsity": target})
            for target in PLAIN:
                yield job("vest-tucker", tensor, seed, limit=limit, settings={"sparsity": target})
