"""Sums per row, whatever the size of the parts that are summed at a time."""

from __future__ import annotations

import numpy as np
import pytest

from vest_tucker.data.per_row import (
    dot,
    entries_per_row,
    subtract_per_row,
    sum_of_squares,
    sum_per_row,
    total,
    totals_per_row,
)


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


def test_totals_per_row_are_summed_in_parts(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    coords, weights = rng.integers(0, 5, (100, 2)).astype(np.int32), rng.random(100)
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", 7)
    for mode, sums in enumerate(totals_per_row(coords, (6, 5), weights)):
        want = [weights[coords[:, mode] == row].sum() for row in range(len(sums))]
        np.testing.assert_allclose(sums, want, rtol=1e-13)
    values = rng.normal(size=100)
    assert sum_of_squares(values, weights) == pytest.approx(weights @ values**2)
    assert sum_of_squares(values) == pytest.approx(values @ values)
    assert dot(values, weights) == pytest.approx(values @ weights)
    assert total(values) == pytest.approx(values.sum())


def test_sums_are_those_of_whole_chunks_wherever_they_lie(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    values, weights = rng.normal(size=100), rng.random(100)
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", 7)
    parts = [slice(begin, begin + 7) for begin in range(0, 100, 7)]
    assert total(values) == sum(total(values[part]) for part in parts)
    apart = sum(sum_of_squares(values[part], weights[part]) for part in parts)
    assert sum_of_squares(values, weights) == apart
    column = rng.integers(0, 12, 100).astype(np.int32)
    of_rows = np.zeros(12)
    for begin in range(0, 100, 14):  # as many chunks at a time as it takes for the rows
        some = slice(begin, begin + 14)
        of_rows += np.bincount(column[some], values[some], minlength=12)
    assert sum_per_row(column, values, 12).tobytes() == of_rows.tobytes()
