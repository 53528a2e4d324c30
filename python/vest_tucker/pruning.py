"""Who is pruned, and how far: shares of each part as in the paper, or one ranking of them all.

The paper takes the same share from every matrix, which empties whole rows of short modes. Yet
responsibility is comparable everywhere: it is what the squared error would gain without an element.
So all elements may as well stand in one ranking, and the least responsible go wherever they are.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from vest_tucker import _core
from vest_tucker.options import Allocation
from vest_tucker.schedule import auto_limits, batch_sizes, manual_limits, part_sizes


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

    def warn_of_nothing(
        self, sparsity: float | Literal["auto"], kept: Collection[int], stacklevel: int
    ) -> None:
        """Warn of what is to be pruned away altogether; ``kept`` are parts that never are."""
        for part, (size, limit) in enumerate(zip(self.sizes, self.limits, strict=True)):
            in_one = self.allocation == "global"
            if size == limit > 0 and not (kept if in_one else part in kept):
                part_name = f"factor {part - 1}" if part else "the core"
                warnings.warn(
                    f"sparsity={sparsity} prunes all {size} elements of "
                    f"{'the model' if in_one else part_name}, so the factorization will predict 0 "
                    f"everywhere; lower the sparsity or raise the ranks",
                    RuntimeWarning,
                    stacklevel,
                )

    def _per_group(self, counts: Sequence[int]) -> list[int]:
        counted = [0 if part in self.fixed else count for part, count in enumerate(counts)]
        return [sum(counted)] if self.allocation == "global" else counted
