"""One number for each label of the whole tensor: the driver sends for them, and sees only counts.

Each partition knows its own labels, sorted. Their sorted union is made on the workers: in a tree,
and for many labels in ranges, each of which lies on one worker. What a partition's labels are
called in the union comes back to it range by range.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vest_tucker.base.errors import LabelError, ShapeError
from vest_tucker.base.types import Labels
from vest_tucker.dask import local
from vest_tucker.dask.client import gathered
from vest_tucker.dask.labels import union
from vest_tucker.dask.local import Facts, Wanted
from vest_tucker.dask.told import told
from vest_tucker.data.label_arrays import Lookup
from vest_tucker.data.labels import ModeLabels

FAN_IN = 16  # results that one task puts together
RANGE = 1 << 26  # bytes of labels that are put together on one worker
SAMPLED = 64  # labels of each partition that decide where ranges begin
MOST_ROWS = 2**31 - 1


@dataclass(frozen=True)
class Numbering:
    """How the rows of one mode are numbered.

    Attributes
    ----------
    dim : int
        How many there are.
    parts : list of futures
        The labels in order, range by range; none if they were given.
    labels : ndarray or None
        The labels if they were given, or are categories in an order of their own.
    """

    dim: int
    parts: list[Any]
    labels: Labels | None = None

    def gathered(self, client: Any, patience: float) -> Labels | None:
        """Return the labels themselves."""
        if not self.parts:
            return self.labels
        found = gathered(client, self.parts, "collecting labels", patience)
        return np.concatenate([union.label_list(each) for each in found])


def numbered(
    client: Any, locals_: Sequence[Any], facts: Sequence[Facts], wanted: Wanted, patience: float
) -> tuple[list[Numbering], list[Any]]:
    """Return a number for each label of all modes, and the blocks with final coordinates."""
    found: list[Numbering] = []
    ids: list[list[Any]] = [[] for _ in locals_]  # of each partition, a future or None per mode
    for mode, name in enumerate(wanted.modes):
        if wanted.is_given[mode]:
            found.append(_given(wanted, mode))
            for each in ids:
                each.append(None)
            continue
        numbering, of_mode = _number(client, locals_, facts, mode, name, patience)
        found.append(numbering)
        for each, one in zip(ids, of_mode, strict=True):
            each.append(one)
    blocks = [
        client.submit(local.renumbered, each, own) for each, own in zip(locals_, ids, strict=True)
    ]
    return found, blocks


def _given(wanted: Wanted, mode: int) -> Numbering:
    """Return the numbering of a mode whose labels, or whose number of rows, were given."""
    own = ModeLabels(len(wanted.modes), wanted.modes, wanted.given).labels[mode]
    if own is not None:
        return Numbering(len(own), [], own)
    assert wanted.shape is not None, "modes without labels are those of another tensor"
    return Numbering(wanted.shape[mode], [])


def _number(
    client: Any,
    locals_: Sequence[Any],
    facts: Sequence[Facts],
    mode: int,
    name: str,
    patience: float,
) -> tuple[Numbering, list[Any]]:
    """Return a number for each label of one mode, and those of the labels of each partition."""
    own = [client.submit(local.labels_of, each, mode) for each in locals_]
    total = sum(each.label_bytes[mode] for each in facts)
    orders = [order for each in facts if (order := each.orders[mode]) is not None]
    if orders:
        return _in_categories(client, own, orders, name, patience)
    ranges = max(1, math.ceil(total / RANGE))
    if ranges == 1:
        parts = [_tree(client, union.united, own)]
        places = [client.submit(union.places, each, parts[0], 0) for each in own]
        dim = gathered(client, [client.submit(len, parts[0])], f"numbering {name!r}", patience)[0]
    else:
        at = _cuts(client, own, ranges, name, patience)
        pieces = [
            [client.submit(union.in_range, each, at, number) for number in range(len(at) + 1)]
            for each in own
        ]
        parts = [
            _tree(client, union.united, list(of_range)) for of_range in zip(*pieces, strict=True)
        ]
        sizes = [client.submit(len, each) for each in parts]
        begins = np.cumsum([0, *gathered(client, sizes, f"numbering {name!r}", patience)])
        dim = int(begins[-1])
        places = [
            client.submit(
                union.joined_places,
                *(
                    client.submit(union.places, piece, part, int(begin))
                    for piece, part, begin in zip(of_partition, parts, begins, strict=False)
                ),
            )
            for of_partition in pieces
        ]
    if dim > MOST_ROWS:
        raise ShapeError(f"the column {name!r} has {dim:,} labels; a mode may have {MOST_ROWS:,}")
    return Numbering(dim, parts), places


def _in_categories(
    client: Any, own: Sequence[Any], orders: Sequence[Labels], name: str, patience: float
) -> tuple[Numbering, list[Any]]:
    """Return numbers of ordered categories: in their order, without those that have no row."""
    if any(not np.array_equal(each, orders[0]) for each in orders):
        raise LabelError(
            f"the column {name!r} holds ordered categories that differ between partitions; give "
            f"all of them the same, as by ddf[{name!r}].cat.set_categories([...], ordered=True)"
        )
    used = gathered(client, [_tree(client, union.united, own)], f"numbering {name!r}", patience)[0]
    labels = orders[0][np.unique(Lookup(orders[0]).find(union.label_list(used)))]
    known = told(client, labels, labels.nbytes)
    places = [client.submit(union.places, each, known, 0) for each in own]
    return Numbering(len(labels), [], labels), places


def _cuts(client: Any, own: Sequence[Any], ranges: int, name: str, patience: float) -> Labels:
    samples = [client.submit(union.sampled, each, SAMPLED) for each in own]
    return union.cuts(gathered(client, samples, f"looking at {name!r}", patience), ranges)


def _tree(client: Any, together: Callable[..., Any], futures: Sequence[Any]) -> Any:
    """Put results together, a few at a time, on the workers."""
    level = list(futures)
    while True:
        level = [
            client.submit(together, *level[begin : begin + FAN_IN])
            for begin in range(0, len(level), FAN_IN)
        ]
        if len(level) == 1:
            return level[0]


def counted_rows(
    client: Any, blocks: Sequence[Any], shape: Sequence[int], patience: float
) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """Return how many entries each row of each mode has."""
    counts = []
    for mode, dim in enumerate(shape):
        parts = [client.submit(local.rows_used, each, mode) for each in blocks]
        tree = _tree(client, local.rows_used_together, parts)
        rows, used = gathered(client, [tree], "counting the entries of rows", patience)[0]
        all_rows = np.zeros(dim, dtype=np.int64)
        all_rows[rows] = used
        counts.append(all_rows)
    return counts
