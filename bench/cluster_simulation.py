"""How long an iteration takes on clusters that are not here, and what holds it up.

    python bench/cluster_simulation.py --measure   # of this machine, beside real fits: minutes
    python bench/cluster_simulation.py             # tables from these times

Task times, the serial work of the client, and what Dask needs for a round, a task and a byte are
measured here, and written to `results/cluster-times.json` with what the simulation says of fits
that were made here and what these took. Bandwidth and latency of a network are parameters.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from cluster_model import NUMBER, SLOTS, Fit, core_sums

TIMES = Path(__file__).parent / "results" / "cluster-times.json"
BRANCHES = 2  # workers that each holder of an array hands it on to at once, in Dask
SKEW = 1.05  # entries of the largest shard beside an even share
SHAPES = {10**9: (5_000_000, 500_000, 100, 24), 10**10: (50_000_000, 5_000_000, 100, 24)}
RANKS = (6, 6, 2, 2)


@dataclass(frozen=True)
class Times:
    """What was measured on one machine, in seconds.

    Attributes
    ----------
    entry : float
        All kernels of an iteration, for an entry, on one thread.
    shared : float
        How much longer that takes where as many threads as processors share the memory.
    element : float
        What the client does by itself for an element of a factor.
    core : float
        What the client does for a core of `RANKS`.
    round, task : float
        A round of tasks that do nothing, and what each task more adds to that.
    edge : float
        What the scheduler does for each result that a task needs.
    pair : float
        What fetching a small result from another worker takes, at both ends together.
    byte : float
        Dask's own work for a byte that is sent: packed, copied, unpacked.
    state : float
        What each task does for an element of the model that it is given.
    """

    entry: float
    shared: float
    element: float
    core: float
    round: float
    task: float
    edge: float
    pair: float
    byte: float
    state: float


@dataclass(frozen=True)
class Parts:
    """Seconds of an iteration, by what they are spent on."""

    kernels: float
    models: float
    dask: float
    client: float
    collecting: float
    sending: float

    @property
    def total(self) -> float:
        """Seconds of an iteration: the parts follow one another."""
        return sum(asdict(self).values())

    @property
    def limit(self) -> str:
        """What takes longest."""
        found = asdict(self)
        return max(found, key=lambda name: float(found[name]))


def simulated(
    fit: Fit, workers: int, times: Times, bandwidth: float, *, cores: float = math.inf
) -> Parts:
    """Return what an iteration takes on so many workers of one thread.

    ``bandwidth`` is in bytes a second, each way, of each machine; ``cores`` are the processors that
    all workers share, if they are on one machine.
    """
    per_byte = times.byte + 1.0 / bandwidth
    at_once = min(workers, cores)
    crowded = times.shared if math.isfinite(cores) and at_once > 1 else 1.0
    kernels = SKEW * fit.nnz / at_once * times.entry * crowded
    meetings, large = fit.staying(workers)
    dask = (fit.rounds + meetings) * (times.round + workers * times.task)
    dask += meetings * (workers - 1) * (workers * times.edge + times.pair)
    new = NUMBER * fit.numbers * fit.elements
    sums = NUMBER * SLOTS * core_sums(fit.ranks)
    # By way of the scheduler. Rows come while workers go on, as far as these have something to do.
    collecting = 2.0 * sums * per_byte + max(0.0, 2.0 * new * per_byte - kernels)
    own = NUMBER * fit.numbers * large
    sending = own * (workers - 1) / workers * per_byte  # each worker has what the others have
    told = NUMBER * fit.numbers * (fit.large - large)
    if fit.prunes:
        told += (NUMBER * fit.numbers + 1) * fit.large
    sending += told * per_byte * (2 + steps(workers))
    models = fit.rounds * fit.elements * times.state * workers / at_once
    client = times.core + times.element * fit.elements
    return Parts(kernels, models, dask, client, collecting, sending)


def steps(workers: int) -> int:
    """Return how many times an array of the client is sent one after the other until all have it.

    Examples
    --------
    >>> [steps(workers) for workers in (1, 2, 3, 16, 256)]
    [0, 1, 2, 5, 11]
    """
    holders, count = 1, 0
    while holders < workers:
        fresh = min(workers - holders, BRANCHES * holders)
        count += -(-fresh // holders)  # each holder sends one after the other
        holders += fresh
    return count


def alone(fit: Fit, times: Times) -> float:
    """Return what an iteration takes on one thread of one machine, if that had the memory."""
    return fit.nnz * times.entry + times.core + times.element * fit.elements


def rows(times: Times, gbits: float) -> Iterator[str]:
    """Yield the lines of a table."""
    head = (
        "entries",
        "workers",
        f"s/iteration at {gbits:g} Gbit/s",
        "efficiency",
        "limit",
        "share",
    )
    yield f"| {' | '.join(head)} |"
    yield "|---|---|---|---|---|---|"
    for nnz, shape in SHAPES.items():
        fit = Fit(shape, RANKS, nnz)
        for workers in (16, 64, 256):
            found = simulated(fit, workers, times, gbits * 1e9 / 8)
            efficiency = alone(fit, times) / workers / found.total
            share = asdict(found)[found.limit] / found.total
            yield (
                f"| 10^{round(math.log10(nnz))} | {workers} | {found.total:.1f} | "
                f"{100 * efficiency:.0f} % | {found.limit} | {100 * share:.0f} % |"
            )


def main() -> None:
    """Measure, if that is asked for, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--gbits", type=float, nargs="+", default=[10.0, 25.0])
    parser.add_argument("--entries", type=int, default=3_000_000)
    asked = parser.parse_args()
    if asked.measure:
        from cluster_times import measure

        measure(TIMES, asked.entries)
    stored = json.loads(TIMES.read_text())
    times = Times(**stored["times"])
    for each in stored["fits"]:
        fit = Fit(tuple(each["shape"]), RANKS, each["nnz"])
        found = simulated(fit, each["workers"], times, math.inf, cores=stored["cores"])
        off = found.total / each["seconds"] - 1.0
        sys.stdout.write(
            f"{each['workers']} workers here: {each['seconds']:.2f} s per iteration, simulated "
            f"{found.total:.2f} s ({100 * off:+.0f} %)\n"
        )
    for gbits in asked.gbits:
        sys.stdout.write("\n" + "\n".join(rows(times, gbits)) + "\n")


if __name__ == "__main__":
    main()
