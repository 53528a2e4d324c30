"""The parts of a model: their numbers and their sizes."""

from __future__ import annotations

import numpy as np

from vest_tucker.base.parts import CORE, along_mode, factor, part_sizes


def test_the_core_comes_first_and_then_the_factors() -> None:
    assert [CORE, factor(0), factor(1)] == [0, 1, 2]


def test_part_sizes_are_the_core_then_the_factors() -> None:
    assert part_sizes((9, 8, 5), (3, 2, 4)) == [24, 27, 16, 20]


def test_numbers_of_each_mode_meet_their_slices_of_the_core() -> None:
    core = np.ones((2, 3, 4))
    for mode, rank in enumerate(core.shape):
        scaled = core * along_mode(np.arange(rank), mode, core.ndim)
        for j in range(rank):
            assert (scaled.take(j, axis=mode) == j).all()
