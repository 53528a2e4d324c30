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


def test_a_stalled_cluster_is_an_error_that_says_what_is_missing(
    client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    nap = client.submit(time.sleep, 3.0)
    message = "while testing: 1 of 1 tasks have not come back yet; 2 workers are there"
    with pytest.raises(vt.errors.ClusterError, match=message):
        waiting.gathered(client, [nap], "testing", patience=0.3)
    nap.cancel()
