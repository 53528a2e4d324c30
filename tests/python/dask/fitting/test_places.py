"""Calls to shards on workers: in order, sent when it has changed, repeated when it is lost."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from clustered import both
from sharded import long_rows, plain_state
from vest_tucker import _core
from vest_tucker.fitting.algorithm import error_left
from vest_tucker.fitting.shards.solver import ShardedSolver

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


def solvers(places: Any, noise: bool = False) -> Any:
    """Return a solver of shards on the cluster, and one of all entries here."""
    X = long_rows()
    rng = np.random.default_rng(0)
    parts = [
        rng.normal(size=RANKS),
        *(rng.normal(size=s) for s in zip(X.shape, RANKS, strict=True)),
    ]
    given: dict[str, Any] = {"lam": 0.3, "norm": 2.0, "kind": _core.PenaltyKind.L1}
    if noise:
        given["kind"] = _core.PenaltyKind.NOISE
    own = [[each.copy() for each in parts] for _ in range(2)]
    unsure = [[np.full(each.shape, 0.01) for each in parts] if noise else [] for _ in range(2)]
    plan = _core.Plan(X._handle, RANKS)
    return (
        _core.Solver(plan, own[0][0], own[0][1:], variances=unsure[0], **given),
        ShardedSolver(places, own[1][0], own[1][1:], variances=unsure[1], **given),
    )


def same(one: Any, other: Any) -> bool:
    """Tell whether two solvers stand at the same bits."""
    parts = [(one.core, other.core), *((one.factor(n), other.factor(n)) for n in range(3))]
    return all(np.array_equal(a, b) for a, b in parts)


def iterate_alike(one: Any, other: Any) -> None:
    """Go three iterations with both, which must have the same bits after each."""
    for _ in range(3):
        for solver in (one, other):
            solver.update_factors([0, 1, 2])
            solver.update_core()
        assert one.error() == other.error()
        assert same(one, other)


@pytest.mark.parametrize("noise", [False, True])
def test_new_rows_stay_on_the_workers(
    places: Any, monkeypatch: pytest.MonkeyPatch, noise: bool
) -> None:
    monkeypatch.setattr("vest_tucker.dask.told.INLINE", 100)
    sent: list[int] = []
    real = places_.all_sent

    def all_sent(client: Any, some: Any, *told: Any) -> Any:
        sent.append(len(some))
        return real(client, some, *told)

    monkeypatch.setattr(places_, "all_sent", all_sent)
    one, other = solvers(places, noise)
    iterate_alike(one, other)
    assert isinstance(places._sent["values", 1], places_.Copies)
    assert len(places._sent["values", 1].by_worker) == 2
    assert ("variances", 1) in places._sent if noise else ("variances", 1) not in places._sent
    told = sum(sent)
    other.update_factors([0, 1])
    assert sum(sent) == told  # nothing more goes out from here
    other.values_changed()
    other.update_factors([0])
    assert sum(sent) > told


def test_few_rows_do_not_stay_on_many_workers(places: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vest_tucker.dask.told.INLINE", 100)
    monkeypatch.setattr(places_, "FEW", 1)
    _, other = solvers(places)
    other.update_factors([0, 1])
    assert not isinstance(places._sent["values", 1], places_.Copies)  # 3,200 bytes, two workers
    monkeypatch.setattr(places_, "PAIR", 100)
    other.update_factors([0, 1])
    assert isinstance(places._sent["values", 1], places_.Copies)


def test_after_some_rounds_everything_is_sent_again(
    places: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.dask.told.INLINE", 100)
    monkeypatch.setattr(places_, "DEEPEST", 4)
    depths = []
    one, other = solvers(places)
    for _ in range(6):
        for solver in (one, other):
            solver.update_factors([0, 1])
        depths.append(getattr(places._sent.get(("values", 2)), "depth", 0))
    assert same(one, other)
    assert depths == [2, 4, 0, 2, 4, 0]


def test_rounds_that_are_lost_on_the_way_are_repeated_from_here(
    places: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second round has begun with rows of the first one, which then comes anew."""
    monkeypatch.setattr("vest_tucker.dask.told.INLINE", 100)
    real, calls = places_.gathered, [0]

    def gathered(*args: Any, **options: Any) -> Any:
        calls[0] += 1
        if calls[0] in (1, 3, 7):
            raise OSError("the line is dead")
        return real(*args, **options)

    monkeypatch.setattr(places_, "gathered", gathered)
    one, other = solvers(places)
    iterate_alike(one, other)
    assert calls[0] > 7


