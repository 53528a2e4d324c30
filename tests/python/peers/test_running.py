"""Each system runs in a process of its own, which has its limits and tells what went wrong."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from peers import SYSTEMS, Peer, run
from peers.running import THREADS, environment, impossible, memory_available
from planted_tasks import cp_task

PROBE = """
import os, sys, time
import numpy as np
from peers.peer import Fitted

def fit(task, clock):
    what = task.settings["what"]
    if what == "wait":
        time.sleep(60)
    if what == "raise":
        raise RuntimeError("it does not like this tensor\\nat all")
    if what == "crash":
        os._exit(7)
    if what == "memory":
        np.ones(10**10)
    if what == "nan":
        return Fitted(lambda coords: np.zeros(3), 1)
    number = float(os.environ["OMP_NUM_THREADS"])
    return Fitted(lambda coords: np.full(len(coords), number), 1)
"""
LISTED = """
from peers.peer import Peer
from peers.systems import SYSTEMS

SYSTEMS["probe"] = Peer("Probe", "user", "probe", "", "", "", "", (), {"what": ""})
"""


@pytest.fixture
def probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A system that does what the setting "what" says; the worker finds it by the path."""
    (tmp_path / "probe.py").write_text(PROBE, "utf-8")
    # The worker has a list of systems of its own: this one is put into it as Python starts.
    (tmp_path / "sitecustomize.py").write_text(LISTED, "utf-8")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    monkeypatch.setenv("PYTHONPATH", path)
    peer = Peer("Probe", "user", "probe", "", "", "", "", (), {"what": ""})
    monkeypatch.setitem(SYSTEMS, "probe", peer)
    return "probe"


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("raise", "RuntimeError: it does not like this tensor"),
        ("crash", "ended with code 7"),
        ("memory", "needs more memory than there is"),
        ("nan", r"AssertionError: \(3,\) for 500 cells"),
    ],
)
def test_what_goes_wrong_is_told(probe: str, what: str, why: str) -> None:
    task = cp_task().task.with_settings({"what": what})
    result = run(probe, task, limit_seconds=60, limit_bytes=10**9)
    assert result.error is not None
    assert np.isnan(result.predictions).all()
    assert re.search(why, result.error), result.error


def test_it_is_killed_when_its_time_is_up(probe: str) -> None:
    task = cp_task().task.with_settings({"what": "wait"})
    assert run(probe, task, limit_seconds=1.5).error == "took more than 1.5 s"


def test_it_is_told_how_many_threads_to_use(probe: str) -> None:
    task = cp_task().task
    task = type(task)(**{**vars(task), "threads": 3})
    result = run(probe, task, limit_seconds=60)
    assert result.error is None
    assert set(result.predictions.tolist()) == {3.0}
    assert 10**6 < result.peak_bytes < 10**9
    assert set(THREADS) <= set(environment(3))


def test_what_cannot_run_is_not_started() -> None:
    peer = Peer("None", "user", "none", "", "", "", "", ("no_such_package",))
    task = cp_task().task
    assert impossible(peer, task, 10**9) == "the package no_such_package is not installed"
    dense = Peer("Dense", "user", "none", "", "", "", "", dense=6)
    assert impossible(dense, task, 6 * 8 * 3000) is None
    assert impossible(dense, task, 1000) == "6 copies of 3,000 cells do not fit in memory"
    assert memory_available() > 10**8
