"""Which cluster is used, and that no wait is endless."""

from __future__ import annotations

import time
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


def test_tasks_at_work_may_take_longer_than_patience(client: Any) -> None:
    nap = client.submit(time.sleep, 1.5, pure=False)
    assert waiting.gathered(client, [nap], "testing", patience=0.3, at_work=True) == [None]
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
