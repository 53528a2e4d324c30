"""Bounds of shards: every chunk once, about as many entries each, and which rows they cut."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from sharded import long_rows
from vest_tucker import _core
from vest_tucker.data.per_row import entries_per_row
from vest_tucker.fitting.shards.cut import cut_mode, make_outline, row_sizes


def outline_of(X: vt.SparseTensor, ranks: tuple[int, ...]) -> _core.Plan:
    counted = _core.count_share(X._handle, X.nnz)
    return make_outline(
        X.shape, X.nnz, counted, entries_per_row(X.coords, X.shape), ranks, sparse_core=False
    )


@pytest.mark.parametrize("count", [1, 2, 3, 7, 10_000])
def test_shards_have_every_chunk_once(count: int) -> None:
    X = long_rows()
    outline = outline_of(X, (2, 2, 2))
    for mode, dim in enumerate(X.shape):
        cut = cut_mode(outline, mode, count)
        assert [each.begin for each in cut.shards[1:]] == [each.end for each in cut.shards[:-1]]
        assert (cut.shards[0].begin, cut.shards[-1].end) == (0, len(outline.chunks(mode)))
        assert (cut.shards[0].first, cut.shards[-1].last) == (0, X.nnz)
        assert len(cut.shards) <= count
        rows = [np.arange(dim)[each.closed] for each in cut.shards]
        np.testing.assert_array_equal(
            np.sort(np.concatenate([*rows, cut.open_rows])), np.arange(dim)
        )


def test_shards_have_about_as_many_entries() -> None:
    X = long_rows()
    for mode in range(3):
        cut = cut_mode(outline_of(X, (2, 2, 2)), mode, 3)
        sizes = [each.last - each.first for each in cut.shards]
        assert len(sizes) == 3
        assert max(sizes) < 1.6 * X.nnz / 3


def test_rows_are_cut_where_there_are_few() -> None:
    X = long_rows()
    outline = outline_of(X, (2, 2, 2))
    assert cut_mode(outline, 2, 7).open_rows.size
    assert not cut_mode(outline, 0, 7).open_rows.size  # there is a bound between rows nearby
    pieces = dict(outline.split_rows(2)[:, [0, 2]].tolist())
    cut = cut_mode(outline, 2, 7)
    for row, count in zip(cut.open_rows, cut.pieces, strict=True):
        assert 0 < count <= pieces[int(row)]


@pytest.mark.parametrize("count", [2, 5, 10_000])
def test_rows_are_open_if_two_shards_have_entries_of_them(count: int) -> None:
    X = long_rows()
    outline = outline_of(X, (2, 2, 2))
    for mode in range(3):
        cut = cut_mode(outline, mode, count)
        rows = np.sort(X.coords[:, mode])
        bounds = [each.first for each in cut.shards[1:]]
        opened = {int(rows[at]) for at in bounds if rows[at - 1] == rows[at]}
        assert set(cut.open_rows.tolist()) == opened


@pytest.mark.parametrize(("first_row", "is_near"), [(20_800, True), (34_000, False)])
def test_a_bound_between_rows_is_taken_where_it_is_near(first_row: int, is_near: bool) -> None:
    """Half of all entries would be within the first row; its end is near that, or far away."""
    rest = np.repeat(np.arange(1, 51), (41_200 - first_row) // 50)
    i = np.concatenate([np.zeros(first_row, dtype=int), rest])
    j, k = np.divmod(np.arange(len(i)), 64)
    X = vt.SparseTensor(np.stack([i, j, k], axis=1), np.ones(len(i)), (51, 644, 64))
    outline = outline_of(X, (2, 2, 2))
    cut = cut_mode(outline, 0, 2)
    begins = outline.chunks(0)[:, 0]
    even = int(begins[np.argmin(np.abs(begins - X.nnz / 2))])
    assert even < first_row
    assert [each.first for each in cut.shards] == [0, first_row if is_near else even]
    assert cut.open_rows.tolist() == ([] if is_near else [0])


def test_the_cores_mode_is_cut_at_slots_and_the_others_at_any_chunk() -> None:
    outline = outline_of(long_rows(), (20, 20, 4))
    assert outline.chunks_per_slot > 1
    for mode in range(3):
        cut = cut_mode(outline, mode, 10_000)
        step = outline.chunks_per_slot if mode == outline.core_mode else 1
        assert [each.begin for each in cut.shards] == [*range(0, len(outline.chunks(mode)), step)]


def test_a_core_that_is_swept_in_blocks_is_refused() -> None:
    with pytest.raises(vt.errors.RankError, match="several places"):
        outline_of(long_rows(), (60, 60, 4))


def test_sizes_of_rows() -> None:
    (sizes,) = row_sizes([np.array([1, 2])])
    assert sizes.dtype == np.uint32
