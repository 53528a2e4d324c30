"""Where the shards of a fit lie, and how calls reach them.

A solver made of shards asks for nothing else of them. `InProcess` has them all here; a cluster has
the same interface.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from vest_tucker import _core
from vest_tucker.base.types import Coords, Floats
from vest_tucker.fitting.shards.cut import Bounds, ModeCut, cut_mode
from vest_tucker.fitting.shards.shard import Ended, Shard, State


class Places(Protocol):
    """The shards of all modes, wherever they lie.

    Attributes
    ----------
    outline : _core.Plan
        What all shards have in common.
    cuts : sequence of ModeCut
        The shards of each mode, in order.
    """

    outline: _core.Plan
    cuts: Sequence[ModeCut]

    def opened(self) -> Places:
        """Return the same shards for another solver, whose state nobody has been told."""

    def hurry(self) -> None:
        """Wait for nothing longer than a few seconds from now on."""

    def changed(self, what: str, part: int) -> None:
        """Hear that values, variances, marks or the charge of a part are no longer the same."""

    def call(self, mode: int, function: Callable[..., Any], state: State, *args: Any) -> list[Any]:
        """Return ``function(shard, state, *args)`` of each shard of a mode, in order."""

    def begin(self, mode: int, function: Callable[..., Any], state: State) -> Any:
        """Begin such a call; return what stands for its answers."""

    def answers(self, begun: Any) -> list[Any]:
        """Return the answers of a call that has begun."""

    def stay(self, mode: int, begun: Any, ended: Ended | None = None) -> bool:
        """Have later calls take a factor from where its new rows lie, if that can be.

        ``begun`` stands for these rows, of each shard of the mode.

        ``ended`` has the rows that are cut between shards. Where it is so, a call may begin before
        the rows are here; otherwise they must be in the state, and be told to have changed.
        """

    def keep(self, mode: int, function: Callable[..., Any], state: State) -> list[Any]:
        """Do the same, but leave the answers where they are: return what stands for them."""

    def ask(self, kept: Sequence[Any], function: Callable[..., Any], *args: Any) -> list[Any]:
        """Return ``function(answer, *args)`` of each answer that was kept, in order.

        An argument that is a list has one item for each of them.
        """


class InProcess:
    """All shards in this process, one after the other."""

    def __init__(
        self, outline: _core.Plan, cuts: Sequence[ModeCut], shards: Sequence[Sequence[Shard]]
    ) -> None:
        self.outline, self.cuts, self.shards = outline, cuts, shards

    def opened(self) -> InProcess:
        """Return itself: it tells nobody anything."""
        return self

    def hurry(self) -> None:
        """Nothing here is waited for."""

    def changed(self, what: str, part: int) -> None:
        """Nothing was sent anywhere."""

    def call(self, mode: int, function: Callable[..., Any], state: State, *args: Any) -> list[Any]:
        """Call them in turn."""
        return [function(shard, state, *args) for shard in self.shards[mode]]

    def begin(
        self, mode: int, function: Callable[..., Any], state: State
    ) -> Callable[[], list[Any]]:
        """Return what calls them."""
        return lambda: self.call(mode, function, state)

    def answers(self, begun: Callable[[], list[Any]]) -> list[Any]:
        """Call them in turn."""
        return begun()

    def stay(self, mode: int, begun: Any, ended: Ended | None = None) -> bool:
        """Refuse: shards read the state itself."""
        return False

    def keep(self, mode: int, function: Callable[..., Any], state: State) -> list[Any]:
        """Call them in turn."""
        return self.call(mode, function, state)

    def ask(self, kept: Sequence[Any], function: Callable[..., Any], *args: Any) -> list[Any]:
        """Call them in turn."""
        each_one = spread(args, len(kept))
        return [function(answer, *each) for answer, *each in zip(kept, *each_one, strict=True)]


def spread(args: Sequence[Any], count: int) -> list[list[Any]]:
    """Return arguments as lists: those that are lists already have an item for each call."""
    return [arg if isinstance(arg, list) else [arg] * count for arg in args]


def in_process(
    coords: Coords,
    values: Floats,
    weights: Floats | None,
    outline: _core.Plan,
    shape: Sequence[int],
    count: int,
) -> InProcess:
    """Cut entries that are all here into shards."""
    cuts = [cut_mode(outline, mode, count) for mode in range(len(shape))]
    shards = []
    for mode, cut in enumerate(cuts):
        columns = [coords[:, each] for each in reversed(outline.sort_modes(mode))]
        order = np.lexsort(columns)
        shards.append(
            [
                make_shard(outline, each, shape, *_taken(order, each, coords, values, weights))
                for each in cut.shards
            ]
        )
    return InProcess(outline, cuts, shards)


def _taken(
    order: Any, bounds: Bounds, coords: Coords, values: Floats, weights: Floats | None
) -> tuple[Coords, Floats, Floats | None]:
    """Return the entries of a shard, in the order in which they were given."""
    mine = np.sort(order[bounds.first : bounds.last])
    return coords[mine], values[mine], None if weights is None else weights[mine]


def make_shard(
    outline: _core.Plan,
    bounds: Bounds,
    shape: Sequence[int],
    coords: Coords,
    values: Floats,
    weights: Floats | None,
    threads: int = 0,
) -> Shard:
    """Sort the entries of a shard as its kernels read them."""
    entries = _core.SparseTensor(coords, values, shape, weights) if len(values) else None
    plan = outline.shard(entries, bounds.mode, bounds.begin, bounds.end, threads=threads)
    return Shard(plan, bounds)
