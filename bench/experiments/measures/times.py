"""Test error over seconds: ours beside those who can be looked at while they fit.

All run in turns with the same threads; the clock stands still while predictions are made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from experiments.harness.job import LONG_TURN, Job
from experiments.measures.systems import job
from experiments.sets.tensors import SETS

WHO = ("vest-tucker", "vest-lf-auto", "myfm", "smurff", "surprise-svd", "genten-gcp")
TENSORS = ("ML_small", "ratings 100k", "ratings 1M")


def jobs(whole: bool) -> Iterator[Job]:
    """Yield the curves; made-up ratings once, unless everything is wanted."""
    for seed in range(3):
        for tensor in TENSORS:
            if not SETS[tensor].is_here or (tensor != "ML_small" and seed and not whole):
                continue
            limit = 1800.0 if whole else 180.0
            for name in WHO:
                one = job(name, tensor, seed, limit=limit, curve=True)
                yield replace(one, turn=LONG_TURN if tensor == "ratings 1M" else 2 * seed)
