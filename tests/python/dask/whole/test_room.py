"""How many whole fits a worker has memory for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import vest_tucker as vt

pytest.importorskip("distributed")
from vest_tucker.dask.whole import room

GIB = 2**30


def at_once(
    monkeypatch: pytest.MonkeyPatch, limits: list[int], *, is_weighted: bool = False, **more: Any
) -> int:
    X: Any = SimpleNamespace(shape=(100_000, 20_000, 20), nnz=10_000_000, is_weighted=is_weighted)
    monkeypatch.setattr(room, "threads_of", lambda _: {"a": 4, "b": 4})
    found = dict(enumerate(limits))
    monkeypatch.setattr(room, "of_each_worker", lambda *_: found)
    return room.fits_at_once(X, None, **{"ranks": (5, 5, 5), "penalty": "l1", **more})


def test_the_smallest_worker_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    many = at_once(monkeypatch, [64 * GIB, 16 * GIB])
    assert 2 <= many == at_once(monkeypatch, [16 * GIB]) < at_once(monkeypatch, [64 * GIB])
    assert at_once(monkeypatch, [GIB // 2]) == 0


def test_more_models_or_a_plain_call_take_more(monkeypatch: pytest.MonkeyPatch) -> None:
    few = at_once(monkeypatch, [32 * GIB])
    assert at_once(monkeypatch, [32 * GIB], models=500.0) < few
    assert at_once(monkeypatch, [32 * GIB], is_weighted=True) < few
    assert at_once(monkeypatch, [32 * GIB], penalty="bayes") < few
    assert at_once(monkeypatch, [32 * GIB], penalty="bayes", ranks=None) < few


def test_without_limits_all_threads_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert at_once(monkeypatch, [0, 0]) == 4


def test_a_cluster_without_workers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "threads_of", lambda _: {})
    X: Any = SimpleNamespace()
    with pytest.raises(vt.errors.ClusterError, match="no worker"):
        room.fits_at_once(X, None, (2, 2), "l1")
