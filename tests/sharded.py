"""Tensors cut into shards, for tests: in one process, each made of its own entries alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

import vest_tucker as vt
from vest_tucker import _core
from vest_tucker.data import tensor
from vest_tucker.fitting.shards import entries
from vest_tucker.fitting.shards.places import InProcess, Places
from vest_tucker.fitting.shards.shard import Charge, State
from vest_tucker.fitting.shards.solver import ShardedSolver


def long_rows() -> vt.SparseTensor:
    """Return a tensor one mode of which has few rows, each of many chunks, in no order."""
    rng = np.random.default_rng(0)
    coords = np.unique(rng.integers(0, [200, 90, 4], size=(9000, 3)), axis=0)
    rng.shuffle(coords)
    i, j, k = coords.T
    values = np.sin(0.1 * i) * np.cos(0.2 * j) * (1 + k) + 0.1 * rng.normal(size=len(coords))
    return vt.SparseTensor(coords, values, (200, 90, 4))


def places_of(X: vt.SparseTensor, ranks: Sequence[int], count: int) -> InProcess:
    """Cut a tensor into so many shards for each mode."""
    cut = entries.ShardedEntries(X.coords, X.values, X.shape, X.weights, count=count)
    places = cut.plan(ranks, threads=1, sparse_core=False).places
    assert isinstance(places, InProcess)
    return places


def plain_state(shape: Sequence[int], ranks: Sequence[int], mode: int) -> State:
    """Return how a fit with a penalty of the paper may stand."""
    rng = np.random.default_rng(mode)
    factors = [rng.normal(size=each) for each in zip(shape, ranks, strict=True)]
    marks = np.zeros(factors[mode].shape, dtype=np.uint8)
    charge = Charge(_core.PenaltyKind.L1, 0.1)
    return State(rng.normal(size=tuple(ranks)), factors, (), marks, charge, threads=1)


def noisy_state(shape: Sequence[int], ranks: Sequence[int], mode: int) -> State:
    """Return how a fit with variances may stand."""
    plain = plain_state(shape, ranks, mode)
    variances = [np.full(each.shape, 0.01) for each in (plain.core, *plain.factors)]
    charge = Charge(_core.PenaltyKind.NOISE, precision=(1.0,) * ranks[mode], noise=0.1)
    return State(plain.core, plain.factors, variances, plain.marks, charge, threads=1)


@dataclass
class Seen:
    """What the solvers of fits had to do with."""

    most_shards: int = 0
    open_rows: int = 0
    sparse_cores: int = 0


@contextmanager
def all_in_shards(count: int) -> Iterator[Seen]:
    """Cut every tensor that is made into so many shards; tell what solvers saw."""
    seen = Seen()
    init, plan = ShardedSolver.__init__, entries.ShardedEntries.plan

    def looked_at(self: ShardedSolver, places: Places, *args: Any, **options: Any) -> None:
        seen.most_shards = max(seen.most_shards, *(len(cut.shards) for cut in places.cuts))
        seen.open_rows += sum(cut.open_rows.size for cut in places.cuts)
        init(self, places, *args, **options)

    def planned(self: entries.ShardedEntries, ranks: Any, **options: Any) -> entries.ShardedPlan:
        seen.sparse_cores += options["sparse_core"]
        return plan(self, ranks, **options)

    def handle(coords: Any, values: Any, dims: Any, named: Any, weights: Any) -> Any:
        return entries.ShardedEntries(coords, values, dims, weights, count=count)

    with (
        mock.patch.object(tensor, "core_tensor", handle),
        mock.patch.object(ShardedSolver, "__init__", looked_at),
        mock.patch.object(entries.ShardedEntries, "plan", planned),
    ):
        yield seen
