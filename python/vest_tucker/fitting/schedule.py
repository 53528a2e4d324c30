"""What a fit updates in which iteration, and what it leaves alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from vest_tucker.fitting.constraints import Constraints


@dataclass(frozen=True)
class Schedule:
    """The order of work. By default the paper's: everything is updated in every iteration.

    Attributes
    ----------
    modes : tuple of int or None
        The modes whose factors are updated; None: all.
    settle : int
        Number of first iterations that update only these factors and prune nothing.
    core_turns : int or None
        Number of core updates after that, before pruning; None: every iteration updates the core,
        from the first on.
    constraints : Constraints
        Elements that this schedule keeps at zero, or never prunes.
    """

    modes: tuple[int, ...] | None = None
    settle: int = 0
    core_turns: int | None = None
    constraints: Constraints = field(default_factory=Constraints)

    @property
    def before_pruning(self) -> int:
        """How many iterations go by before anything is pruned."""
        return self.settle + (self.core_turns or 0)

    @property
    def core_joins_late(self) -> bool:
        """Whether the core is updated only after the factors have settled."""
        return self.core_turns is not None

    def updates_factor(self, mode: int) -> bool:
        """Tell whether the factor of a mode is updated."""
        return self.modes is None or mode in self.modes

    def updates_core(self, t: int) -> bool:
        """Tell whether iteration ``t`` updates the core."""
        return self.core_turns is None or self.settle < t <= self.before_pruning
