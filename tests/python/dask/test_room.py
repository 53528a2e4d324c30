"""Fits that workers have no memory for are refused before they begin."""

from __future__ import annotations

from typing import Any

import pytest

import vest_tucker as vt
from clustered import both

pytest.importorskip("distributed")
vtd = pytest.importorskip("vest_tucker.dask")
room = pytest.importorskip("vest_tucker.dask.room")


@pytest.mark.parametrize("ranks", [2, (2, 2, 2), "auto"])
def test_a_fit_without_room_is_refused(
    client: Any, ranks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, there = both(client)
    room.require_room(there, ranks, 2)
    monkeypatch.setattr(room, "memory_limit", tiny)
    with pytest.raises(vt.errors.NotEnoughMemoryError, match=r"each of 2 workers.*add workers"):
        vtd.fit(there, ranks=ranks)


def test_a_worker_may_have_no_limit(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, there = both(client)
    monkeypatch.setattr(room, "memory_limit", unlimited)
    room.require_room(there, 2, 1)


def tiny(dask_worker: Any) -> int:
    return 1000


def unlimited(dask_worker: Any) -> int:
    return 0
