"""Which cluster is used, and that no wait is endless."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

import vest_tucker as vt

distributed = pytest.importorskip("distributed")
import vest_tucker.dask as vtd  # noqa: E402 - it needs distributed
from vest_tucker.dask import client as waiting  # noqa: E402


def test_the_client_given_is_used(client: Any) -> None:
    assert waiting.client_of(client) is client
    with pytest.raises(vt.errors.OptionError, match="must be a dask"):
        waiting.client_of("tcp://127.0.0.1:8786")


def test_without_a_cluster_it_says_how_to_make_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Any:
        raise ValueError("no client")

    monkeypatch.setattr(distributed, "default_client", none)
    with pytest.raises(vt.errors.ClusterError, match=r"dask\.distributed\.Client\(\)"):
        waiting.client_of()


def test_results_come_in_order_and_errors_as_they_are(client: Any) -> None:
    assert waiting.gathered(client, client.map(abs, [-3, 2]), "testing") == [3, 2]
    with pytest.raises(ZeroDivisionError):
        waiting.gathered(client, [client.submit(divmod, 1, 0)], "testing")


def silent_store() -> None:
    raise TimeoutError("the store did not answer")


def test_a_task_that_was_too_late_itself_says_so(
    client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(TimeoutError, match="the store did not answer"):
        waiting.gathered(client, [client.submit(silent_store)], "testing", patience=5.0)
    assert "results have not come" not in caplog.text


def test_a_stalled_cluster_is_an_error_that_says_what_is_missing(
    client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    nap = client.submit(time.sleep, 3.0)
    message = "while testing: 1 of 1 tasks have not come back yet; 2 workers are there"
    with pytest.raises(vt.errors.ClusterError, match=message):
        waiting.gathered(client, [nap], "testing", patience=0.3)
    nap.cancel()


def test_tasks_at_work_may_take_longer_than_patience(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "LOOK", 0.1)
    nap = client.submit(time.sleep, 3.0, pure=False)
    assert waiting.gathered(client, [nap], "testing", patience=2.0, at_work=True) == [None]
    nowhere = client.submit(abs, -1, pure=False, workers=["tcp://10.0.0.9:1"])
    with pytest.raises(vt.errors.ClusterError, match="while testing"):
        waiting.gathered(client, [nowhere], "testing", patience=0.3, at_work=True)
    nowhere.cancel()


def test_a_cluster_without_workers_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOOK", 0.01)
    answers = [{}, {}, {"tcp://a": 2}]
    monkeypatch.setattr(waiting, "threads_of", lambda _: answers.pop(0))
    assert waiting.workers_of(None) == {"tcp://a": 2}
    monkeypatch.setattr(waiting, "threads_of", lambda _: {})
    with pytest.raises(vt.errors.ClusterError, match=r"no worker for 0\.1 seconds"):
        waiting.workers_of(None, 0.1)


GATE = threading.Event()  # the workers of these tests are threads of this process


def behind_a_gate() -> bool:
    return GATE.wait(120.0)


def nap_of(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_an_unanswered_question_does_not_end_a_long_wait(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    GATE.clear()

    def silent(*_: Any) -> Any:
        raise vt.errors.ClusterError("the cluster has not answered")

    monkeypatch.setattr(waiting, "of_each_worker", silent)
    nap = client.submit(nap_of, 2.0, pure=False)
    assert waiting.gathered(client, [nap], "testing", patience=0.3, at_work=True) == [2.0]
    assert "has not answered" in caplog.text
    monkeypatch.setattr(waiting, "UNANSWERED", 0.3)
    behind = client.submit(behind_a_gate, pure=False)
    try:
        with pytest.raises(vt.errors.ClusterError, match="while testing"):
            waiting.wait_for(client, [behind], "testing", patience=0.3, at_work=True)
    finally:
        GATE.set()


def test_long_waits_are_told_of(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(waiting, "TELL_AT_WORK", 0.2)
    nap = client.submit(nap_of, 1.5, pure=False)
    waiting.wait_for(client, [nap], "testing", patience=60.0, at_work=True)
    assert "testing: 1 of 1 tasks have not come back yet; 2 workers are there" in caplog.text


class Task(SimpleNamespace):
    """A task of a worker."""


@pytest.mark.parametrize(
    ("status", "under_way"), [("running", ["a", "b", "c"]), ("paused", ["a", "c"])]
)
def test_a_paused_worker_begins_nothing(status: str, under_way: list[str]) -> None:
    states = {"a": "executing", "b": "ready", "c": "long-running", "d": "memory"}
    tasks = {key: Task(key=key, state=state) for key, state in states.items()}
    state = SimpleNamespace(tasks=tasks, executing=[tasks["a"]], long_running=[tasks["c"]])
    worker = SimpleNamespace(status=SimpleNamespace(name=status), state=state)
    assert waiting.work_of(worker) == under_way


def test_what_a_paused_worker_was_given_is_not_waited_for() -> None:
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(processes=False, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        GATE.clear()
        first = client.submit(behind_a_gate, priority=1)
        second = client.submit(nap_of, 0.0)

        def pause(dask_worker: Any) -> None:
            dask_worker.memory_manager.memory_pause_fraction = False  # or it would go on by itself
            dask_worker.status = distributed.core.Status.paused

        while sum(map(len, client.processing().values())) < 2:  # until the worker has both
            time.sleep(0.02)
        client.run(pause)
        GATE.set()
        with pytest.raises(vt.errors.ClusterError, match="nothing has come back"):
            waiting.wait_for(client, [first, second], "testing", patience=0.5, at_work=True)
        assert second.status == "pending"


class Waits:
    """Stands in for the tasks of a wait: how many are done at each look."""

    def __init__(self, *done: int) -> None:
        self.left, self.count = list(done), max(done)
        self.futures = [SimpleNamespace(done=lambda at=at: at < self.left[0]) for at in range(5)]

    def wait(self, _: Any, timeout: float) -> None:
        self.left.pop(0)
        if len(self.left) > 1:
            raise TimeoutError


def test_results_that_come_again_after_a_loss_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four are there, are lost with a worker, and come one after the other."""
    looks = Waits(0, 4, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5)
    monkeypatch.setattr(distributed, "wait", looks.wait)
    monkeypatch.setattr(waiting, "look_for_silence", lambda _: None)
    clock = [0.0]

    def now() -> float:
        clock[0] += 0.05
        return clock[0]

    monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=now))
    waiting.wait_for(None, looks.futures, "testing", patience=0.7)


