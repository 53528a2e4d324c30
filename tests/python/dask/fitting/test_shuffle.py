"""Entries on their way to shards: each arrives once, in order, also where a row is cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from clustered import both
from vest_tucker.base.errors import ClusterError
from vest_tucker.fitting.shards.cut import Bounds, ModeCut, cut_mode
from vest_tucker.fitting.shards.places import in_process

shuffle = pytest.importorskip("vest_tucker.dask.fitting.shuffle")
entries = pytest.importorskip("vest_tucker.dask.fitting.entries")
RANKS = (2, 2, 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_shards_are_those_of_one_machine(
    client: Any, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", 2048)
    here, there = both(client, weighted=weighted)
    plan = entries.SpreadTensor.of(there, 7)._handle.plan(RANKS, threads=1, sparse_core=False)
    places = plan.places
    wanted = in_process(here.coords, here.values, here.weights, places.outline, here.shape, 7)
    assert sum(cut.open_rows.size for cut in places.cuts) > 0
    for mode in range(3):
        found = client.gather(list(places.shards[mode]))
        for got, want in zip(found, wanted.shards[mode], strict=True):
            assert got.rows == want.rows
            assert got.plan.nbytes == want.plan.nbytes
            assert np.array_equal(got.plan.chunks(mode), want.plan.chunks(mode))
            assert np.array_equal(got.plan.split_rows(mode), want.plan.split_rows(mode))


def test_workers_get_as_many_entries_and_make_one_shard_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shuffle, "threads_of", lambda _: {"one": 1, "two": 2})
    sizes = [40, 10, 10, 10, 10, 10]
    ends = np.cumsum(sizes).tolist()
    shards = [
        Bounds(0, 0, 1, end - size, end, slice(0, 1), slice(0, 1))
        for size, end in zip(sizes, ends, strict=True)
    ]
    cut = ModeCut(shards, np.zeros(0, np.int64), np.zeros(0, np.int32))
    load: dict[str, int] = {}
    rounds = shuffle._rounds(None, cut, load)
    assert sorted(number for each in rounds for number, _ in each) == list(range(6))
    assert all([worker for _, worker in each].count("one") <= 1 for each in rounds)
    assert all([worker for _, worker in each].count("two") <= 2 for each in rounds)
    assert load == {"one": 50, "two": 40}  # of each end one: 0 and 5, 1 and 4, 2 and 3
    shuffle._rounds(None, cut, load)
    assert load == {"one": 70, "two": 110}  # who had more begins as the last


def test_without_workers_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffle, "threads_of", lambda _: {})
    with pytest.raises(ClusterError, match="no worker"):
        shuffle._rounds(None, ModeCut([], np.zeros(0, np.int64), np.zeros(0, np.int32)), {})


def test_dividers() -> None:
    coords = np.array([[0, 3], [1, 0], [1, 2], [1, 1], [2, 0]], dtype=np.int32)
    block = shuffle.Block.of(coords, np.arange(5.0))
    parts = shuffle.divide(block, (0, 1), (shuffle.Divider((1, 1)), shuffle.Divider((2,))))
    assert [part.values.tolist() for part in parts] == [[0.0, 1.0], [2.0, 3.0], [4.0]]


def test_coordinates_that_come_next() -> None:
    coords = np.array([[0, 3], [1, 0], [1, 2], [1, 0]], dtype=np.int32)
    block = shuffle.Block.of(coords, np.arange(4.0))
    counted = shuffle.next_coordinates(block, (0, 1), (1,))
    indices, counts = shuffle.together([counted, counted])
    assert (indices.tolist(), counts.tolist()) == ([0, 2], [4, 2])


def test_modes_are_cut_for_as_many_shards_as_wanted(client: Any) -> None:
    _, there = both(client)
    places = (
        entries.SpreadTensor.of(there, 3)._handle.plan(RANKS, threads=1, sparse_core=False).places
    )
    assert [len(each) for each in places.shards] == [3, 3, 3]
    assert cut_mode(places.outline, 0, 3).shards == places.cuts[0].shards
