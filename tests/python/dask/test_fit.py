"""Fits on a cluster: the bytes of fits on one machine, also when workers are lost."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest

import vest_tucker as vt
from clustered import both
from fingerprints import numbers_of

distributed = pytest.importorskip("distributed")
vtd = pytest.importorskip("vest_tucker.dask")
PAPER: dict[str, Any] = {"ranks": 2, "preset": "paper", "lam": 0.01, "max_iter": 4, "seed": 0}


def numbers(model: vt.TuckerModel) -> list[bytes]:
    return [*numbers_of(model), repr(model.measured).encode()]


@pytest.mark.parametrize(
    "options",
    [
        {"penalty": "lf", "sparsity": 0.4},
        {"penalty": "l1", "sparsity": "auto", "allocation": "global", "offset": "biases"},
        {"sparsity": 0.3, "nonnegative": True, "lam_rows": "sqrt", "n_starts": 2},
        {"sparsity": 0.3, "init": "pairs", "lam": "auto"},
    ],
    ids=["lf", "l1", "nonnegative", "lam found"],
)
def test_the_bytes_are_those_of_one_machine(
    client: Any, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", 4096)
    here, there = both(client, weighted="lam_rows" in options)
    want = numbers(vt.fit(here, threads=1, **{**PAPER, **options}))
    for shards in (3,) if "init" in options else (1, 3):
        assert numbers(vtd.fit(there, shards=shards, **{**PAPER, **options})) == want


def test_a_plain_call_of_given_ranks(client: Any) -> None:
    here, there = both(client)
    wanted: dict[str, Any] = {"ranks": 1, "holdout": 0.0, "seed": 0}
    assert numbers(vtd.fit(there, shards=2, **wanted)) == numbers(vt.fit(here, threads=1, **wanted))


def test_what_is_no_option_of_a_cluster_is_refused(client: Any) -> None:
    _, there = both(client)
    with pytest.raises(vt.errors.OptionError, match="threads"):
        vtd.fit(there, threads=2)
    with pytest.raises(vt.errors.OptionError, match="shards"):
        vtd.fit(there, shards=0)
    with pytest.raises(vt.errors.DtypeError, match="ClusterTensor"):
        vtd.fit(there.to_local())


@pytest.mark.parametrize("after", [1, 3])
def test_a_worker_is_killed(after: int) -> None:
    """The shards are there by then, and the blocks that they were made of are not."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        here, there = both(client)
        want = numbers(vt.fit(here, threads=1, sparsity=0.4, **PAPER))
        victim, pid = min(client.run(os.getpid).items())
        records: list[object] = []

        def kill(record: object) -> None:
            records.append(record)
            if len(records) == after:
                assert any(victim in places for places in client.who_has().values())
                os.kill(pid, signal.SIGKILL)
                until = time.monotonic() + 20.0
                while victim in client.nthreads():  # so it is lost before the next round begins
                    assert time.monotonic() < until
                    time.sleep(0.02)

        found = vtd.fit(there, shards=3, sparsity=0.4, callback=kill, **PAPER)
        assert numbers(found) == want
        assert len(records) > after
        assert pid not in client.run(os.getpid).values()