def test_the_last_time_that_results_are_asked_for_has_the_whole_patience(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    def too_late(_: Any, callback_timeout: float) -> Any:
        limits.append(callback_timeout)
        raise TimeoutError

    monkeypatch.setattr(waiting, "wait_for", lambda *_, **__: None)
    monkeypatch.setattr(waiting, "look_for_silence", lambda _: None)
    monkeypatch.setattr(client, "sync", too_late)
    with pytest.raises(vt.errors.ClusterError, match="while testing"):
        waiting.gathered(client, [SimpleNamespace(status="finished", done=bool)], "testing", 300.0)
    assert limits[:4] == [5.0, 20.0, 80.0, 300.0]


def test_tasks_that_are_given_together_run_where_they_had_best(client: Any) -> None:
    from distributed import get_worker

    def where(number: int) -> tuple[int, str]:
        return number, get_worker().address

    workers = sorted(client.nthreads())[::-1]
    futures = waiting.all_submitted(client, "where", where, [0, 1], workers=workers)
    assert client.gather(futures) == list(enumerate(workers))
    gone = ["tcp://10.0.0.9:1", workers[0]]  # a hint, and no more
    futures = waiting.all_submitted(client, "where", where, [0, 1], workers=gone)
    assert client.gather(futures)[1] == (1, workers[0])
    assert [each for each, _ in client.gather(futures)] == [0, 1]
    assert waiting.all_submitted(client, "where", where, []) == []


def test_who_waits_may_look_at_something_meanwhile(client: Any) -> None:
    def look() -> None:
        raise OSError("nobody is there")

    future = client.submit(time.sleep, 3.0, pure=False)
    with pytest.raises(OSError, match="nobody"):
        waiting.gathered(client, [future], "sleeping", look=look)


@pytest.mark.parametrize("name", vtd.SETTINGS)
def test_dask_knows_each_setting(name: str) -> None:
    import dask

    assert dask.config.get(name) != vtd.SETTINGS[name]


def test_workers_that_are_processes_have_them() -> None:
    def told() -> dict[str, Any]:
        import dask

        return {name: dask.config.get(name) for name in vtd.SETTINGS}

    import dask

    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with (
        dask.config.set(vtd.SETTINGS),
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert list(client.run(told).values()) == [dict(vtd.SETTINGS)]
