"""Which cluster is used, and that no wait is endless."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest

import vest_tucker as vt

distributed = pytest.importorskip("distributed")
from vest_tucker.dask import client as waiting  # noqa: E402 - it needs distributed


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


def test_an_array_is_sent_to_every_worker(client: Any) -> None:
    future = waiting.sent(client, [1, 2], 16)
    assert future.result() == [1, 2]
    assert len(client.who_has([future])[future.key]) == 2


def test_sending_is_tried_again_and_ends(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real, left = client.scatter, [1]

    async def scatter(*args: Any, **options: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise OSError("the line is dead")
        return await real(*args, **options)

    monkeypatch.setattr(client, "scatter", scatter)
    assert waiting.sent(client, "it", 2).result() == "it"
    assert "again" in caplog.text
    left[0] = 10**6
    with pytest.raises(vt.errors.ClusterError, match=r"could not be sent .* for 0\.1 seconds"):
        waiting.sent(client, "it", 2, patience=0.1)


def test_workers_that_say_nothing_are_told_of(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    silent = {"tcp://a": 1.0, "tcp://b": 8.0, "tcp://c": 21.0}
    monkeypatch.setattr(client, "run_on_scheduler", lambda *args: silent)
    waiting.look_for_silence(client)
    assert caplog.messages == [
        "the worker tcp://b has said nothing for 8 s",
        "the worker tcp://c has said nothing for 21 s: given up",
    ]


def test_silence_is_what_the_scheduler_has_heard(client: Any) -> None:
    heard = client.run_on_scheduler(waiting.drop_silent, 1e9)
    assert set(heard) == set(client.nthreads())
    assert all(seconds < 60.0 for seconds in heard.values())


def test_a_silent_worker_is_removed() -> None:
    class Scheduler:
        def __init__(self) -> None:
            self.workers = {
                name: SimpleNamespace(address=name, last_seen=time.time() - seconds)
                for name, seconds in (("near", 1.0), ("far", 60.0))
            }
            self.removed: list[str] = []

        async def remove_worker(self, address: str, stimulus_id: str) -> None:
            self.removed.append(address)

    scheduler = Scheduler()
    asyncio.run(waiting.drop_silent(20.0, dask_scheduler=scheduler))
    assert scheduler.removed == ["far"]
