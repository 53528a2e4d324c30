"""Seconds of fitting alone: the clock stands still while a model in the making is looked at."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from peers.peer import Floats


class Clock:
    """Counts the seconds of a fit, and keeps what was predicted on the way."""

    def __init__(self, curve: bool = False) -> None:
        self.curve = curve
        self.points: list[tuple[float, Floats]] = []
        self.offset = 0.0  # what was taken off the values, and is missing from predictions
        self._floor = 0.0
        self.restart()

    def restart(self) -> None:
        """Count from nothing again, for systems that must be fitted anew for every point."""
        self._before = self._floor
        self._since = time.perf_counter()

    def settle(self) -> None:
        """Count what was spent so far even after a restart."""
        self._floor = self.seconds

    @property
    def seconds(self) -> float:
        """The seconds so far."""
        return self._before + time.perf_counter() - self._since

    @contextmanager
    def paused(self) -> Iterator[float]:
        """Do something that does not count; gives the seconds so far."""
        self._before = self.seconds
        try:
            yield self._before
        finally:
            self._since = time.perf_counter()

    @property
    def due(self) -> bool:
        """Whether somebody wants to know, and an eighth has been added to the last point's time."""
        last = self.points[-1][0] if self.points else 0.0
        return self.curve and self.seconds >= 1.125 * last + 0.001

    def point(self, predict: Callable[[], Floats]) -> None:
        """Keep what is predicted now, if it is time to."""
        if self.due:
            self.keep(predict)

    def keep(self, predict: Callable[[], Floats]) -> None:
        """Keep what is predicted now, if anybody wants to know."""
        if self.curve:
            with self.paused() as seconds:
                self.points.append((seconds, predict() + self.offset))

    def lengths(self, most: int, first: int = 1) -> list[int]:
        """Return how long to fit, one after the other, what cannot be looked at on the way.

        The lengths double up to the one asked for; without a curve it is the only one.
        """
        shorter = [first << k for k in range(most.bit_length()) if first << k < most]
        return [*shorter, most] if self.curve else [most]
