"""Which cells are observed: how many, how often which, and never the same one twice."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.datasets import observed_cells as module
from vest_tucker.datasets.observed_cells import (
    Blocks,
    Missing,
    Skewed,
    distinct_cells,
    observed_cells,
)

PATTERNS: list[Missing] = ["uniform", "skewed", "blocks"]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("shape", [(20, 30), (9, 8, 7), (2000, 3000, 50)])
def test_cells_are_as_many_as_asked_for_and_distinct(
    pattern: Missing, shape: tuple[int, ...], rng: np.random.Generator
) -> None:
    cells = observed_cells(shape, 200, pattern, 1.0, rng)
    assert cells.dtype == np.int32
    assert cells.flags.c_contiguous
    assert cells.shape == (200, len(shape))
    assert len(np.unique(cells, axis=0)) == 200
    assert (cells >= 0).all()
    assert (cells < np.array(shape)).all()


@pytest.mark.parametrize("few", [module.FEW_CELLS, 0])
def test_skewed_rows_follow_the_power_law(
    few: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways of drawing, all cells at once and one after the other, in the same proportions."""
    monkeypatch.setattr(module, "FEW_CELLS", few)
    cells = observed_cells((40, 3000, 34), 2000, "skewed", 1.0, rng)
    shares = np.sort(np.bincount(cells[:, 0], minlength=40))[::-1] / 2000
    expected = 1 / np.arange(1, 41) / np.sum(1 / np.arange(1, 41))
    np.testing.assert_allclose(shares[:10], expected[:10], atol=0.04)
    assert shares[0] > 5 * np.median(shares)


def test_without_skew_all_rows_are_alike(rng: np.random.Generator) -> None:
    cells = observed_cells((10, 20, 30), 3000, "skewed", 0.0, rng)
    assert np.bincount(cells[:, 0]).min() > 200


@pytest.mark.parametrize("few", [module.FEW_CELLS, 0])
def test_missing_blocks_are_empty_and_the_others_are_not(
    few: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW_CELLS", few)
    cells = observed_cells((12, 9, 6), 200, "blocks", 1.0, rng)
    again = Blocks((12, 9, 6), np.random.default_rng(20210607))  # as rng
    groups = np.stack([of[rows] for of, rows in zip(again.groups, cells.T, strict=True)], axis=1)
    assert (groups.sum(axis=1) % 3 != 0).all()
    assert len(np.unique(groups, axis=0)) == 18


@pytest.mark.parametrize("shape", [(4, 3), (12, 9, 6), (1, 2, 5, 1)])
def test_every_cell_outside_the_missing_blocks_can_be_observed(
    shape: tuple[int, ...], rng: np.random.Generator
) -> None:
    blocks = Blocks(shape, rng)
    assert blocks.observable() == np.count_nonzero(blocks.log_weights() == 0.0)
    assert Skewed(shape, 1.0, rng).observable() == math.prod(shape)
    all_of_them = observed_cells(shape, math.prod(shape), "skewed", 3.0, rng)
    assert len(np.unique(all_of_them, axis=0)) == math.prod(shape)


def test_more_entries_than_the_missing_blocks_leave_are_refused() -> None:
    with pytest.raises(
        vt.errors.OptionError, match=r'missing="blocks" leaves only 18 of the 27 cells'
    ):
        observed_cells((3, 3, 3), 19, "blocks", 1.0, np.random.default_rng(0))


def test_a_skew_too_strong_for_so_many_entries_is_refused(rng: np.random.Generator) -> None:
    with pytest.raises(vt.errors.OptionError, match="lower skew or nnz"):
        observed_cells((5000, 5000), 10_000, "skewed", 8.0, rng)


@pytest.mark.parametrize("shape", [(5, 4, 3), (2**31 - 1,) * 3])
def test_cells_are_distinct_and_inside(shape: tuple[int, ...], rng: np.random.Generator) -> None:
    cells = distinct_cells(shape, 60, rng)
    assert cells.dtype == np.int32
    assert len(np.unique(cells, axis=0)) == 60  # of 60 cells in the first case: all of them
    assert (cells >= 0).all()
    assert (cells < np.array(shape)).all()


def test_cells_drawn_twice_are_replaced() -> None:
    class Stutter(np.random.Generator):
        """Repeats the last cell of its first draw."""

        draws = 0

        def integers(self, *args: object, **options: object) -> object:  # type: ignore[override]
            drawn = super().integers(*args, **options)  # type: ignore[call-overload]
            self.draws += 1
            if self.draws == 1:
                drawn[-1] = drawn[0]
            return drawn

    rng = Stutter(np.random.PCG64(0))
    cells = distinct_cells((2**31 - 1,) * 3, 10, rng)
    assert rng.draws == 2
    assert len(np.unique(cells, axis=0)) == 10
