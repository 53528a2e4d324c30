"""Which shards a task works on, and whose answers are whose."""

from __future__ import annotations

from typing import Any

import pytest

rounds = pytest.importorskip("vest_tucker.dask.fitting.rounds")


def test_each_shard_is_in_one_group() -> None:
    homes = ["one", "two", "one", rounds.NOWHERE, "one", "two", "one", "one"]
    groups = rounds.groups_of(homes, {"one": 2, "two": 4})
    assert sorted(number for each in groups for number in each.numbers) == list(range(8))
    for each in groups:
        assert {homes[number] for number in each.numbers} == {each.worker}
    sizes = [len(each.numbers) for each in groups]
    assert sizes == [3, 2, 1, 1, 1]
    (alone,) = [each for each in groups if each.worker == rounds.NOWHERE]
    assert list(alone.numbers) == [3]


def test_a_worker_that_nobody_knows_has_one_thread() -> None:
    (group,) = rounds.groups_of(["gone", "gone"], {"one": 2})
    assert (group.worker, list(group.numbers)) == ("gone", [0, 1])


def test_answers_are_put_in_order() -> None:
    round_ = rounds.Round(["x", "y"], [[3, 0], [1, 2]])
    assert round_.in_order([["d", "a"], ["b", "c"]]) == ["a", "b", "c", "d"]
    assert rounds.Round([], []).in_order([]) == []


def test_answers_that_were_kept_are_found_again() -> None:
    def none() -> Any:
        raise AssertionError("nothing is lost")

    one = rounds.Answers(none, rounds.Round(["x", "y"], [[0, 2], [1]]))
    other = rounds.Answers(none, rounds.Round(["z"], [[1, 0]]))
    kept = [rounds.Kept(one, 2), rounds.Kept(other, 0), rounds.Kept(one, 0)]
    futures, places, numbers = rounds.asked_of(kept)
    held = {"x": ["x0", "x2"], "y": ["y1"], "z": ["z1", "z0"]}
    assert futures == ["x", "z"]
    told = ["first", "second", "third"]
    answers = [
        rounds.answers_of(lambda a, b: (a, b), held[future], some, [told[n] for n in own])
        for future, some, own in zip(futures, places, numbers, strict=True)
    ]
    found = rounds.Round(futures, numbers).in_order(answers)
    assert found == [("x2", "first"), ("z0", "second"), ("x0", "third")]
