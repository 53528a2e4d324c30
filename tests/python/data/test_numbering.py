"""Numbers of cells: different for different cells, in their order, however many cells there are."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from vest_tucker.data import per_row
from vest_tucker.data.numbering import among, cell_numbers, numbered, used_rows


@pytest.mark.parametrize("dim", [3, 2**31 - 1])
@pytest.mark.parametrize("size", [1, 2, 4, 5])
def test_numbers_are_those_of_the_sorted_tuples(
    dim: int, size: int, rng: np.random.Generator
) -> None:
    coords = (rng.integers(0, 3, (200, 5)) * ((dim - 1) // 2)).astype(np.int32)
    for modes in itertools.combinations(range(5), size):
        numbers = cell_numbers(coords, (dim,) * 5, modes)
        cells = [tuple(cell) for cell in coords[:, modes].tolist()]
        ranks = {cell: rank for rank, cell in enumerate(sorted(set(cells)))}
        assert np.unique(numbers, return_inverse=True)[1].tolist() == [ranks[c] for c in cells]


def test_rows_without_entries_take_no_memory_if_they_are_nearly_all() -> None:
    column = np.array([5, 2**31 - 2, 5], dtype=np.int32)
    used = used_rows(column, 2**31 - 1)
    assert used.rows is not None
    assert (used.rows.tolist(), used.places.tolist(), used.total) == ([5, 2**31 - 2], [0, 1, 0], 2)
    assert used_rows(column[:1], 9).total == 9


@pytest.mark.parametrize("spread", [1, 10**9])
def test_ids_are_numbered_in_order(spread: int, rng: np.random.Generator) -> None:
    """Close together and far apart: by a table, and by sorting."""
    ids = spread * rng.integers(-50, 50, 500)
    labels, indices = numbered(ids)
    np.testing.assert_array_equal(labels, np.unique(ids))
    np.testing.assert_array_equal(labels[indices], ids)
    assert labels.dtype == np.int64
    assert indices.dtype == np.int32


@pytest.mark.parametrize("dim", [4, 2**31 - 1])
def test_cells_in_common(dim: int, rng: np.random.Generator, monkeypatch: Any) -> None:
    """Also where numbers of cells leave 64 bits, and a few chunks of cells are looked through."""
    monkeypatch.setattr(per_row, "CHUNK", 16)
    coords, others = ((rng.integers(0, 3, (60, 4)) * ((dim - 1) // 2)).astype(np.int32),) * 2
    others = rng.permutation(others)[:40]
    there = {tuple(cell) for cell in others.tolist()}
    found = among(coords, others, (dim,) * 4)
    assert found.tolist() == [tuple(cell) in there for cell in coords.tolist()]
    assert not among(coords[:0], others, (dim,) * 4).size
