"""Calls to shards on workers: in order, sent when it has changed, repeated when it is lost."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from clustered import both
from sharded import plain_state

places_ = pytest.importorskip("vest_tucker.dask.fitting.places")
entries = pytest.importorskip("vest_tucker.dask.fitting.entries")
RANKS = (2, 2, 2)


@pytest.fixture
def places(client: Any) -> Any:
    _, there = both(client)
    plan = entries.SpreadTensor.of(there, 3)._handle.plan(RANKS, threads=1, sparse_core=False)
    return plan.places.opened()


def begin_of(shard: Any, state: Any, more: int = 0) -> Any:
    return shard.bounds.first, float(state.factors[0][0, 0]), more


def test_calls_go_in_order(places: Any) -> None:
    state = plain_state((200, 90, 4), RANKS, 0)
    first = float(state.factors[0][0, 0])
    wanted = [(each.first, first, 7) for each in places.cuts[0].shards]
    assert places.call(0, begin_of, state, 7) == wanted
    kept = places.keep(0, begin_of, state)
    assert places.ask(kept, tuple.__getitem__, [0, 1, 2]) == [wanted[0][0], first, 0]
    assert places.ask([], tuple.__getitem__, 0) == []


def test_what_has_changed_is_sent_again(places: Any) -> None:
    state = plain_state((200, 90, 4), RANKS, 0)
    places.call(0, begin_of, state)
    state.factors[0][0, 0] = 9.0
    assert places.call(0, begin_of, state)[0][1] != 9.0  # nobody has said so
    places.changed("values", 1)
    assert places.call(0, begin_of, state)[0][1] == 9.0
    assert places.opened()._sent == {}


def test_large_arrays_are_no_part_of_tasks(places: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vest_tucker.dask.told.INLINE", 100)
    state = plain_state((200, 90, 4), RANKS, 0)
    first = places.call(0, begin_of, state)
    assert first[0][1] == state.factors[0][0, 0]
    sent = places._sent
    assert hasattr(sent["values", 1], "key")
    assert isinstance(sent["values", 0], np.ndarray)


def test_a_round_that_is_lost_is_repeated(
    places: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    state, real, left = plain_state((200, 90, 4), RANKS, 0), places_.gathered, [2]

    def gathered(*args: Any) -> Any:
        left[0] -= 1
        if left[0] >= 0:
            raise OSError("the line is dead")
        return real(*args)

    monkeypatch.setattr(places_, "gathered", gathered)
    with caplog.at_level(logging.WARNING, logger="vest_tucker"):
        assert len(places.call(0, begin_of, state)) == 3
    assert caplog.text.count("repeated") == 2
    left[0] = 3
    kept = places.keep(0, begin_of, state)
    assert len(places.ask(kept, tuple.__getitem__, 0)) == 3
    left[0] = 1000
    with pytest.raises(vt.errors.ClusterError, match="rounds were lost"):
        places.call(0, begin_of, state)


def test_workers_that_come_and_go_are_told_of(
    places: Any, caplog: pytest.LogCaptureFixture
) -> None:
    places._workers.add("tcp://10.0.0.9:1")
    with caplog.at_level(logging.INFO, logger="vest_tucker"):
        places._look()
    assert "tcp://10.0.0.9:1 is gone" in caplog.text
    assert caplog.text.count("has come") == 2


def test_a_worker_that_comes_is_given_shards(client: Any, places: Any) -> None:
    old, new = client.nthreads()
    state = plain_state((200, 90, 4), RANKS, 0)
    wanted = places.call(0, begin_of, state)
    for shards in places.shards:  # all of them on one worker
        shards[:] = [
            client.submit(places_.moved, each, workers=[old], pure=False) for each in shards
        ]
    places.call(0, begin_of, state)
    places._workers.discard(new)
    places._looked = 0.0
    assert places.call(0, begin_of, state) == wanted
    assert any(new in client.who_has(places.shards[0])[each.key] for each in places.shards[0])


def test_a_worker_that_came_before_the_first_look_is_given_shards(client: Any, places: Any) -> None:
    """As one does that joins while entries are read or sent, or between two solvers."""
    old, new = client.nthreads()
    state = plain_state((200, 90, 4), RANKS, 0)
    for shards in places.shards:
        shards[:] = [
            client.submit(places_.moved, each, workers=[old], pure=False) for each in shards
        ]
        client.gather(list(shards))  # or nobody has them yet
    other = places.opened()
    other.call(0, begin_of, state)
    assert any(new in client.who_has(places.shards[0])[each.key] for each in places.shards[0])
    assert places.opened()._workers == {old, new}
    other._looked = 0.0
    before = list(places.shards[0])
    places.opened().call(0, begin_of, state)
    assert before == places.shards[0]  # all of them are known


def test_workers_that_join_must_have_the_kernels_in_use(
    places: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert places.opened().isa == vt._core.isas()[0]
    asked: list[Any] = []

    def none(*told: Any) -> dict[str, Any]:
        asked.append(told)
        return {}

    monkeypatch.setattr(places_, "same_builds", none)
    places._look()
    assert asked[0][2] == places.isa
    assert not places._workers  # who has not answered is asked again
    places._looked = 0.0
    places._look()
    assert len(asked) == 2


def test_threads_get_as_many_shards() -> None:
    held = {"one": [0, 1], "two": [2, 3, 4, 5], "new": []}
    threads = {"one": 1, "two": 2, "new": 2}
    taken = list(places_._taken_over(held, "new", threads))
    assert len(taken) == 2
    assert {name: len(own) for name, own in held.items()} == {"one": 1, "two": 3, "new": 2}
    alone = {"one": [0], "new": []}
    assert list(places_._taken_over(alone, "new", {"one": 1, "new": 1})) == []
