"""Shards in one process: every entry is in one of each mode's, and calls reach them in order."""

from __future__ import annotations

import numpy as np

import vest_tucker as vt
from sharded import long_rows, places_of, plain_state
from vest_tucker.fitting.shards.cut import Bounds
from vest_tucker.fitting.shards.places import make_shard, spread
from vest_tucker.fitting.shards.shard import update_rows

RANKS = (2, 2, 2)


def test_calls_go_in_order() -> None:
    places = places_of(long_rows(), RANKS, 3)
    state = plain_state(long_rows().shape, RANKS, 0)
    begins = places.call(
        0, lambda shard, told, more: (shard.bounds.begin, told is state, more), state, 7
    )
    assert begins == [(each.begin, True, 7) for each in places.cuts[0].shards]
    kept = places.keep(0, lambda shard, told: shard.bounds.end, state)
    assert places.ask(kept, lambda end, a, b: (end, a, b), 1, [4, 5, 6]) == [
        (each.end, 1, b) for each, b in zip(places.cuts[0].shards, (4, 5, 6), strict=True)
    ]
    places.changed("values", 0)  # nobody has to hear it


def test_lists_are_spread() -> None:
    assert spread((1, [2, 3]), 2) == [[1, 1], [2, 3]]


def test_chunks_of_rows_without_entries_make_a_shard() -> None:
    rng = np.random.default_rng(0)
    coords = np.unique(rng.integers(0, 40, size=(1000, 2)), axis=0)
    X = vt.SparseTensor(coords, rng.normal(size=len(coords)), (9000, 40))
    outline = places_of(X, (2, 2), 1).outline
    begin, end = len(outline.chunks(0)) - 2, len(outline.chunks(0))
    rows = slice(*outline.chunks(0)[[begin, end - 1], [2, 3]].tolist())
    bounds = Bounds(0, begin, end, X.nnz, X.nnz, rows, rows)
    shard = make_shard(outline, bounds, X.shape, X.coords[:0], X.values[:0], None)
    state = plain_state(X.shape, (2, 2), 0)
    new = update_rows(shard, state)
    assert new.values.shape == (rows.stop - rows.start, 2)
    assert not new.values.any()
