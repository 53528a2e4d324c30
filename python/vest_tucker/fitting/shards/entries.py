"""Entries as fits see them: in one tensor of the core, or in shards.

Every plan and every solver of a fit is made here. Entries that lie elsewhere say so by having a
method ``plan``, and their plans one that is called ``solver``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from vest_tucker import _core
from vest_tucker.base.types import Coords, Floats
from vest_tucker.data.per_row import entries_per_row
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.shards.cut import make_outline
from vest_tucker.fitting.shards.places import Places, in_process
from vest_tucker.fitting.shards.solver import ShardedSolver


def make_plan(
    entries: _core.SparseTensor, ranks: Sequence[int], *, threads: int, sparse_core: bool = False
) -> _core.Plan:
    """Order entries for the kernels; ``sparse_core`` as for ``_core.Plan``."""
    plan = getattr(entries, "plan", None)
    if plan is None:
        return _core.Plan(entries, ranks, threads=threads, sparse_core=sparse_core)
    return cast(_core.Plan, plan(ranks, threads=threads, sparse_core=sparse_core))


def solver_on(
    plan: _core.Plan, core: Floats, factors: Sequence[Floats], **options: Any
) -> _core.Solver:
    """Make a solver of planned entries; the options are those of ``_core.Solver``."""
    solver = getattr(plan, "solver", None)
    if solver is None:
        return _core.Solver(plan, core, factors, **options)
    return cast(_core.Solver, solver(core, factors, **options))


def collected(X: SparseTensor) -> SparseTensor:
    """Return a tensor in one place: entries held out, which a fit looks at again and again."""
    found: SparseTensor = getattr(X, "collected", lambda: X)()
    return found


def predict_entries(
    core: Floats, factors: Sequence[Floats], coords: Coords, *, threads: int
) -> Floats:
    """Return what parts predict for the entries of a tensor, where these lie."""
    elsewhere = getattr(coords, "mapped", None)
    if elsewhere is None:
        return _core.predict(core, factors, coords, threads=threads)
    found: Floats = elsewhere(predicted_at, core, *factors)
    return found


def predicted_at(coords: Coords, core: Floats, *factors: Floats) -> Floats:
    """Return what parts predict for some cells."""
    return _core.predict(core, factors, coords, threads=1)


@dataclass(frozen=True)
class ShardedPlan:
    """The plan of entries that lie in several places."""

    places: Places

    def solver(self, core: Floats, factors: Sequence[Floats], **options: Any) -> ShardedSolver:
        """Make a solver of these entries."""
        return ShardedSolver(self.places.opened(), core, factors, **options)


class ShardedEntries:
    """A tensor's entries cut into so many shards, all in this process.

    What a fit in many places does, it does in one: for tests, and to see what shards cost.
    """

    def __init__(
        self,
        coords: Coords,
        values: Floats,
        shape: Sequence[int],
        weights: Floats | None = None,
        *,
        count: int,
    ) -> None:
        self._arrays, self.count = (coords, values, weights), count
        self._whole = _core.SparseTensor(coords, values, shape, weights)

    @property
    def shape(self) -> tuple[int, ...]:
        """Dimensions of the modes."""
        return self._whole.shape

    @property
    def order(self) -> int:
        """Number of modes."""
        return self._whole.order

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return self._whole.nnz

    @property
    def norm(self) -> float:
        """Norm of the values."""
        return self._whole.norm

    def with_values(self, values: Floats) -> ShardedEntries:
        """Return other values at the same places."""
        coords, _, weights = self._arrays
        return ShardedEntries(coords, values, self.shape, weights, count=self.count)

    def find_duplicate(self) -> tuple[int, int] | None:
        """Return two entries of one cell, if there are any."""
        return self._whole.find_duplicate()

    def is_unchanged(self) -> bool:
        """Tell whether the arrays are what they were."""
        return self._whole.is_unchanged()

    def plan(self, ranks: Sequence[int], *, threads: int, sparse_core: bool) -> ShardedPlan:
        """Cut the entries into shards."""
        coords, values, weights = self._arrays
        half = len(values) // 2  # counted in two parts, as several places would
        counted = np.zeros(0, dtype=np.uint64)
        for part in (slice(None, half), slice(half, None)):
            if len(values[part]):
                share = _core.SparseTensor(coords[part], values[part], self.shape)
                own = _core.count_share(share, self.nnz, threads=threads)
                counted = own if not counted.size else counted | own
        outline = make_outline(
            self.shape, self.nnz, counted, entries_per_row(coords, self.shape), ranks,
            sparse_core=sparse_core,
        )  # fmt: skip
        return ShardedPlan(in_process(coords, values, weights, outline, self.shape, self.count))
