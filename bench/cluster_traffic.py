"""What an iteration on a cluster sends, counted by the networks of its workers.

    PYTHONPATH=tests python bench/cluster_traffic.py

Needs root: each worker runs in a network namespace of its own (`tests/cluster.py`), and the cables
count bytes. Prints a line for each number of workers, with the formula of `cluster_model.py` beside
it, and writes `results/cluster-traffic.json`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np

from cluster_model import Fit, traffic

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
RANKS = (6, 6, 2, 2)
COUNTERS = Path("/sys/class/net")
RESULTS = Path(__file__).parent / "results" / "cluster-traffic.json"


def read(names: list[str]) -> dict[str, int]:
    """Return bytes that have gone into workers and out of them, and by the bridge from and to here.

    What the host sends into a cable is what its worker receives.
    """

    def count(name: str, what: str) -> int:
        return int((COUNTERS / name / "statistics" / f"{what}_bytes").read_text())

    return {
        "into workers": sum(count(name, "tx") for name in names),
        "out of workers": sum(count(name, "rx") for name in names),
        "to client": count("vest-bridge", "rx"),
        "from client": count("vest-bridge", "tx"),
    }


def frame(entries: int, shape: tuple[int, ...]) -> Any:
    """Return random ratings as a frame of Dask."""
    import dask.dataframe as dd
    import pandas as pd

    rng = np.random.default_rng(0)
    columns = {
        name: (dim * rng.random(entries) ** power).astype(np.int32)
        for name, dim, power in zip("abcd", shape, (1.5, 3.0, 1.0, 1.0), strict=True)
    }
    found = pd.DataFrame(columns).drop_duplicates()
    found["v"] = rng.random(len(found))
    return dd.from_pandas(found, npartitions=8, sort=False)


def measured(workers: int, ddf: Any, options: dict[str, Any]) -> tuple[Fit, dict[str, float], Any]:
    """Fit on so many workers; return what an iteration sends, the median, and its seconds."""
    import distributed

    import vest_tucker.dask as vtd
    from cluster import NETWORK, cluster

    with cluster(workers) as made, distributed.Client(f"tcp://{NETWORK}.1:8786") as client:
        client.wait_for_workers(workers, timeout=60)
        X = vtd.from_frame(ddf, list("abcd"), "v")
        names, seen = [each.here for each in made], []
        model = vtd.fit(
            X, RANKS, shards=workers, callback=lambda record: seen.append(read(names)), **options
        )
        fit = Fit(X.shape, RANKS, X.nnz, prunes=options["sparsity"] > 0.0)
    steps = list(itertools.pairwise(seen[1:]))
    found = {
        what: statistics.median(after[what] - before[what] for before, after in steps)
        for what in seen[0]
    }
    found["between"] = (
        found["into workers"] + found["out of workers"] - found["to client"] - found["from client"]
    ) / 2.0
    return fit, found, [record.seconds for record in model.history]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3])
    asked = parser.parse_args()
    ddf = frame(asked.entries, (138_493, 26_744, 21, 24))
    results = []
    for sparsity in (0.0, 0.5):
        options: dict[str, Any] = {
            "preset": "paper", "lam": 0.01, "sparsity": sparsity, "seed": 0, "max_iter": 6,
            "tol": None,
        }  # fmt: skip
        for workers in asked.workers:
            fit, found, seconds = measured(workers, ddf, options)
            want = traffic(fit, workers)
            row = {
                "workers": workers, "sparsity": sparsity, "shape": fit.shape, "ranks": fit.ranks,
                "nnz": fit.nnz, "seconds": seconds,
                "measured": {
                    "to_client": found["to client"], "from_client": found["from client"],
                    "between": found["between"],
                },
                "formula": vars(want),
            }  # fmt: skip
            results.append(row)
            told = ", ".join(
                f"{name} {row['measured'][name] / 1e6:.2f} MB (formula {value / 1e6:.2f})"
                for name, value in vars(want).items()
            )
            sys.stdout.write(f"{workers} workers, sparsity {sparsity}: {told}\n")
            sys.stdout.flush()
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
