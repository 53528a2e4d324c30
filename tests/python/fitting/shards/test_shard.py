"""What a shard does leaves the shard and the state as they are, and can be done again."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest

from sharded import long_rows, noisy_state, places_of, plain_state
from vest_tucker import _core
from vest_tucker.fitting.shards.shard import (
    Charge,
    CoreSum,
    core_sums,
    judge_rows,
    squares_of,
    sum_rows,
    update_rows,
)

RANKS = (2, 3, 2)


@pytest.mark.parametrize("state_of", [plain_state, noisy_state])
def test_an_update_can_be_repeated(state_of) -> None:  # type: ignore[no-untyped-def]
    places = places_of(long_rows(), RANKS, 3)
    for mode in range(3):
        state = state_of(long_rows().shape, RANKS, mode)
        before = [each.copy() for each in (state.core, *state.factors, *state.variances)]
        for each in (state.core, *state.factors, *state.variances):
            each.flags.writeable = False  # what came from elsewhere is not to be written to
        for shard in places.shards[mode]:
            first, second = update_rows(shard, state), update_rows(shard, state)
            np.testing.assert_array_equal(first.values, second.values)
            np.testing.assert_array_equal(first.pieces.shape, second.pieces.shape)
            assert (first.variances is None) == (not state.variances)
        after = [state.core, *state.factors, *state.variances]
        for a, b in zip(before, after, strict=True):
            np.testing.assert_array_equal(a, b)


def test_sums_are_of_the_rows_that_are_here() -> None:
    X = long_rows()
    places = places_of(X, RANKS, 3)
    state = plain_state(X.shape, RANKS, 0)
    rows = np.array([0, 5, X.shape[0] - 1], dtype=np.int32)
    found = [sum_rows(shard, state, rows) for shard in places.shards[0]]
    assert [len(each.b) for each in found] == [2, 0, 1]
    assert all(each.V.shape == (len(each.b), 2, 2) for each in found)


def test_squares_are_the_same_whoever_asks() -> None:
    X = long_rows()
    places = places_of(X, RANKS, 2)
    mode = places.outline.core_mode
    state = plain_state(X.shape, RANKS, mode)
    for shard in places.shards[mode]:
        judged = judge_rows(shard, state)
        np.testing.assert_array_equal(judged.squares, squares_of(shard, state))
        assert judged.scores.shape == judged.marks.shape


def test_only_shards_of_the_cores_mode_sum_for_it() -> None:
    X = long_rows()
    places = places_of(X, RANKS, 2)
    mode = places.outline.core_mode
    which = CoreSum(_core.CoreSumKind.GRAM, 5, np.zeros(0, np.uint64), False, False)
    (columns, *_) = [
        core_sums(shard, plain_state(X.shape, RANKS, mode), which) for shard in places.shards[mode]
    ]
    assert columns.shape[1] == 5
    other = (mode + 1) % 3
    with pytest.raises(ValueError, match="core's mode"):
        core_sums(places.shards[other][0], plain_state(X.shape, RANKS, other), which)


def test_a_charge_tells_rows_their_own_weights() -> None:
    X = long_rows()
    shard = places_of(X, RANKS, 3).shards[0][1]
    state = plain_state(X.shape, RANKS, 0)
    weights = np.linspace(1.0, 50.0, X.shape[0])
    charged = Charge(state.charge.kind, 5.0, row_weight=weights)
    heavier = update_rows(shard, type(state)(**{**vars(state), "charge": charged}))
    lighter = update_rows(shard, state)
    assert np.abs(heavier.values).sum() < np.abs(lighter.values).sum()


def test_a_shard_can_travel() -> None:
    X = long_rows()
    shard = places_of(X, RANKS, 3).shards[2][1]
    other = pickle.loads(pickle.dumps(shard))
    state = plain_state(X.shape, RANKS, 2)
    first, second = update_rows(shard, state), update_rows(other, state)
    np.testing.assert_array_equal(first.values, second.values)
    assert sys.getsizeof(shard) > other.plan.nbytes > 16 * (shard.bounds.last - shard.bounds.first)
