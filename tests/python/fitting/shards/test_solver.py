"""A solver made of shards, method by method beside one that has the entries."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sharded import long_rows, places_of
from vest_tucker import _core
from vest_tucker.fitting.shards.shard import update_rows
from vest_tucker.fitting.shards.solver import ShardedSolver, in_order

RANKS = (2, 3, 2)
ALLOCATIONS = (_core.Allocation.PER_PART, _core.Allocation.GLOBAL)


def start(noise: bool = False) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    shape = long_rows().shape
    parts = [rng.normal(size=RANKS), *(rng.normal(size=s) for s in zip(shape, RANKS, strict=True))]
    given: dict[str, Any] = {"core": parts[0], "factors": parts[1:], "lam": 0.3, "norm": 2.0}
    if not noise:
        return {**given, "kind": _core.PenaltyKind.L1}
    variances = [np.full(part.shape, 0.01) for part in parts]
    return {**given, "kind": _core.PenaltyKind.NOISE, "variances": variances}


def both(count: int = 3, noise: bool = False, **options: Any) -> Iterator[Any]:
    X = long_rows()
    yield _core.Solver(_core.Plan(X._handle, RANKS), **start(noise), **options)
    yield ShardedSolver(places_of(X, RANKS, count), **start(noise), **options)


def same(one: Any, other: Any) -> bool:
    parts = [(one.core, other.core)]
    parts += [(one.factor(n), other.factor(n)) for n in range(3)]
    marks = [(one.marks(part), other.marks(part)) for part in range(4)]
    return all(np.array_equal(a, b) for a, b in (*parts, *marks))


@pytest.mark.parametrize("allocation", ALLOCATIONS)
@pytest.mark.parametrize("count", [1, 2, 7])
def test_prune_and_revive(count: int, allocation: _core.Allocation) -> None:
    one, other = both(count, allocation=allocation)
    for solver in (one, other):
        for mode in range(3):
            solver.update_factor(mode)
        solver.update_core()
    for judge in (True, False, True):
        assert one.error(judge) == other.error(judge)
        free = one.n_free
        counts = [each // 5 for each in free]
        for solver in (one, other):
            solver.prune([sum(counts)] if allocation is ALLOCATIONS[1] else counts)
            solver.update_factor(2)
        assert same(one, other)
    assert one.revive() == other.revive() > 0
    assert same(one, other)
    for name in ("sizes", "n_pruned", "n_free", "n_zeros", "order", "isa"):
        assert getattr(one, name) == getattr(other, name), name


class Watched:
    """Places that tell which updates have begun, and which were asked for."""

    def __init__(self, places: Any) -> None:
        self.places, self.begun, self.taken = places, list[int](), list[int]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.places, name)

    def begin(self, mode: int, function: Any, state: Any) -> Any:
        began = self.places.begin(mode, function, state)
        if function is not update_rows:
            return began
        self.begun.append(mode)

        def asked() -> Any:
            self.taken.append(mode)
            return began()

        return asked


@pytest.mark.parametrize("noise", [False, True])
def test_the_next_sweep_begins_beside_the_error_if_nothing_comes_between(noise: bool) -> None:
    X = long_rows()
    places = Watched(places_of(X, RANKS, 3))
    one = _core.Solver(_core.Plan(X._handle, RANKS), **start(noise))
    other = ShardedSolver(places, **start(noise))

    def sweep(modes: list[int]) -> None:
        places.begun.clear()
        places.taken.clear()
        for solver in (one, other):
            solver.update_factors(modes)
            solver.update_core()
        assert one.error() == other.error()
        assert same(one, other)

    sweep([0, 1, 2])
    assert places.begun == places.taken == [0, 1, 2]
    sweep([0, 1, 2])  # nothing came between, so that is expected again
    assert (places.begun, places.taken) == ([0, 1, 2, 0], [0, 1, 2])
    sweep([0, 1, 2])
    assert (places.begun, places.taken) == ([1, 2, 0], [0, 1, 2])
    sweep([2, 1])  # another one than was expected
    assert (places.begun, places.taken) == ([2, 1, 2], [2, 1])
    for solver in (one, other):
        if noise:
            solver.set_prior(3, precision=[0.5] * RANKS[2], noise=0.2)
        else:
            solver.set_penalty(3, lam=0.7)
    sweep([2])  # what has begun was of another penalty
    assert (places.begun, places.taken) == ([2], [2])
    sweep([2])
    assert (places.begun, places.taken) == ([2, 2], [2])
    for solver in (one, other):
        solver.responsibilities(1)
    sweep([2])
    assert (places.begun, places.taken) == ([2, 2], [2])
    sweep([])
    assert (places.begun, places.taken) == ([], [])


@pytest.mark.parametrize("noise", [False, True])
def test_sums_and_responsibilities(noise: bool) -> None:
    one, other = both(5, noise)
    for part in range(4):
        np.testing.assert_array_equal(one.responsibilities(part), other.responsibilities(part))
    for mode, dim in enumerate(long_rows().shape):
        rows = np.arange(dim, dtype=np.int32)
        for some in (rows, rows[::3].copy(), rows[:0]):
            for a, b in zip(one.row_sums(mode, some), other.row_sums(mode, some), strict=True):
                np.testing.assert_array_equal(a, b)


def test_masks_and_charges_reach_the_shards() -> None:
    rng = np.random.default_rng(3)
    for noise in (False, True):
        one, other = both(3, noise)
        for part, size in enumerate((RANKS, *zip(long_rows().shape, RANKS, strict=True))):
            zero, kept = rng.random(size) < 0.2, rng.random(size) < 0.3
            fixed = rng.random(size) < 0.1
            for solver in (one, other):
                solver.set_pruned(part, zero)
                solver.set_kept(part, kept)
                if noise:
                    columns = 1 if part == 0 else size[1]
                    solver.set_fixed(part, fixed)
                    solver.set_prior(part, precision=[0.5] * columns, noise=0.2)
                else:
                    weights = {} if part == 0 else {"row_weight": np.arange(1.0, 1.0 + size[0])}
                    solver.set_penalty(part, lam=0.1, nonnegative=part == 2, **weights)
        for solver in (one, other):
            for mode in range(3):
                solver.update_factor(mode)
            solver.values_changed()
            solver.update_core()
        assert same(one, other)
        np.testing.assert_array_equal(one.pruned(1), other.pruned(1))
        marks = one.marks(2).copy()
        marks[:, 0] = 2
        for solver in (one, other):
            solver.set_marks(2, marks)
        assert same(one, other)


def test_more_than_there_are_cannot_be_pruned() -> None:
    _, other = both()
    with pytest.raises(ValueError, match="cannot prune"):
        other.prune([10**9, 0, 0, 0])


def test_numbers_are_added_in_order() -> None:
    some = np.array([1e16, 1.0, -1e16, 1.0])
    assert in_order([some[:1], some[1:]]) == ((1e16 + 1.0) - 1e16) + 1.0


def test_a_solver_that_is_gone_leaves_nothing() -> None:
    _, other = both()
    other.update_core()
    places = weakref.ref(other._places)
    gone = weakref.ref(other)
    del other, _
    gc.collect()
    assert gone() is None
    assert places() is None, "its shards would stay on the workers"