def test_an_interrupt_leaves_no_rows_on_the_workers_that_are_not_here(
    places: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.dask.told.INLINE", 100)
    one, other = solvers(places)
    with monkeypatch.context() as patched:

        def gathered(*args: Any, **options: Any) -> Any:
            raise KeyboardInterrupt

        patched.setattr(places_, "gathered", gathered)
        with pytest.raises(KeyboardInterrupt):
            other.update_factors([0, 1])
    assert same(one, other)  # no row has come
    assert one.error() == other.error()


def test_who_wants_to_stop_does_not_wait_for_workers_that_are_gone(
    places: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in a terminal ends the processes of a cluster that was made there, too."""
    _, other = solvers(places)
    other.update_factors([0, 1, 2])
    other.hurry()
    assert places.patience == places_.HURRY

    def none(*args: Any, **options: Any) -> Any:
        raise vt.errors.ClusterError("nobody is there")

    monkeypatch.setattr(places_, "gathered", none)
    history: list[Any] = [SimpleNamespace(error=0.5)]
    assert error_left(other, history) == 0.5


def test_a_task_of_a_worker_that_is_gone_is_made_anew(
    places: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its shards have tasks of their own then, and not one for all that another worker gets."""
    state = plain_state((200, 90, 4), RANKS, 0)
    wanted = places.call(0, begin_of, state)
    old = places.begin(0, begin_of, state)
    places._known_groups = [
        [places_.Group("tcp://10.0.0.9:1", each.numbers) for each in own]
        for own in places._groups()
    ]
    real = places_.gathered

    def gathered(*args: Any, look: Any, **options: Any) -> Any:
        look()
        return real(*args, look=look, **options)

    monkeypatch.setattr(places_, "gathered", gathered)
    with caplog.at_level(logging.WARNING, logger="vest_tucker"):
        assert places.call(0, begin_of, state) == wanted
    assert "repeated, for the worker tcp://10.0.0.9:1 is gone" in caplog.text
    before = old.round
    assert places.answers(old) == wanted
    assert old.round is not before  # it had begun before the loss, and so began anew


def test_workers_that_are_lost_again_and_again_are_no_end_of_tries(
    places: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, real, left = plain_state((200, 90, 4), RANKS, 0), places_.gathered, [20]

    def gathered(*args: Any, **options: Any) -> Any:
        left[0] -= 1
        if left[0] >= 0:
            raise places_.LostWorkerError("one more")
        return real(*args, **options)

    monkeypatch.setattr(places_, "gathered", gathered)
    assert len(places.call(0, begin_of, state)) == 3


def test_a_silent_scheduler_is_no_lost_worker(
    places: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(client: Any) -> Any:
        raise vt.errors.ClusterError("nobody answers")

    monkeypatch.setattr(places_, "threads_of", none)
    with caplog.at_level(logging.WARNING, logger="vest_tucker"):
        places._require_workers({"one"})
    assert "nobody answers" in caplog.text


def test_solvers_of_the_same_shards_hear_of_workers_that_another_saw_first(places: Any) -> None:
    state = plain_state((200, 90, 4), RANKS, 0)
    other = places.opened()
    wanted = other.call(0, begin_of, state)
    groups = other._groups()
    assert other._groups() is groups
    places._workers.add("tcp://10.0.0.9:1")  # as when the other one has looked
    assert other._groups() is not groups
    assert other.call(0, begin_of, state) == wanted


def test_a_mode_may_be_updated_twice_in_a_sweep(
    places: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.dask.told.INLINE", 100)
    one, other = solvers(places)
    for modes in ([0, 0], [0, 1, 0], [1, 0, 1, 2], []):
        for solver in (one, other):
            solver.update_factors(modes)
        assert same(one, other)


def test_an_interrupt_after_the_core_leaves_no_old_core_on_the_workers(
    places: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal while compiled code runs is heard as soon as that is done."""
    one, other = solvers(places)
    for solver in (one, other):
        solver.update_factors([0, 1, 2])
        solver.error()
        solver.update_core()
        solver.update_factors([0])
    inner = other._inner

    class Interrupted:
        def __getattr__(self, name: str) -> Any:
            return getattr(inner, name)

        def update_core(self) -> None:
            inner.update_core()
            raise KeyboardInterrupt

        def prune_chosen(self, chosen: Any) -> None:
            inner.prune_chosen(chosen)
            raise KeyboardInterrupt

    one.update_core()
    other._inner = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        other.update_core()
    assert one.error() == other.error()
    counts = [each // 4 for each in one.n_free]
    one.prune(counts)
    with pytest.raises(KeyboardInterrupt):
        other.prune(counts)
    other._inner = inner
    assert one.error() == other.error()


def test_a_shard_that_is_nowhere_has_a_task_of_its_own(
    places: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = plain_state((200, 90, 4), RANKS, 0)
    wanted = places.call(0, begin_of, state)
    places._known_groups = None
    monkeypatch.setattr(places_, "holders_of", lambda client, shards: {})
    assert [list(each.numbers) for each in places._groups()[0]] == [[0], [1], [2]]
    assert places._known_groups is None  # asked again next time
    assert places.call(0, begin_of, state) == wanted


def test_a_round_that_is_lost_is_repeated(
    places: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    state, real, left = plain_state((200, 90, 4), RANKS, 0), places_.gathered, [2]

    def gathered(*args: Any, **options: Any) -> Any:
        left[0] -= 1
        if left[0] >= 0:
            raise OSError("the line is dead")
        return real(*args, **options)

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
