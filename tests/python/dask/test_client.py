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


def test_tasks_at_work_may_take_longer_than_patience(client: Any) -> None:
    nap = client.submit(time.sleep, 1.5, pure=False)
    assert waiting.gathered(client, [nap], "testing", patience=0.3, at_work=True) == [None]
    nowhere = client.submit(abs, -1, pure=False, workers=["tcp://10.0.0.9:1"])
    with pytest.raises(vt.errors.ClusterError, match="while testing"):
        waiting.gathered(client, [nowhere], "testing", patience=0.3, at_work=True)
    nowhere.cancel()


def test_copies_are_made_if_that_is_possible(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    future = client.submit(abs, -5, pure=False)
    distributed.wait([future])
    waiting.copied(client, [future])
    assert len(client.who_has([future])[future.key]) == 2
    monkeypatch.setattr(client, "replicate", lambda *_, **__: asyncio.sleep(5.0))
    waiting.copied(client, [future], 0.1)
    assert "one worker alone" in caplog.text


def test_a_cluster_without_workers_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOOK", 0.01)
    answers = [{}, {}, {"tcp://a": 2}]
    assert waiting.workers_of(SimpleNamespace(nthreads=lambda: answers.pop(0))) == {"tcp://a": 2}
    with pytest.raises(vt.errors.ClusterError, match=r"no worker for 0\.1 seconds"):
        waiting.workers_of(SimpleNamespace(nthreads=dict), 0.1)
