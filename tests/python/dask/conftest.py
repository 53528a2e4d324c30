"""A small cluster inside this process, one for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(processes=False, **options) as there:  # noqa: SIM117
        with distributed.Client(there) as client:
            yield client


@pytest.fixture
def copies_stay(client: Any) -> Iterator[None]:
    """Keep Dask from dropping copies of results, as it does every two seconds."""
    client.amm.stop()
    yield
    client.amm.start()
