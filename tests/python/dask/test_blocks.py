"""Blocks that are put down take no memory, and come back when they are asked for."""

from __future__ import annotations

import gc
import time
from collections.abc import Collection
from typing import Any, Literal

import numpy as np
import pytest

import vest_tucker as vt
from clustered import both
from vest_tucker.model.meaning import importance

pytest.importorskip("distributed")
vtd = pytest.importorskip("vest_tucker.dask")
blocks = pytest.importorskip("vest_tucker.dask.blocks")


def keys_on(client: Any) -> set[str]:
    """Return the names of all results that the workers have."""
    found = client.run(lambda dask_worker: [str(key) for key in dask_worker.data])
    return {key for keys in found.values() for key in keys}


def held(client: Any, what: str, others: Collection[str] = ()) -> int:
    """Return how many results of tasks of this name the workers have, but those of other tests."""
    return sum(key.startswith(what) for key in keys_on(client).difference(others))


def wait_until_gone(client: Any, what: str, others: Collection[str] = ()) -> None:
    ends = time.monotonic() + 30.0
    gc.collect()
    while held(client, what, others):
        assert time.monotonic() < ends, f"{what} is still on a worker"
        time.sleep(0.05)


def test_what_is_put_down_goes_and_comes_back(client: Any) -> None:
    numbers = client.map(np.arange, [3, 4, 5])
    some = blocks.Blocks(client, client.map(np.negative, numbers))
    del numbers
    before = client.gather(list(some))
    for _ in range(2):
        some.put_down()
        assert len(some) == 3
        wait_until_gone(client, "negative")
        wait_until_gone(client, "same")
        again = client.gather(list(some))
        assert [each.tolist() for each in again] == [each.tolist() for each in before]
    assert some[0].key == next(iter(some)).key


def test_what_is_asked_for_beside_something_else_is_not_kept(client: Any) -> None:
    some = blocks.Blocks(client, client.map(np.square, client.map(np.arange, [3, 4, 5])))
    shards = Shards()
    some.put_down()
    some.pass_by(shards)
    others = keys_on(client)
    for _ in range(2):
        assert [len(each) for each in client.gather(list(some))] == [3, 4, 5]
        assert [len(each) for each in client.gather(some[1:])] == [4, 5]
        assert len(some[-1].result()) == 5
        wait_until_gone(client, "same", others)
    with pytest.raises(IndexError):
        some[3]
    del shards
    gc.collect()
    first = some[0]
    assert some[0] is first


class Shards:
    """Something beside which there is no room."""


@pytest.mark.parametrize("offset", ["mean", "biases"])
def test_what_is_measured_at_the_end_leaves_no_block_beside_the_shards(
    client: Any, offset: Literal["mean", "biases"], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.dask.room.COPIES", 10**9)
    others = keys_on(client)
    here, there = both(client)
    there_before = there.blocks._asked_for
    asked: list[int] = []
    real = importance.measure

    def counted(*args: Any) -> Any:
        asked.append(1)
        return there_before(*args)

    def measure(*args: Any) -> Any:
        monkeypatch.setattr(there.blocks, "_asked_for", counted)
        found = real(*args)
        for what in ("joined", "same"):
            wait_until_gone(client, what, others)
        return found

    monkeypatch.setattr("vest_tucker.fitting.fit.measure", measure)
    options: dict[str, Any] = {"ranks": 2, "preset": "paper", "lam": 0.01, "max_iter": 2, "seed": 0}
    found = vtd.fit(there, shards=2, offset=offset, **options)
    assert asked, "nothing was asked for again, so this tests nothing"
    assert found == vt.fit(here, offset=offset, **options)


def test_a_fit_without_room_keeps_no_block_beside_its_shards(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.dask.room.COPIES", 10**9)
    others = keys_on(client)  # what other tests raised may hold their blocks
    here, there = both(client)
    seen: list[int] = []

    def look(record: Any) -> None:
        if record.iteration == 2:
            for what in ("joined", "same"):
                wait_until_gone(client, what, others)
            seen.append(held(client, "assemble", others))

    options: dict[str, Any] = {"ranks": 2, "preset": "paper", "lam": 0.01, "max_iter": 3, "seed": 0}
    fitted = [vtd.fit(there, shards=2, callback=look, **options) for _ in range(2)]
    assert seen == [6, 6]  # shards of three modes, and in the second fit those of the second only
    assert fitted[0] == fitted[1] == vt.fit(here, **options)
    assert there.to_local().values.tobytes() == here.values.tobytes()


def test_a_fit_keeps_blocks_where_there_is_room(client: Any) -> None:
    here, there = both(client)
    before = {each.key for each in there.blocks}
    vtd.fit(there, shards=2, ranks=2, preset="paper", lam=0.01, max_iter=1, seed=0)
    assert {each.key for each in there.blocks} == before
    assert there.to_local().values.tobytes() == here.values.tobytes()
