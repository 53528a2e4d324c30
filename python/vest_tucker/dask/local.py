"""The entries of one partition: numbered by the labels that the partition itself has.

That is the first of two passes. The second (`renumbered`) puts the numbers that labels have in the
whole tensor in place of these; it does not look at a label again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import ClusterError
from vest_tucker.base.types import Counts, Indices
from vest_tucker.dask.labels.union import CHANGED, Compact, compact
from vest_tucker.dask.narrow import Block, narrowed
from vest_tucker.data.entries import Entries
from vest_tucker.data.frames import columns_of, frame_entries, gaps_of
from vest_tucker.data.label_arrays import label_array
from vest_tucker.data.labels import ModeLabels
from vest_tucker.data.sources.gaps import Dropped, Missing, rows_as_given
from vest_tucker.data.tensor import core_tensor

NOTHING = Dropped(0, 0, {})
LABEL = 16  # bytes, about


@dataclass(frozen=True)
class Wanted:
    """Which columns of a partition are what, and what is known of their labels beforehand."""

    modes: tuple[str, ...]
    value: str
    weight: str | None
    given: Mapping[str, Any] | ModeLabels
    missing: Missing
    shape: tuple[int, ...] | None = None  # of the tensor whose labels were given

    @property
    def is_given(self) -> tuple[bool, ...]:
        """For each mode, whether its rows are numbered by labels that were given."""
        if isinstance(self.given, ModeLabels):
            return (True,) * len(self.modes)
        return tuple(mode in self.given for mode in self.modes)

    @property
    def nbytes(self) -> int:
        """About how many bytes the labels have that are known."""
        given = self.given
        known = given.labels if isinstance(given, ModeLabels) else given.values()
        return sum(LABEL * len(each) for each in known if each is not None)


@dataclass(frozen=True)
class Local(Block):
    """A block whose coordinates number the labels of the partition alone.

    ``labels`` has those of each mode, in order; None where the coordinates are final. ``orders``
    has all categories of the modes whose labels are ordered categories.
    """

    labels: tuple[Compact | None, ...] = ()
    orders: tuple[NDArray[Any] | None, ...] = ()
    dropped: Dropped = NOTHING

    @property
    def nbytes(self) -> int:
        """How many bytes entries and labels have."""
        labels = (int(each.nbytes) for each in self.labels if each is not None)
        return super().nbytes + sum(labels)


@dataclass(frozen=True)
class Facts:
    """What the driver is told of a partition."""

    nnz: int
    label_bytes: tuple[int, ...]
    orders: tuple[NDArray[Any] | None, ...]
    dropped: Dropped


def local_entries(frame: Any, number: int, wanted: Wanted) -> Local:
    """Return the entries of a partition; errors say which one it is."""
    numbers = [wanted.value] if wanted.weight is None else [wanted.value, wanted.weight]
    table = columns_of(frame, [*wanted.modes, *numbers], "from_frame")
    dropped, kept = Dropped(0, len(table), {}), None
    if wanted.missing == "drop":  # the driver tells of all partitions together
        gaps = gaps_of(table)
        dropped = Dropped.of(gaps, f"row {{}} of partition {number}".format)
        kept = Dropped.kept(gaps)
        table = table[kept]
    try:
        found = frame_entries(table, wanted.modes, wanted.value, wanted.given, wanted.weight, kept)
        with rows_as_given(kept):
            _require_numbers(found)
    except (TypeError, ValueError) as error:
        error.args = (f"partition {number} of the frame: {error}", *error.args[1:])
        raise
    labels = tuple(
        None if given or own is None else compact(own)
        for own, given in zip(found.labels.labels, wanted.is_given, strict=True)
    )
    orders = _orders(table, wanted)
    return Local.of(found.coords, found.values, found.weights, labels, orders, dropped)


def _require_numbers(entries: Entries) -> None:
    """Raise unless values and weights are such as a tensor may have; the cell is named."""
    coords, values, shape, labels, weights = entries
    if len(values):
        core_tensor(coords, values, shape, labels, weights)


def _orders(table: Any, wanted: Wanted) -> tuple[NDArray[Any] | None, ...]:
    import narwhals as nw

    dtypes = [table[mode].dtype for mode in wanted.modes]
    return tuple(label_array(each.categories) if isinstance(each, nw.Enum) else None
                 for each in dtypes)  # fmt: skip


def facts_of(local: Local) -> Facts:
    """Return what the driver must know of a partition before the second pass."""
    return Facts(
        len(local),
        tuple(0 if own is None else int(own.nbytes) for own in local.labels),
        local.orders,
        local.dropped,
    )


def labels_of(local: Local, mode: int) -> Compact:
    """Return the labels of a mode that a partition has."""
    own = local.labels[mode]
    assert own is not None, "asked for by the modes that have labels"
    return own


def renumbered(local: Local, ids: Sequence[Indices | None]) -> Block:
    """Return the entries with final coordinates: ``ids`` has those of each mode's own labels."""
    for own, labels in zip(ids, local.labels, strict=True):
        if own is not None and (labels is None or len(own) != len(labels)):
            raise ClusterError(f"{CHANGED}: it has other labels than before")
    final = tuple(
        column if own is None else narrowed(own[column])
        for column, own in zip(local.columns, ids, strict=True)
    )
    return Block(final, local.stored, local.stored_weights)


def rows_used(block: Block, mode: int) -> tuple[Indices, Counts]:
    """Return the rows of a mode that have entries in a block, and how many."""
    rows, counts = np.unique(block.columns[mode], return_counts=True)
    return rows, counts


def rows_used_together(*parts: tuple[Indices, Counts]) -> tuple[Indices, Counts]:
    """Add the entries per row of several blocks."""
    rows, places = np.unique(np.concatenate([each for each, _ in parts]), return_inverse=True)
    counts = np.concatenate([each for _, each in parts])
    return rows, np.bincount(places, weights=counts, minlength=len(rows)).astype(np.int64)
