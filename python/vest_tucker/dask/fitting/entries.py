"""A tensor on a cluster as fits see it: a sparse tensor whose arrays and plan are elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker import _core
from vest_tucker.base.errors import ClusterError, EmptyTensorError
from vest_tucker.base.types import Floats
from vest_tucker.dask.chunked import chunked
from vest_tucker.dask.client import gathered
from vest_tucker.dask.fitting.arrays import Spread, SpreadArray, apply, arrays_of
from vest_tucker.dask.fitting.builds import common_isa
from vest_tucker.dask.fitting.places import OnCluster
from vest_tucker.dask.fitting.shuffle import shards_of
from vest_tucker.dask.narrow import Block
from vest_tucker.dask.tensor import ClusterTensor
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.fitting.shards.cut import cut_mode, make_outline
from vest_tucker.fitting.shards.entries import ShardedPlan
from vest_tucker.fitting.shards.solver import ShardedSolver

SUMMED = 4096  # squares that are summed together for a norm
FAN_IN = 16
LARGE = 1_000_000  # entries of a shard that takes far longer than what a task costs
EVEN = 4  # shards of a thread that take about as long as those of another,
MANY = 32  # as long as that makes no more than so many in all


class OnBlocks:
    """What ``_core.SparseTensor`` is to entries that are here: checked entries, their norm, plans.

    Tensors of the same coordinates share what is counted of these. ``made_of`` has all whose blocks
    go when shards have the entries, unless they may be kept.
    """

    def __init__(
        self,
        X: ClusterTensor,
        values: SpreadArray,
        weights: SpreadArray | None,
        shards: int,
        made_of: Sequence[ClusterTensor | Spread],
        *,
        keep: bool,
    ) -> None:
        self.X, self._values, self._weights, self._shards = X, values, weights, shards
        self.keep = keep
        self.made_of = [X, values, *made_of]
        self._counted: NDArray[np.uint64] | None = None
        self._norm: float | None = None
        self._isa: str | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Dimensions of the modes."""
        return self.X.shape

    @property
    def order(self) -> int:
        """Number of modes."""
        return self.X.order

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return self.X.nnz

    @property
    def norm(self) -> float:
        """Norm of the values, summed as on one machine."""
        if self._norm is None:
            arrays = [self._values] if self._weights is None else [self._values, self._weights]
            parts = list(self._values.each_chunk(squares_in_blocks, *arrays))
            self._norm = math.sqrt(float(np.add.accumulate(np.concatenate(parts))[-1]))
        return self._norm

    def is_unchanged(self) -> bool:
        """Tell that nobody can change entries that are elsewhere."""
        return True

    def with_values(self, values: SpreadArray) -> OnBlocks:
        """Return other values at the same coordinates."""
        X, client = self.X, self.X.client
        blocks = [
            client.submit(apply, with_values, [None, values.take], block, own)
            for block, own in zip(X.blocks, values.blocks, strict=True)
        ]
        other = OnBlocks(
            X.with_values(blocks), values, self._weights, self._shards, self.made_of,
            keep=self.keep,
        )  # fmt: skip
        other._counted = self.counted
        return other

    @property
    def counted(self) -> NDArray[np.uint64]:
        """What the order of the entries depends on."""
        if self._counted is None:
            X, client = self.X, self.X.client
            level = [client.submit(count_block, each, X.shape, X.nnz) for each in X.blocks]
            while len(level) > 1:
                level = [
                    client.submit(either, level[at : at + FAN_IN])
                    for at in range(0, len(level), FAN_IN)
                ]
            (self._counted,) = gathered(client, level, "counting tuples", X.patience)
        return self._counted

    def plan(self, ranks: Sequence[int], *, threads: int, sparse_core: bool) -> ClusterPlan:
        """Send the entries to the shards of each mode, and sort them there."""
        X = self.X
        outline = make_outline(
            X.shape, X.nnz, self.counted, X.row_counts, ranks, sparse_core=sparse_core
        )
        for each in self.made_of:  # what is asked for at the end of a fit, when workers may be gone
            if isinstance(each, SpreadArray):
                each.ends()
        cuts = [cut_mode(outline, mode, self._count(outline, mode)) for mode in range(X.order)]
        shards = shards_of(X.client, X.blocks, outline, cuts, X.shape, X.patience, self._put_down)
        isa = common_isa(X.client)
        places = OnCluster(X.client, outline, cuts, shards, X.patience, isa)
        for each in () if self.keep else self.made_of:  # what is measured at the end asks again
            each.blocks.pass_by(outline)  # as long as plan or solvers have it
        return ClusterPlan(places, isa)

    def _count(self, outline: _core.Plan, mode: int) -> int:
        """Return into how many shards a mode is cut.

        The core's sums take longer at one end of their mode, where rows have few entries. More
        shards even that out, as they are dealt there and back; of few entries, or on many workers,
        more of them would take longer than that.
        """
        if mode != outline.core_mode:
            return self._shards
        return self._shards * max(
            1, min(EVEN, MANY // self._shards, self.nnz // (LARGE * self._shards))
        )

    def _put_down(self) -> None:
        """Let go of all blocks, if there is no room for them."""
        for each in () if self.keep else self.made_of:
            each.blocks.put_down()


@dataclass(frozen=True)
class ClusterPlan(ShardedPlan):
    """A plan of entries on a cluster; ``isa`` is the build of the kernels that all machines run."""

    isa: str

    def solver(self, core: Floats, factors: Sequence[Floats], **options: Any) -> ShardedSolver:
        """Make a solver of these entries; kernels run on one thread for each task."""
        return super().solver(core, factors, **{**options, "isa": self.isa, "threads": 1})


class SpreadTensor(SparseTensor):
    """A tensor on a cluster as `fit` takes it."""

    __slots__ = ("_cluster", "_shards")

    _cluster: ClusterTensor
    _shards: int

    @classmethod
    def of(
        cls,
        X: ClusterTensor,
        shards: int,
        made_of: Sequence[ClusterTensor | Spread] = (),
        *,
        keep: bool = False,
    ) -> SpreadTensor:
        """Make one of the blocks of a tensor; ``made_of`` and ``keep`` are as for `OnBlocks`."""
        made = cls.__new__(cls)
        coords, values, weights = arrays_of(X.client, X.blocks, X.lengths, X.order, X.patience)
        made._coords, made._values, made._weights = coords, values, weights  # type: ignore[assignment]
        coords.entries_per_row = lambda: X.row_counts
        arrays = [each for each in (coords, weights, *made_of) if each is not None]
        made._handle = OnBlocks(  # type: ignore[assignment]
            X, values, weights, shards, arrays, keep=keep
        )
        made._mode_labels = X.mode_labels
        made._cluster, made._shards = X, shards
        return made

    def subset(self, rows: ArrayLike) -> SpreadTensor:
        """Return some of the entries, which stay where they are, but for the ends of chunks."""
        mask = np.asarray(rows)
        if mask.dtype != np.bool_ or mask.shape != (self.nnz,):
            raise ClusterError("of a tensor on a cluster, entries are chosen by a mask")
        if not mask.any():
            raise EmptyTensorError("a tensor needs at least one entry, but none was chosen")
        X, client = self._cluster, self._cluster.client
        ends = np.cumsum(X.lengths)[:-1]
        parts = np.split(mask, ends)
        lengths = [int(np.count_nonzero(each)) for each in parts]
        # Masks travel with the tasks, for a block that is lost is made anew by these.
        some = [
            (client.submit(chosen_of, block, np.packbits(own), len(own)), length)
            for block, own, length in zip(X.blocks, parts, lengths, strict=True)
            if length
        ]
        part = chunked(client, [each for each, _ in some], [each for _, each in some])
        handle = cast(OnBlocks, self._handle)
        return SpreadTensor.of(X.with_blocks(*part), self._shards, handle.made_of, keep=handle.keep)

    def collected(self) -> SparseTensor:
        """Return the tensor on this machine, for entries that are measured again and again."""
        return self._cluster.to_local()


def squares_in_blocks(values: Floats, weights: Floats | None = None) -> Floats:
    """Return the sums of squares of a few entries at a time, each added one after the other."""
    squares = values * values if weights is None else weights * (values * values)
    whole = len(squares) // SUMMED * SUMMED
    parts = [np.add.accumulate(squares[:whole].reshape(-1, SUMMED), axis=1)[:, -1]]
    if whole < len(squares):
        parts.append(np.add.accumulate(squares[whole:])[-1:])
    return np.concatenate(parts)


def with_values(block: Block, values: Floats) -> Block:
    """Return a block with other values."""
    return block.with_values(values)


def chosen_of(block: Block, packed: NDArray[np.uint8], length: int) -> Block:
    """Return some entries of a block."""
    mask = np.unpackbits(packed, count=length).astype(bool)
    return block.at(mask)


def count_block(block: Block, shape: tuple[int, ...], nnz: int) -> NDArray[np.uint64]:
    """Return what a block counts of all entries."""
    own = _core.SparseTensor(block.coords, block.values, shape)
    return _core.count_share(own, nnz, threads=1)


def either(parts: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """Return what several places have counted together."""
    found: NDArray[np.uint64] = np.bitwise_or.reduce(parts)
    return found
