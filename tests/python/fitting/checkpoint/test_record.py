"""What is recorded is not done again, and what follows is the same as if nothing had ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from vest_tucker.fitting.checkpoint.record import (
    Entry,
    Kept,
    Record,
    beside,
    loop,
    recorded_in,
    stage,
)


class Ended(Exception):  # noqa: N818 - not an error
    """The process has ended."""


def ended_after(rounds: int) -> Callable[[Record], None]:
    """Return what ends a call after so many rounds, and keeps what a file would have then."""
    left = [rounds]

    def reached(record: Record) -> None:
        left[0] -= 1
        if left[0] == 0:
            record.entries = record.complete()
            raise Ended

    return reached


def run_in_pieces(work: Callable[[], Any], rounds: int) -> tuple[Any, int]:
    """Return what some work gives if it ends after so many rounds each time, and how often."""
    entries: dict[str, Entry] = {}
    for times in range(10_000):
        record = Record(ended_after(rounds), entries)
        try:
            with recorded_in(record):
                return work(), times
        except Ended:
            assert record.left
            entries = record.entries
    raise AssertionError("it never ends")


def nested(rng: np.random.Generator, done: list[str]) -> list[float]:
    """Stages in stages, loops in loops, random numbers before, in and after all of them."""

    def part() -> float:
        done.append("part")
        total = rng.random()
        with loop("inner", None) as here:
            at = here.state or [np.zeros(1), 0]
            while at[1] < 3:
                at[0] += rng.random()
                at[1] += 1
                here.reached(at)
        return total + float(at[0][0])

    found = [rng.random()]
    with beside(rng):
        found.append(stage("first", part))
        with loop("outer", has_stages=True) as here:
            sums = here.state or [0.0]
            while len(sums) < 4:
                sums.append(sums[-1] + part() + stage("of the outer", part))
                here.reached(sums)
        found += sums
        found.append(stage("last", part))
    return [*found, rng.random()]


@pytest.mark.parametrize("rounds", [1, 2, 3, 5, 8])
def test_a_call_in_pieces_gives_the_same(rounds: int) -> None:
    whole = nested(np.random.default_rng(0), [])
    found, times = run_in_pieces(lambda: nested(np.random.default_rng(0), []), rounds)
    assert found == whole
    assert times >= 27 // rounds - 1  # 24 rounds of the inner loops, 3 of the outer one


def test_what_is_complete_is_not_done_again() -> None:
    done: list[str] = []
    nested(np.random.default_rng(0), done)
    entries: dict[str, Entry] = {}
    with recorded_in(record := Record()):
        nested(np.random.default_rng(0), [])
    entries = record.entries
    again: list[str] = []
    with recorded_in(Record(entries=entries)):
        nested(np.random.default_rng(0), again)
    assert (len(done), again) == (8, [])


def test_results_are_kept_as_they_were_when_they_were_complete() -> None:
    with recorded_in(record := Record()):
        first = stage("ones", lambda: np.ones(2))
        first *= 5.0
    with recorded_in(Record(entries=record.entries)):
        again = stage("ones", lambda: np.zeros(2))
        assert again.tolist() == [1.0, 1.0]
        again *= 7.0
    with recorded_in(Record(entries=record.entries)):
        assert stage("ones", lambda: np.zeros(2)).tolist() == [1.0, 1.0]


def test_lists_that_stand_beside_come_back() -> None:
    def work() -> list[int]:
        told: list[int] = []
        with beside(told), loop("telling") as here:
            at = here.state or [0]
            while at[0] < 4:
                at[0] += 1
                told.append(at[0])
                here.reached(at)
        return told

    assert run_in_pieces(work, 1)[0] == [1, 2, 3, 4]


def test_what_a_loop_has_left_in_the_middle_is_not_recorded() -> None:
    with recorded_in(record := Record()), loop("interrupted") as here:
        here.reached([1])
        here.is_left = True
    assert record.left
    assert record.entries == {}


def test_nothing_is_recorded_where_nothing_is_to_be() -> None:
    with recorded_in(record := Record()), recorded_in(None):
        assert stage("own", lambda: 3) == 3
    assert record.entries == {}


def made_again() -> Any:
    raise AssertionError("what is complete is made again")


def test_less_of_a_result_may_be_kept() -> None:
    rng = np.random.default_rng(0)
    with recorded_in(record := Record()), beside(rng):
        where = Kept()
        stage("large", lambda: {"all": np.ones(1000), "sum": rng.random()}, kept=where)
        state = rng.bit_generator.state
        rng.random()
        size = len(record.entries[where.place].packed)
        where.change(lambda was: {**was, "all": None})
        assert len(record.entries[where.place].packed) < size - 7000
    other = np.random.default_rng(5)
    with recorded_in(Record(entries=record.entries)), beside(other):
        found: Any = stage("large", made_again)
    assert found["all"] is None
    assert other.bit_generator.state == state  # as it was after the stage, not later
    Kept().change(lambda was: pytest.fail("nothing is recorded"))
