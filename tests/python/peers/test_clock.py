"""The clock stands still where it should."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from peers import clock as module
from peers.clock import Clock


class Time:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr(module, "time", time)
    return time


def test_looking_does_not_count(passing: Time) -> None:
    clock = Clock(curve=True)
    passing.now += 2.0

    def slow() -> np.ndarray:
        passing.now += 50.0
        return np.zeros(1)

    clock.point(slow)
    passing.now += 3.0
    assert clock.seconds == 5.0
    assert [when for when, _ in clock.points] == [2.0]


def test_points_are_an_eighth_apart(passing: Time) -> None:
    clock = Clock(curve=True)
    for _ in range(100):
        passing.now += 0.1
        clock.point(lambda: np.zeros(1))
    times = [when for when, _ in clock.points]
    assert 10 < len(times) < 40
    assert all(after >= 1.125 * before for before, after in pairwise(times))


def test_nobody_asked(passing: Time) -> None:
    clock = Clock()
    passing.now += 1.0
    clock.point(lambda: np.zeros(1))
    clock.keep(lambda: np.zeros(1))
    assert clock.points == []
    assert clock.lengths(100) == [100]


def test_what_must_begin_anew(passing: Time) -> None:
    clock = Clock(curve=True)
    passing.now += 7.0  # spent on choosing settings
    clock.settle()
    for length in clock.lengths(10):
        clock.restart()
        passing.now += length
        clock.keep(lambda: np.zeros(1))
    assert [when for when, _ in clock.points] == [8.0, 9.0, 11.0, 15.0, 17.0]
    assert clock.lengths(50, first=10) == [10, 20, 40, 50]
