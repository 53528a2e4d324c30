"""Where the entries of a mode may be cut, so that sums keep their bits, and where they are cut.

Kernels work through chunks, whose bounds follow from the number of entries in each row. A shard is
some neighbouring chunks. In the mode whose order the core's sums follow, chunks are summed together
slot by slot, so there the bounds of shards are bounds of slots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vest_tucker import _core
from vest_tucker.base.errors import RankError
from vest_tucker.base.types import Counts

NEAR = 0.02  # of a share: how far from an even one a bound may lie to be one between rows


@dataclass(frozen=True)
class Bounds:
    """Which chunks of a mode a shard has.

    Attributes
    ----------
    mode : int
    begin, end : int
        Its chunks.
    first, last : int
        Its entries, by their place in the order of the mode: from the first to before the last.
    rows : slice
        The rows that it has entries of.
    closed : slice
        Those of them that no other shard has pieces of.
    """

    mode: int
    begin: int
    end: int
    first: int
    last: int
    rows: slice
    closed: slice


@dataclass(frozen=True)
class ModeCut:
    """The shards of a mode, and the rows that are cut between them, each summed in pieces."""

    shards: list[Bounds]
    open_rows: NDArray[np.int64]
    pieces: NDArray[np.int32]


def cut_mode(outline: _core.Plan, mode: int, count: int) -> ModeCut:
    """Cut a mode into at most so many shards of about as many entries each."""
    chunks = outline.chunks(mode)
    cuts = [0, *_cuts(chunks, outline.chunks_per_slot if mode == outline.core_mode else 1, count)]
    ends = [*cuts[1:], len(chunks)]
    opened = {int(chunks[cut, 2]) for cut in cuts[1:] if chunks[cut, 2] < chunks[cut - 1, 3]}
    shards = []
    for begin, end in zip(cuts, ends, strict=True):
        start, stop = int(chunks[begin, 2]), int(chunks[end - 1, 3])
        closed = slice(start + (start in opened), stop - (stop - 1 in opened))
        shards.append(
            Bounds(
                mode, begin, end, int(chunks[begin, 0]), int(chunks[end - 1, 1]),
                slice(start, stop), slice(closed.start, max(closed.start, closed.stop)),
            )
        )  # fmt: skip
    split = [row for row in outline.split_rows(mode).tolist() if row[0] in opened]
    return ModeCut(
        shards,
        np.array([row[0] for row in split], dtype=np.int64),
        np.array([row[2] - row[1] for row in split], dtype=np.int32),
    )


def _cuts(chunks: NDArray[np.int64], step: int, count: int) -> list[int]:
    """Return the chunks at which shards begin, but for the first.

    Between two rows where that is near, for then nothing of a row has to be sent elsewhere.
    """
    begins, total = chunks[:, 0], int(chunks[-1, 1])
    allowed = np.arange(step, len(chunks), step)
    between = allowed[chunks[allowed, 2] >= chunks[allowed - 1, 3]]
    share, cuts = total / count, set()
    for number in range(1, count):
        for some, reach in ((between, NEAR * share), (allowed, share)):
            if some.size:
                nearest = int(some[np.argmin(np.abs(begins[some] - number * share))])
                if abs(int(begins[nearest]) - number * share) <= reach:
                    cuts.add(nearest)
                    break
    return sorted(cuts)


def make_outline(
    shape: Sequence[int],
    nnz: int,
    counted: NDArray[np.uint64],
    counts: Sequence[Counts],
    ranks: Sequence[int],
    *,
    sparse_core: bool,
) -> _core.Plan:
    """Return what all shards have in common; raise if the core is too large for shards.

    ``counted`` is the "or" of ``_core.count_share`` over all places, ``counts`` the number of
    entries of each row of each mode.
    """
    sizes = row_sizes(counts)
    outline = _core.Plan.outline(shape, nnz, counted, sizes, ranks, sparse_core=sparse_core)
    if outline.in_blocks:
        raise RankError(
            f"ranks {tuple(ranks)} make a core that is fitted in passes which follow one another, "
            f"each from what the one before has left; where entries lie in several places that is "
            f"not possible: lower the ranks"
        )
    return outline


def row_sizes(counts: Sequence[Counts]) -> list[NDArray[np.uint32]]:
    """Return the number of entries of each row of each mode as an outline takes them."""
    return [np.ascontiguousarray(each, dtype=np.uint32) for each in counts]
