"""A cluster of commands, each worker in a network of its own: workers are killed, networks cut.

    python tests/cluster.py --kills 20 --cuts 10

Needs root, for it makes network namespaces. Each fit loses a worker, or its network, at a random
moment; it must end, with the bytes of a fit on one machine. Prints a line for each.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import vest_tucker as vt
from fingerprints import numbers_of

NETWORK = "10.77.0"
BRIDGE = "vest-bridge"
OPTIONS: dict[str, Any] = {
    "ranks": 2, "preset": "paper", "lam": 0.01, "sparsity": 0.4, "max_iter": 60, "tol": None,
    "seed": 0,
}  # fmt: skip


def run(*words: str) -> None:
    """Run a command that must succeed."""
    subprocess.run(words, check=True, capture_output=True)


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Worker:
    """A worker in a network namespace, joined to the bridge by a cable that can be cut."""

    def __init__(self, number: int) -> None:
        self.space, self.here, self.there = (f"{name}{number}" for name in ("vest-w", "ve", "vp"))
        run("ip", "netns", "add", self.space)
        run("ip", "link", "add", self.here, "type", "veth", "peer", "name", self.there)
        run("ip", "link", "set", self.there, "netns", self.space)
        run("ip", "link", "set", self.here, "master", BRIDGE)
        run("ip", "link", "set", self.here, "up")
        self.address = f"{NETWORK}.{10 + number}"
        run("ip", "-n", self.space, "addr", "add", f"{self.address}/24", "dev", self.there)
        run("ip", "-n", self.space, "link", "set", self.there, "up")
        run("ip", "-n", self.space, "link", "set", "lo", "up")
        self.process = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        """Start the command."""
        words = [
            "ip", "netns", "exec", self.space, sys.executable, "-m", "dask", "worker",
            f"tcp://{NETWORK}.1:8786", "--nthreads", "1", "--no-nanny", "--memory-limit", "2GiB",
            "--no-dashboard", "--death-timeout", "60",
        ]  # fmt: skip
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        """End it as a power failure would."""
        self.process.kill()
        self.process.wait()

    def cut(self) -> None:
        """Cut the cable."""
        run("ip", "link", "set", self.here, "down")

    def mend(self) -> None:
        """Make it as new."""
        self.kill()
        run("ip", "link", "set", self.here, "up")
        self.process = self.start()

    def remove(self) -> None:
        """Take it all away."""
        self.kill()
        run("ip", "link", "del", self.here)  # or its name is free only some time later
        run("ip", "netns", "del", self.space)


@contextlib.contextmanager
def cluster(size: int) -> Iterator[list[Worker]]:
    """Start a scheduler and workers; end them."""
    run("ip", "link", "add", BRIDGE, "type", "bridge")
    scheduler: subprocess.Popen[bytes] | None = None
    workers: list[Worker] = []
    try:
        run("ip", "addr", "add", f"{NETWORK}.1/24", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        words = ["dask", "scheduler", "--host", f"{NETWORK}.1", "--port", "8786", "--no-dashboard"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        scheduler = subprocess.Popen([sys.executable, "-m", *words], **quiet)  # type: ignore[call-overload]
        workers += [Worker(number) for number in range(size)]
        yield workers
    finally:
        for worker in workers:
            worker.remove()
        if scheduler is not None:
            scheduler.kill()
        run("ip", "link", "del", BRIDGE)


def tensor() -> tuple[vt.SparseTensor, Any]:
    """Return entries on this machine, and as a frame of Dask."""
    import dask.dataframe as dd
    import pandas as pd

    from sharded import long_rows

    X = long_rows()
    frame = pd.DataFrame(X.coords, columns=["a", "b", "c"]).assign(v=X.values)
    local = vt.SparseTensor.from_frame(frame, ["a", "b", "c"], "v")
    return local, dd.from_pandas(frame, npartitions=5, sort=False)


class Noticed(logging.Handler):
    """Hears when a worker is first spoken of in the log."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address, self.at = address, math.inf

    def emit(self, record: logging.LogRecord) -> None:
        """Note the time."""
        if f"/{self.address}:" in record.getMessage():
            self.at = min(self.at, time.monotonic())


def trial(
    X: Any,
    want: list[bytes],
    workers: list[Worker],
    how: str,
    rng: np.random.Generator,
    long: float,
) -> bool:
    """Fit while a worker is lost, and say how it went; False if the fit had ended before that."""
    import vest_tucker.dask as vtd

    worker, after = workers[rng.integers(len(workers))], rng.uniform(0.0, long)
    heard, harmed = Noticed(worker.address), []

    def harm() -> None:
        time.sleep(after)
        (worker.kill if how == "killed" else worker.cut)()
        harmed.append(time.monotonic())

    thread = threading.Thread(target=harm)
    began = time.monotonic()
    log = logging.getLogger("vest_tucker")
    log.addHandler(heard)
    thread.start()
    same = list(numbers_of(vtd.fit(X, shards=4, **OPTIONS))) == want
    ended = time.monotonic()
    in_time = bool(harmed)
    log.removeHandler(heard)
    thread.join()
    worker.mend()
    if not in_time:
        say(f"{how} after {after:.1f} s: too late, again")
        return False
    told = f"told of after {heard.at - harmed[0]:.1f} s" if heard.at < ended else "not told of"
    say(f"{how} after {after:.1f} s: same bytes {same}, {ended - began:.1f} s, {told}")
    if not same:
        raise SystemExit("other bytes")
    return True


def all_back(client: Any, workers: list[Worker]) -> None:
    """Wait until all workers are there again; one that gave up is started anew."""
    for _ in range(200):
        if len(client.nthreads()) >= len(workers):
            return
        time.sleep(1.0)
        for worker in workers:
            if worker.process.poll() is not None:
                worker.process = worker.start()
    raise SystemExit("a worker does not come back")


def main() -> None:
    """Try it as often as is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--kills", "--cuts", "--seed"):
        parser.add_argument(name, type=int, default=0)
    asked = parser.parse_args()
    logging.getLogger("vest_tucker").addHandler(logging.StreamHandler(sys.stdout))
    import distributed

    import vest_tucker.dask as vtd
    from vest_tucker.dask import told
    from vest_tucker.dask.fitting import handing, places

    told.INLINE = 100  # bytes: or factors as small as these would travel with tasks
    handed = []

    def noted(client: Any, futures: Sequence[Any], nbytes: int) -> None:
        began = time.monotonic()
        handing.hand_on(client, futures, nbytes)
        handed.append(time.monotonic() - began)

    vars(places)["hand_on"] = noted
    rng = np.random.default_rng(asked.seed)
    local, frame = tensor()
    want = list(numbers_of(vt.fit(local, threads=1, **OPTIONS)))
    with cluster(3) as workers, distributed.Client(f"tcp://{NETWORK}.1:8786") as client:
        client.wait_for_workers(3, timeout=60)
        X = vtd.from_frame(frame, ["a", "b", "c"], "v")
        began = time.monotonic()
        assert list(numbers_of(vtd.fit(X, shards=4, **OPTIONS))) == want
        long = time.monotonic() - began
        say(f"unharmed: same bytes True, {long:.1f} s")
        for how, often in (("killed", asked.kills), ("cut off", asked.cuts)):
            done = 0
            while done < often:
                done += trial(X, want, workers, how, rng, long)
                all_back(client, workers)
    say(f"arrays were handed on {len(handed)} times, in {max(handed):.1f} s at most")


if __name__ == "__main__":
    main()
