"""Sums per row, whatever the size of the parts that are summed at a time."""

from __future__ import annotations

import numpy as np
import pytest

from vest_tucker.data.per_row import entries_per_row, subtract_per_row, sum_per_row


def test_entries_are_counted_in_chunks(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", 7)
    coords = np.stack([rng.integers(0, dim, 100) for dim in (12, 3)], axis=1).astype(np.int32)
    for mode, counts in enumerate(entries_per_row(coords, (12, 5))):
        assert counts.tolist() == np.bincount(coords[:, mode], minlength=(12, 5)[mode]).tolist()


def test_sums_and_differences_in_chunks(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", 7)
    column, values = rng.integers(0, 12, 100).astype(np.int32), rng.normal(size=100)
    sums = sum_per_row(column, values, 13)
    np.testing.assert_allclose(sums, np.bincount(column, values, minlength=13), atol=1e-12)
    rest = values.copy()
    subtract_per_row(rest, sums, column)
    np.testing.assert_array_equal(rest, values - sums[column])
