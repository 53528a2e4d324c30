"""What a case is: something that must hold, tried for some seconds, and how often it did."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass
class Tally:
    """How often something was tried, how often it held, and what is worth telling.

    Attributes
    ----------
    tried, held : int
    notes : list of str
    faults : Counter
        What happened instead, and how often.
    known : Counter
        The same of what is not ours to mend; the page says why.
    late : Counter
        The same of what came, but too late: on a machine with much else to do it may be its fault.
    """

    tried: int = 0
    held: int = 0
    notes: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    late: Counter[str] = field(default_factory=Counter)

    def add(
        self, fault: str | None, times: int = 1, *, is_known: bool = False, is_late: bool = False
    ) -> None:
        """Count something that was tried; without a fault it held."""
        self.tried += times
        if fault is None:
            self.held += times
        else:
            (self.known if is_known else self.late if is_late else self.faults)[fault] += times

    @property
    def told(self) -> str:
        """Notes and faults, for a table."""
        worst = [*self.faults.most_common(3), *self.late.most_common(3)]
        faults = [f"did not hold ({times}): {what}" for what, times in worst]
        known = [f"did not hold ({times}), known: {what}" for what, times in self.known.items()]
        return "; ".join([*faults, *known, *self.notes])


@dataclass
class Share:
    """The seconds that a case may take, and its random numbers, which are the same in every run."""

    seconds: float
    rng: random.Random
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """How many seconds are left."""
        return self.began + self.seconds - time.monotonic()

    def turns(self, most: int, least: int = 1) -> Iterator[int]:
        """Count turns until the time is over, or there have been enough."""
        for turn in range(most):
            if turn >= least and self.left <= 0.0:
                return
            yield turn


@dataclass(frozen=True)
class Case:
    """Something that must hold.

    Attributes
    ----------
    title : str
        What is done.
    promise : str
        What must hold.
    run : callable
        Tries it for a share of the time.
    weight : float
        How large that share is, beside those of the others.
    in_slice : bool
        Whether a slice of a few minutes has it, too: not what the suite itself runs.
    """

    title: str
    promise: str
    run: Callable[[Share], Tally]
    weight: float = 1.0
    in_slice: bool = True
