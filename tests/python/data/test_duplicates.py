"""Cells observed twice: what is kept, in which order, and what does not overflow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt


@pytest.mark.parametrize(
    ("policy", "values"),
    [
        ("mean", [3, 5, 2, 9]),
        ("sum", [9, 5, 4, 9]),
        ("first", [1, 5, 3, 9]),
        ("last", [6, 5, 1, 9]),
    ],
)
def test_merged_cells_keep_the_order_of_their_first_appearance(
    policy: Any, values: list[float]
) -> None:
    coords = [[7, 1], [0, 2], [3, 3], [7, 1], [3, 3], [0, 0], [7, 1]]
    X = vt.SparseTensor(coords, [1, 5, 3, 2, 1, 9, 6], duplicates=policy)
    assert X.coords.tolist() == [[7, 1], [0, 2], [3, 3], [0, 0]]
    assert X.values.tolist() == values
    assert X.shape == (8, 4)
    assert X.norm == pytest.approx(np.linalg.norm(values))


def test_the_mean_of_huge_values_is_finite() -> None:
    largest = np.finfo(float).max
    coords = [[0, 0], [0, 0], [1, 1], [1, 1], [1, 1], [2, 2], [2, 2], [2, 2]]
    values = [1.6e308, 1.2e308, largest, largest, largest, 0.1, 0.1, 0.1]
    X = vt.SparseTensor(coords, values, duplicates="mean")
    np.testing.assert_allclose(X.values, [1.4e308, largest, 0.1], rtol=1e-15)


def test_a_sum_that_overflows_is_named_with_its_cell() -> None:
    coords = [[4, 1], [2, 3], [4, 1], [2, 3], [2, 3]]
    with pytest.raises(vt.NonFiniteError, match=r"sum of the 3 duplicates of the cell \(2, 3\)"):
        vt.SparseTensor(coords, [1.0, 1e308, 2.0, 1e308, 1e308], duplicates="sum")


def test_cells_of_more_modes_than_fit_a_number(rng: np.random.Generator) -> None:
    coords = rng.integers(0, 2, (300, 6)) * (2**31 - 2)
    X = vt.SparseTensor(coords, np.ones(300), duplicates="sum")
    assert X.coords.tolist() == [list(cell) for cell in dict.fromkeys(map(tuple, coords.tolist()))]
    assert X.values.sum() == 300
