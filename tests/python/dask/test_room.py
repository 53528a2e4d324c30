"""Fits that workers have no memory for are refused before they begin."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import vest_tucker as vt
from clustered import both

pytest.importorskip("distributed")
vtd = pytest.importorskip("vest_tucker.dask")
room = pytest.importorskip("vest_tucker.dask.room")

RANKS = (2, 2, 2)
ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("ranks", [2, (2, 2, 2), "auto", {"a": 2}])
def test_a_fit_without_room_is_refused(
    client: Any, ranks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, there = both(client)
    room.Room.of(there, None).require()
    monkeypatch.setattr(room, "memory_limit", tiny)
    with pytest.raises(vt.errors.NotEnoughMemoryError, match=r"each of 2 workers.*check_memory="):
        vtd.fit(there, ranks=ranks)


def test_it_may_be_tried_all_the_same(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = both(client)
    monkeypatch.setattr(room, "memory_limit", tiny)
    options: dict[str, Any] = {"ranks": 2, "preset": "paper", "lam": 0.1, "max_iter": 1, "seed": 0}
    assert vtd.fit(there, check_memory=False, **options) == vt.fit(here, **options)
    with pytest.raises(vt.errors.OptionError, match="check_memory"):
        vtd.fit(there, check_memory="no", **options)


def test_a_worker_may_have_no_limit(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, there = both(client)
    monkeypatch.setattr(room, "memory_limit", unlimited)
    found = room.Room.of(there, RANKS)
    found.require()
    assert found.keeps


def test_blocks_stay_where_there_is_room_for_them(client: Any) -> None:
    _, there = both(client)
    found = room.Room.of(there, RANKS)
    assert found.need < found.kept
    enough = found.kept / room.SPILLING
    assert found._replace(limit=1.01 * enough).keeps
    assert not found._replace(limit=0.99 * enough).keeps
    found._replace(limit=found.need).require()


def test_shards_are_smaller_where_memory_is_short(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, there = both(client)
    monkeypatch.setattr(room, "SHARD", 100)
    most = room.shards_for(there.nnz, 2)
    assert room.Room.of(there, RANKS).shards == 2
    monkeypatch.setattr(room, "memory_limit", tiny)
    short = room.Room.of(there, RANKS)
    assert short.shards == most > 2
    assert short.need < room.Room.of(there, RANKS, shards=2).need
    assert room.Room.of(there, RANKS, shards=5).shards == 5
    assert most % 2 == 0
    assert there.nnz / most <= 100


def test_weights_count(client: Any) -> None:
    (_, light), (_, heavy) = both(client), both(client, weighted=True)
    less, more = (room.Room.of(each, RANKS) for each in (light, heavy))
    assert more.kept - more.need >= less.kept - less.need + room.COPIES * 8 * light.nnz // 2
    assert more.need > less.need


@pytest.mark.parametrize(("threads", "share"), [([1, 7], 7 / 8), ([4, 4], 1 / 2), ([3], 1)])
def test_who_has_most_threads_has_most_entries(threads: list[int], share: float) -> None:
    there = {f"tcp://{number}": each for number, each in enumerate(threads)}
    X: Any = SimpleNamespace(
        client=None, nnz=8_000_000, shape=(9, 9, 9), order=3, is_weighted=False
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "threads_of", lambda _: there)
        patch.setattr(room, "of_each_worker", lambda *_: {})
        found = room.Room.of(X, RANKS, shards=8)
    assert found.kept - found.need == room.COPIES * share * X.nnz * (3 + 8)


def test_settings_that_memory_was_measured_with_are_told() -> None:
    """All that the program of the table in docs/cluster.md sets is what users are told to set."""
    measured = runpy.run_path(str(ROOT / "bench" / "cluster_memory.py"))["MEMORY"]
    page = (ROOT / "docs" / "cluster.md").read_text("utf-8")
    block = page.partition("dask.config.set(\n")[2].partition(")\n```")[0]
    lines = [line.partition("#")[0] for line in block.splitlines()]
    assert ast.literal_eval("\n".join(lines).strip()) == measured


def tiny(dask_worker: Any) -> int:
    return 1000


def unlimited(dask_worker: Any) -> int:
    return 0
