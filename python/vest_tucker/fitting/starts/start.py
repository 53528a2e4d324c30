"""What a fit starts from, and what a kind of start must tell to be on the register."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.problem import Problem
from vest_tucker.fitting.schedule import Schedule


@dataclass(frozen=True)
class Start:
    """A core and factors, which the fit turns into its result.

    Attributes
    ----------
    core, factors
    title : str
        What progress calls a fit from here.
    schedule : Schedule
        What the fit updates in which iteration.
    lam : float or None
        The penalty that goes with this start where none is asked for.
    in_another_basis : bool
        Whether the starts beside this one are the same model in other bases. Pruned, they end
        unequally sparse, so that their errors alone do not tell which is better.
    """

    core: Floats
    factors: list[Floats]
    title: str = "random"
    schedule: Schedule = field(default_factory=Schedule)
    lam: float | None = None
    in_another_basis: bool = False

    def copy(self) -> Start:
        """Return the same start in arrays of its own: a fit works in them."""
        return replace(self, core=self.core.copy(), factors=[each.copy() for each in self.factors])


@dataclass(frozen=True, kw_only=True)
class StartKind:
    """What `init` can name: how such starts are made, and how ``lam="auto"`` searches from them.

    Attributes
    ----------
    name : str
    make : callable
        From a problem and a generator, one start; the search begins from it.
    starts : callable
        From a problem, a generator and a number of core turns, all the starts to fit from.
    lam_unit : callable
        From a problem and a seed, the lam that the grid is a multiple of. It must move with the
        data as the best lam does, because it carries what is found over to all entries.
    grid : tuple of float
        Multiples to try, from small to large, so that each warms up the next.
    first_sweeps, sweeps : int
        Updates at the first multiple, and at each that follows.
    is_searched : bool
        Whether ``lam="auto"`` tries this kind if `init` is not given.
    core_turns : tuple of int
        Numbers of core updates that the search tries.
    with_core_turns : callable
        From a start, the same one with this many core turns.
    allows : callable
        Whether such starts can meet these constraints.
    """

    name: str
    make: Callable[[Problem, np.random.Generator], Start]
    starts: Callable[[Problem, np.random.Generator, int], Iterator[Start]]
    lam_unit: Callable[[Problem, int], float]
    grid: tuple[float, ...] = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
    first_sweeps: int
    sweeps: int
    is_searched: bool
    core_turns: tuple[int, ...] = (0,)
    with_core_turns: Callable[[Start, int], Start] = lambda start, turns: start.copy()
    allows: Callable[[Constraints], bool] = lambda constraints: True


def several(make: Callable[[], Start], count: int | None) -> Iterator[Start]:
    """Yield so many starts, numbered if there are more than one."""
    for number in range(1, (count or 1) + 1):
        start = make()
        yield replace(start, title=f"start {number} of {count}") if (count or 1) > 1 else start
