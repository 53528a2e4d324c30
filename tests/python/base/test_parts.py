"""The parts of a model: their numbers and their sizes."""

from __future__ import annotations

from vest_tucker.base.parts import CORE, factor, part_sizes


def test_the_core_comes_first_and_then_the_factors() -> None:
    assert [CORE, factor(0), factor(1)] == [0, 1, 2]


def test_part_sizes_are_the_core_then_the_factors() -> None:
    assert part_sizes((9, 8, 5), (3, 2, 4)) == [24, 27, 16, 20]
