"""How many elements to prune in an iteration and in all, and when the automatic mode has enough.

The paper takes the same share from every matrix, which empties whole rows of short modes. Yet
responsibility is comparable everywhere: it is what the squared error would gain without an element.
So all elements may as well stand in one ranking, and the least responsible go wherever they are.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from vest_tucker import _core
from vest_tucker.base.errors import SparsityWarning
from vest_tucker.base.options import Allocation
from vest_tucker.base.parts import part_sizes
from vest_tucker.base.telling.warn import warn


@dataclass(frozen=True)
class Pruning:
    """How many elements to prune in all, of each group that competes for being kept.

    ``fixed`` names parts that are not fitted: they are not pruned and do not count.
    """

    allocation: Allocation
    sizes: tuple[int, ...]
    limits: tuple[int, ...]
    fixed: frozenset[int] = frozenset()

    @classmethod
    def plan(
        cls,
        shape: tuple[int, ...],
        ranks: tuple[int, ...],
        sparsity: float | Literal["auto"],
        allocation: Allocation,
        fixed: frozenset[int] = frozenset(),
    ) -> Pruning:
        """Say how far to go for a sparsity.

        Examples
        --------
        >>> Pruning.plan((100, 30), (3, 2), 0.3, "per_matrix").limits
        (2, 90, 18)
        >>> Pruning.plan((100, 30), (3, 2), 0.3, "global").limits  # 0.3 of all 366
        (110,)
        """
        sizes = [0 if part in fixed else size for part, size in enumerate(part_sizes(shape, ranks))]
        in_one = allocation == "global"
        if sparsity == "auto":
            limits = [min(pair) for pair in zip(auto_limits(shape, ranks), sizes, strict=True)]
            if in_one:
                sizes, limits = [sum(sizes)], [sum(limits)]
        else:
            sizes = [sum(sizes)] if in_one else sizes
            limits = manual_limits(sizes, sparsity)
        return cls(allocation, tuple(sizes), tuple(limits), fixed)

    @classmethod
    def down_to(
        cls,
        shape: tuple[int, ...],
        ranks: tuple[int, ...],
        least: float,
        allocation: Allocation,
        fixed: frozenset[int] = frozenset(),
    ) -> Pruning:
        """Say how far to go if this share is to be kept, and an element of each group at least.

        Examples
        --------
        >>> Pruning.down_to((100, 30), (3, 2), 0.1, "per_matrix").limits
        (5, 270, 54)
        """
        groups = cls.plan(shape, ranks, 0.0, allocation, fixed)
        limits = [max(0, size - max(1, math.ceil(least * size))) for size in groups.sizes]
        return replace(groups, limits=tuple(limits))

    @property
    def leaves_nothing(self) -> bool:
        """Whether something is to be pruned away altogether, unless it is kept."""
        return any(size == limit > 0 for size, limit in zip(self.sizes, self.limits, strict=True))

    def goes_on(self, solver: _core.Solver) -> bool:
        """Tell whether anything that may be pruned is left above the limits."""
        return any(self.batch(1.0, solver))

    def batch(self, rate: float, solver: _core.Solver, *, of_kept: float = 1.0) -> list[int]:
        """Return how many elements to prune at this rate: what `Solver.prune` takes.

        ``of_kept`` is the share of those not yet pruned that it takes at most, but for the first.
        """
        pruned, free = self._per_group(solver.n_pruned), self._per_group(solver.n_free)
        sizes = batch_sizes(rate, self.sizes, pruned, self.limits)
        kept = [max(1, int(of_kept * (a - b))) for a, b in zip(self.sizes, pruned, strict=True)]
        return [min(group) for group in zip(sizes, free, kept, strict=True)]

    def warn_of_nothing(self, sparsity: float | Literal["auto"], kept: Collection[int]) -> None:
        """Warn of what is to be pruned away altogether; ``kept`` are parts that never are."""
        for part, (size, limit) in enumerate(zip(self.sizes, self.limits, strict=True)):
            in_one = self.allocation == "global"
            if size == limit > 0 and not (kept if in_one else part in kept):
                part_name = f"factor {part - 1}" if part else "the core"
                warn(
                    f"sparsity={sparsity} prunes all {size} elements of "
                    f"{'the model' if in_one else part_name}, so the factorization will predict 0 "
                    f"everywhere; lower the sparsity or raise the ranks",
                    SparsityWarning,
                )

    def _per_group(self, counts: Sequence[int]) -> list[int]:
        counted = [0 if part in self.fixed else count for part, count in enumerate(counts)]
        return [sum(counted)] if self.allocation == "global" else counted


def prune_rate(t: int, init_rate: float, max_rate: float) -> float:
    """pr_t = min(INIT_PR * t, MAX_PR) of Algorithm 1, with t = 1, 2, ...

    Examples
    --------
    >>> [prune_rate(t, 0.01, 0.1) for t in (1, 2, 20)]
    [0.01, 0.02, 0.1]
    """
    return min(init_rate * t, max_rate)


def batch_sizes(
    rate: float, sizes: Sequence[int], pruned: Sequence[int], limits: Sequence[int]
) -> list[int]:
    """Return how many elements of each part to prune now: its share, but never past its limit.

    A part that is short of its limit loses at least one element, or a small core would never
    be pruned at the first rates.

    Examples
    --------
    >>> batch_sizes(0.03, sizes=[8, 300, 90], pruned=[0, 100, 44], limits=[4, 150, 45])
    [1, 9, 1]
    """
    return [
        min(max(1, math.floor(rate * size)), max(0, limit - done))
        for size, done, limit in zip(sizes, pruned, limits, strict=True)
    ]


def manual_limits(sizes: Sequence[int], sparsity: float) -> list[int]:
    """Return how many elements of each part a target sparsity asks to prune in all.

    Examples
    --------
    >>> manual_limits([8, 300, 90], 0.3)
    [3, 90, 27]
    """
    return [math.ceil(sparsity * size) for size in sizes]


def auto_limits(shape: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """Return how many elements of each part the automatic mode may prune in all.

    A factor keeps as many elements as it has rows, the core as many as its longest side: with
    fewer, some row or slice is empty for certain.

    Examples
    --------
    >>> auto_limits(shape=(100, 30), ranks=(3, 2))
    [3, 200, 30]
    """
    core = math.prod(ranks) - max(ranks)
    return [core, *(dim * (rank - 1) for dim, rank in zip(shape, ranks, strict=True))]


# The elbow. ``errors`` is always RE_1, ..., RE_t: the last one is the present iteration's.


def is_elbow(errors: Sequence[float], rate: float, threshold: float = 0.05) -> bool:
    """Tell whether the error has just bent upwards: the paper's elbow point.

    The paper asks for a second difference over the pruning rate above the threshold. The steep
    fall of the first iterations bends too as it levels off, so we also ask for a rise.

    Examples
    --------
    >>> is_elbow([0.30, 0.29, 0.32], rate=0.03)
    True
    >>> is_elbow([0.90, 0.40, 0.35], rate=0.03)  # bends as much, but falls
    False
    """
    if len(errors) < 3:
        return False
    before_last, last, now = errors[-3:]
    return now > last and (now + before_last - 2 * last) / rate > threshold


def shot_up(errors: Sequence[float], factor: float = 1.3) -> bool:
    """Tell whether the error stands at ``factor`` times the lowest so far, or above.

    A slow climb never bends enough for `is_elbow`, but ends up as high.

    Examples
    --------
    >>> shot_up([0.50, 0.20, 0.25, 0.27])
    True
    >>> shot_up([0.50, 0.20, 0.25])
    False
    """
    lowest = min(errors)
    return errors[-1] > lowest and errors[-1] >= factor * lowest


def too_far(errors: Sequence[float], rate: float, threshold: float) -> bool:
    """Tell whether the last batch was one too many: should_prune() of the automatic mode."""
    return is_elbow(errors, rate, threshold) or shot_up(errors)
