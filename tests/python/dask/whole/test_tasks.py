"""Tasks of whole fits: in order, few at once, again when lost, ended when nobody wants them."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from clustered import both
from vest_tucker.base.interrupts import RUNNING
from vest_tucker.base.telling.warn import warn

distributed = pytest.importorskip("distributed")
from vest_tucker.dask import client as client_  # noqa: E402 - it needs distributed
from vest_tucker.dask.whole import tasks  # noqa: E402

_at_once: list[int] = [0, 0]
_lock = threading.Lock()


def norm_and_item(X: vt.SparseTensor, item: int) -> tuple[float, int]:
    warn(f"the item {item}", UserWarning)
    return X.norm, item


def counted(_: vt.SparseTensor, item: int) -> int:
    """Note how many run at once in this process, and return the most that did."""
    with _lock:
        _at_once[0] += 1
        _at_once[1] = max(_at_once)
    time.sleep(0.1)
    with _lock:
        _at_once[0] -= 1
    return _at_once[1]


def test_results_come_with_their_warnings(client: Any) -> None:
    here, there = both(client, weighted=True)
    result = tasks.WholeTensor.of(there, client, 2).beside(norm_and_item, [5, 7])
    with pytest.warns(UserWarning, match="the item 5"):
        assert result(5) == (here.norm, 5)
    with pytest.warns(UserWarning, match="the item 7"):
        assert result(7) == (here.norm, 7)


def test_the_tensor_is_put_together_in_order(client: Any) -> None:
    here, there = both(client, weighted=True)
    whole = tasks.assembled(there.shape, there.mode_labels, *client.gather(list(there.blocks)))
    assert np.array_equal(whole.X.coords, here.coords)
    assert here == whole.X
    assert whole.X.weights is not None
    assert whole.X.labels[0] is not None
    assert whole.__sizeof__() > here.coords.nbytes + 2 * here.values.nbytes


def test_no_more_fits_at_once_than_there_is_room_for(client: Any) -> None:
    """The two workers are threads of this process, which has one room."""
    here, _ = both(client)
    _at_once[:] = [0, 0]
    result = tasks.WholeTensor.of(here, client, 1).beside(counted, [1, 2, 3, 4])
    assert [result(item) for item in (1, 2, 3, 4)] == [1, 1, 1, 1]
    result = tasks.WholeTensor.of(here, client, 2).beside(counted, [1, 2, 3, 4])
    assert max(result(item) for item in (1, 2, 3, 4)) == 2


def endless(_: vt.SparseTensor, item: int) -> None:
    _at_once[0] += 1
    while True:
        RUNNING.check()
        time.sleep(0.02)


def test_an_interrupt_ends_fits_within_a_second(client: Any) -> None:
    here, _ = both(client)
    _at_once[:] = [0, 0]
    result = tasks.WholeTensor.of(here, client, 2).beside(endless, [1, 2, 3])
    sent = []

    def interrupt() -> None:
        while not _at_once[0]:
            time.sleep(0.02)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        result(1)
    thread.join()
    assert time.monotonic() - sent[0] < 1.0
    while any(client.processing().values()) or any(
        client.run(lambda dask_worker: len(dask_worker.state.executing)).values()
    ):
        assert time.monotonic() - sent[0] < 5.0
        time.sleep(0.05)


def test_a_fit_that_is_lost_is_made_again(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    here, _ = both(client)
    real, left = client_.gathered, [2]

    def gathered(*args: Any, **more: Any) -> Any:
        left[0] -= 1
        if left[0] >= 0:
            raise OSError("the line is dead")
        return real(*args, **more)

    monkeypatch.setattr(tasks, "gathered", gathered)
    result = tasks.WholeTensor.of(here, client, 2).beside(counted, [1, 2])
    assert result(1) > 0
    assert caplog.text.count("made again") == 2
    left[0] = 1000
    with pytest.raises(vt.errors.ClusterError, match=r"fit 2 of 2.*lost 8 times"):
        result(2)


_may_end = threading.Event()


def named(_: vt.SparseTensor, item: int) -> str:
    """Name the task that has made it, when it may end."""
    assert _may_end.wait(timeout=300.0)
    return str(distributed.get_worker().get_current_task())


def test_fits_that_run_well_are_left_alone_when_one_is_lost(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would begin anew, and a long study lose hours of several workers."""
    here, _ = both(client)
    beside = tasks.Beside(tasks.WholeTensor.of(here, client, 2)._source, named, [1, 2, 3])
    real, lost, others = client_.gathered, list[str](), list[str]()
    _may_end.clear()

    def gathered(*args: Any, **more: Any) -> Any:
        if lost:
            _may_end.set()
        if not lost:
            lost.append(beside.futures[0].key)
            others.extend(beside.futures[number].key for number in (1, 2))
            client.cancel([beside.futures[0]], force=True)
            raise OSError("the line is dead")
        return real(*args, **more)

    monkeypatch.setattr(tasks, "gathered", gathered)
    first = beside.result(1)
    assert lost
    assert first != lost[0]
    assert [beside.result(2), beside.result(3)] == others
    assert first.startswith(f"{beside.token}-0-")


def test_a_fit_on_its_way_is_waited_for_again(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    here, _ = both(client)
    beside = tasks.Beside(tasks.WholeTensor.of(here, client, 2)._source, named, [1, 2])
    real, keys = client_.gathered, list[list[str]]()
    _may_end.set()

    def gathered(*args: Any, **more: Any) -> Any:
        keys.append([each.key for each in beside.futures.values()])
        if len(keys) == 1:
            raise OSError("the line is dead")
        return real(*args, **more)

    monkeypatch.setattr(tasks, "gathered", gathered)
    assert [beside.result(1), beside.result(2)] == keys[0]


def test_a_study_that_is_done_takes_no_room(client: Any) -> None:
    here, _ = both(client)
    result = tasks.WholeTensor.of(here, client, 1).beside(counted, [1, 2])
    assert [result(1), result(2)]
    ends = time.monotonic() + 60.0
    while tasks._turns:
        assert time.monotonic() < ends
        time.sleep(0.02)


def killed_once(X: vt.SparseTensor, item: str) -> int:
    """Kill the worker, the first time."""
    if item and not Path(item).exists():
        Path(item).write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return X.nnz


def test_a_worker_that_is_killed(tmp_path: Path) -> None:
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        here, there = both(client)
        items = [str(tmp_path / "victim"), ""]
        result = tasks.WholeTensor.of(there, client, 1).beside(killed_once, items)
        assert [result(item) for item in items] == [here.nnz, here.nnz]
        victim = int((tmp_path / "victim").read_text())
        assert victim not in client.run(os.getpid).values()


def mistaken(_: vt.SparseTensor, item: str) -> None:
    with Path(item).open("a") as file:
        file.write("called\n")
    raise ValueError("a mistake of the caller")


def test_an_error_is_told_at_once(client: Any, tmp_path: Path) -> None:
    here, _ = both(client)
    item = str(tmp_path / "calls")
    with pytest.raises(ValueError, match="a mistake of the caller"):
        tasks.WholeTensor.of(here, client, 1).beside(mistaken, [item])(item)
    assert Path(item).read_text().count("called") == 1
