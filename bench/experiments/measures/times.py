"""Test error over seconds: ours beside those who can be looked at while they fit.

All run in turns with the same threads; the clock stands still while predictions are made.
"""

from __future__ import annotations

from collections.abc import Iterator

from experiments.harness.job import Job
from experiments.measures.systems import job
from experiments.sets.tensors import SETS

WHO = ("vest-tucker", "vest-lf-auto", "myfm", "smurff", "surprise-svd", "genten-gcp")
TENSORS = ("ML_small", "ratings 1M")


def jobs(whole: bool) -> Iterator[Job]:
    """Yield the curves; the million ratings once, unless everything is wanted."""
    for seed in range(3):
        for tensor in TENSORS:
            large = tensor != "ML_small"
            if not SETS[tensor].is_here or (large and seed and not whole):
                continue
            for name in WHO:
                limit = 900.0 if whole else 100.0
                yield job(name, tensor, seed, limit=limit, curve=True)
