"""A tensor whose entries lie on the workers of a cluster, in blocks; the client has counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from vest_tucker.base.errors import EmptyTensorError
from vest_tucker.base.text_table import LONGEST_LINE, shorten
from vest_tucker.base.types import Counts
from vest_tucker.dask.blocks import Blocks
from vest_tucker.dask.client import PATIENCE, gathered
from vest_tucker.dask.fitting.arrays import has_weights
from vest_tucker.dask.labels.numbering import Numbering, counted_rows
from vest_tucker.dask.narrow import Block, wide_arrays
from vest_tucker.data.labels import ModeLabels
from vest_tucker.data.tensor import SparseTensor


class ClusterTensor:
    """Observed entries of a tensor, spread over the workers of a cluster.

    Made by `from_frame` and `read` of this module. The entries are those of one machine in the same
    order: block after block. A block that is lost with its worker, or was dropped because a fit has
    its entries in shards, is made anew from where it came from.

    Attributes
    ----------
    shape : tuple of int
    modes : tuple of str
    nnz : int
    client : distributed.Client
    blocks : sequence of futures
        Of coordinates, values and weights.
    lengths : list of int
        How many entries each block has.
    """

    def __init__(
        self,
        client: Any,
        blocks: Sequence[Any],
        lengths: Sequence[int],
        numberings: Sequence[Numbering],
        modes: tuple[str, ...],
        patience: float = PATIENCE,
    ) -> None:
        self.client, self.patience, self.modes = client, patience, modes
        kept = [(block, length) for block, length in zip(blocks, lengths, strict=True) if length]
        if not kept:
            raise EmptyTensorError("a tensor needs at least one entry, but the frame has none")
        self.blocks = Blocks(client, [block for block, _ in kept])
        self.lengths = [length for _, length in kept]
        self.shape = tuple(each.dim for each in numberings)
        self._numberings = list(numberings)
        self._labels: ModeLabels | None = None
        self._row_counts: list[Counts] | None = None
        self._is_weighted: bool | None = None

    @property
    def nnz(self) -> int:
        """Number of observed entries."""
        return sum(self.lengths)

    @property
    def order(self) -> int:
        """Number of modes N."""
        return len(self.shape)

    @property
    def density(self) -> float:
        """Share of the cells that were observed."""
        return self.nnz / math.prod(self.shape)

    @property
    def is_weighted(self) -> bool:
        """Whether entries have weights; a worker is asked once."""
        if self._is_weighted is None:
            one = [self.client.submit(has_weights, self.blocks[0])]
            (self._is_weighted,) = gathered(self.client, one, "looking at a block", self.patience)
        return self._is_weighted

    @property
    def mode_labels(self) -> ModeLabels:
        """Names and labels of the modes; the client collects them when they are first asked for."""
        if self._labels is None:
            own = [each.gathered(self.client, self.patience) for each in self._numberings]
            self._labels = ModeLabels(self.order, self.modes, own)
        return self._labels

    @property
    def row_counts(self) -> list[Counts]:
        """For each mode, how many entries each of its rows has."""
        if self._row_counts is None:
            self._row_counts = counted_rows(self.client, self.blocks, self.shape, self.patience)
        return self._row_counts

    def with_blocks(self, blocks: Sequence[Any], lengths: Sequence[int]) -> ClusterTensor:
        """Return a tensor of the same labels and other entries."""
        labels = (self._numberings, self.modes, self.patience)
        other = ClusterTensor(self.client, blocks, lengths, *labels)
        other._labels, other._is_weighted = self._labels, self._is_weighted
        return other

    def with_values(self, blocks: Sequence[Any]) -> ClusterTensor:
        """Return a tensor of the same cells, whose blocks have other values."""
        other = self.with_blocks(blocks, self.lengths)
        other._row_counts = self._row_counts
        return other

    def to_local(self) -> SparseTensor:
        """Return the tensor on this machine: all entries travel to it."""
        parts: list[Block] = gathered(self.client, self.blocks, "collecting entries", self.patience)
        coords, values, weights = wide_arrays(parts)
        return SparseTensor(coords, values, self.shape, labels=self.mode_labels, weights=weights)

    def __repr__(self) -> str:
        size = f"shape={self.shape}, nnz={self.nnz}, density={self.density:.3g}"
        names = shorten(str(self.modes), LONGEST_LINE)
        return f"ClusterTensor({size}, modes={names}, blocks={len(self.blocks)})"


def lengths_of(client: Any, blocks: Sequence[Any], patience: float) -> list[int]:
    """Return how many entries each block has."""
    return gathered(
        client, [client.submit(len, each) for each in blocks], "making blocks", patience
    )
