"""Every system on small dense tensors, made as the paper made Yelp-s and AmazonFood-s.

Run r fits nine tenths of the entries, split and started by seed r. The paper's manual version runs
at several targets, so that it can be held against any system at that system's own sparsity.
"""

from __future__ import annotations

from collections.abc import Iterator

from experiments.harness.job import Job
from experiments.measures.systems import job
from experiments.sets.tensors import FOLDERS, SETS
from peers import SYSTEMS

QUICK = ("ML-s", "ML-s, 1 %", "MT-s", *(f"{name}-s" for name in FOLDERS), "planted-s")
ALL = (*QUICK, "planted-s, 50 %", "planted-s, 80 %")
RUNS = 5
TARGETS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
LIMIT = 180.0  # seconds for one run, loading included


def jobs(whole: bool) -> Iterator[Job]:
    """Yield five runs of every system on every tensor, and the manual version at all targets."""
    for seed in range(RUNS):
        for tensor in ALL if whole else QUICK:
            if not SETS[tensor].is_here:
                continue
            for name in SYSTEMS:
                yield job(name, tensor, seed, limit=LIMIT)
            for name in ("vest-lf-manual", "vest-l1-manual"):
                for target in TARGETS:
                    settings = {"sparsity": target}
                    yield job(name, tensor, seed, limit=LIMIT, settings=settings)
