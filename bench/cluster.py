"""What a cluster costs beside threads: the same entries, the same number of processors.

    python bench/cluster.py --entries 18000000

Prints seconds per iteration of `vt.fit` with two threads and of `vest_tucker.dask.fit` on two
workers of one thread, with the settings of `vest_tucker.dask.SETTINGS` and with those that Dask has
by itself: the median of the iterations after the first, the ratio, and whether the models have the
same bytes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import vest_tucker as vt

SHAPE = (138_493, 26_744, 21, 24)  # users, films, years and hours of MovieLens-20M


def write(folder: Path, entries: int, files: int) -> None:
    """Write random ratings as Parquet files."""
    import pandas as pd

    rng = np.random.default_rng(0)
    for number in range(files):
        count = entries // files
        user, film = (
            (dim * rng.random(count) ** power).astype(np.int32)
            for dim, power in zip(SHAPE, (1.5, 3.0), strict=False)
        )
        year, hour = (rng.integers(0, dim, count, dtype=np.int32) for dim in SHAPE[2:])
        rating = np.round(2.0 * rng.random(count) + 2.5 + np.sin(user % 7) * np.cos(film % 5))
        columns = {"user": user, "film": film, "year": year, "hour": hour, "rating": rating}
        frame = pd.DataFrame(columns).drop_duplicates(["user", "film", "year", "hour"])
        frame.to_parquet(folder / f"{number:03}.parquet")


def seconds(model: vt.TuckerModel) -> float:
    """Return what an iteration takes."""
    return float(np.median([each.seconds for each in model.history[1:]]))


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=18_000_000)
    parser.add_argument("--iterations", type=int, default=12)
    parser.add_argument("--shards", type=int)
    asked = parser.parse_args()
    from distributed import Client, LocalCluster

    import vest_tucker.dask as vtd

    options: dict[str, Any] = {
        "ranks": (6, 6, 2, 2), "preset": "paper", "lam": 0.01, "sparsity": 0.0, "seed": 0,
        "max_iter": asked.iterations, "tol": None,
    }  # fmt: skip
    how: dict[str, Any] = {
        "modes": ["user", "film", "year", "hour"], "value": "rating", "duplicates": "mean",
    }  # fmt: skip
    import dask

    there = {}
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), asked.entries, 20)
        local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        for name, settings in (("Dask's settings", {}), ("SETTINGS", vtd.SETTINGS)):
            with dask.config.set(settings), LocalCluster(**local) as cluster, Client(cluster):
                X = vtd.read(f"{folder}/*.parquet", **how)
                there[name] = vtd.fit(X, shards=asked.shards, **options)
                tensor = X.to_local()
    here = vt.fit(tensor, threads=2, **options)
    sys.stdout.write(f"{tensor.nnz:,} entries: {seconds(here):.3f} s with two threads\n")
    for name, model in there.items():
        same = all(
            a.tobytes() == b.tobytes()
            for a, b in zip((here.core, *here.factors), (model.core, *model.factors), strict=True)
        )
        ratio = seconds(model) / seconds(here)
        told = f"{seconds(model):.3f} s on two workers, {ratio:.2f} times"
        sys.stdout.write(f"{name}: {told}; same bytes: {same}\n")


if __name__ == "__main__":
    main()
