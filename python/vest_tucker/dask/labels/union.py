"""Labels of many partitions as one numbering: sorted, in ranges that lie on different workers.

Text is kept as Arrow arrays, whose bytes lie side by side: objects of Python for a hundred million
names would take ten times the memory.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from vest_tucker.base.errors import ClusterError
from vest_tucker.base.types import Indices, Labels
from vest_tucker.data.label_arrays import UNSEEN, Lookup, in_order, joined, types_of
from vest_tucker.io.arrow import arrow

Compact: TypeAlias = Any  # an Arrow array of text, or an array of labels of any other kind

CHANGED = (
    "a partition that was lost and made anew is not what it was; make the tensor again, of data "
    "that stay as they are"
)


def compact(labels: Labels) -> Compact:
    """Return labels in little memory."""
    if labels.dtype.kind != "O" or types_of(labels) - {str}:
        return labels
    pa = arrow("labels on a cluster")
    return pa.array(labels, pa.large_string())


def label_list(labels: Compact) -> Labels:
    """Return labels as arrays of them are everywhere else."""
    if isinstance(labels, np.ndarray):
        return labels
    found: Labels = labels.to_numpy(zero_copy_only=False)
    return found


def united(*parts: Compact) -> Compact:
    """Return the distinct labels of several partitions, in order.

    Examples
    --------
    >>> united(np.array([1, 5]), np.array([2, 5])).tolist()
    [1, 2, 5]
    """
    some = [each for each in parts if len(each)] or [parts[0]]
    if any(isinstance(each, np.ndarray) for each in some):
        return compact(in_order(functools.reduce(joined, map(label_list, some))))
    pa = arrow("labels on a cluster")
    distinct = pa.chunked_array(some).unique()
    return distinct.take(pa.compute.sort_indices(distinct))


def sampled(labels: Compact, most: int) -> Compact:
    """Return some labels of a partition, evenly spaced."""
    places = np.unique(np.linspace(0, len(labels) - 1, most).astype(np.int64))
    return labels.take(places) if len(labels) else labels


def cuts(samples: Sequence[Compact], ranges: int) -> Labels:
    """Return where the labels are cut into ranges of about as many labels each."""
    together = label_list(united(*samples))
    places = np.linspace(0, len(together), ranges + 1).astype(np.int64)[1:-1]
    return together[np.unique(places)]


def in_range(labels: Compact, at: Labels, number: int) -> Compact:
    """Return the labels of one range, copied: a slice would keep, and travel with, all of them."""
    bounds = [0, *(_place(labels, each) for each in at), len(labels)]
    return labels.take(np.arange(bounds[number], bounds[number + 1]))


def _place(labels: Compact, wanted: Any) -> int:
    """Return how many labels come before a label."""
    if isinstance(labels, np.ndarray):
        return int(np.searchsorted(labels, wanted))
    low, high = 0, len(labels)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if labels[middle].as_py() < wanted else (low, middle)
    return low


def places(labels: Compact, among: Compact, begin: int) -> Indices:
    """Return the number of each label; those of ``among`` count from ``begin``.

    All of them are there, unless a partition that was made anew is not what it was before.

    Examples
    --------
    >>> places(np.array([2, 5]), np.array([1, 2, 5]), begin=10).tolist()
    [11, 12]
    """
    if isinstance(labels, np.ndarray) or isinstance(among, np.ndarray):
        found = Lookup(label_list(among)).find(label_list(labels)).astype(np.int64)
        new = found == UNSEEN
    else:
        pa = arrow("labels on a cluster")
        indices = pa.compute.index_in(labels, value_set=among)
        new = indices.is_null().to_numpy(zero_copy_only=False)
        found = indices.fill_null(UNSEEN).to_numpy().astype(np.int64)
    if new.any():
        example = label_list(labels.take(np.flatnonzero(new)[:1]))[0]
        raise ClusterError(f"{CHANGED}: it has the label {example!r}, which it had not before")
    return (found + begin).astype(np.int32)


def joined_places(*parts: Indices) -> Indices:
    """Return the numbers of labels of all ranges, in their order."""
    return np.concatenate(parts)
