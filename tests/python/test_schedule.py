"""How much is pruned per iteration, and where it ends."""

from __future__ import annotations

import math

import pytest

from vest_tucker.schedule import auto_limits, batch_sizes, manual_limits, part_sizes, prune_rate


def test_part_sizes_are_the_core_then_the_factors() -> None:
    assert part_sizes((9, 8, 5), (3, 2, 4)) == [24, 27, 16, 20]


def test_the_rate_grows_with_t_up_to_the_maximum() -> None:
    rates = [prune_rate(t, 0.01, 0.1) for t in range(1, 14)]
    assert rates[0] == 0.01
    assert rates[6] == 0.01 * 7
    assert rates[9:] == [0.1] * 4


def test_a_batch_is_a_share_of_the_whole_part_rounded_down() -> None:
    assert batch_sizes(0.07, [1000, 199], [500, 0], [900, 100]) == [70, 13]


def test_a_part_short_of_its_limit_loses_at_least_one() -> None:
    assert batch_sizes(0.01, [8, 99], [0, 3], [4, 50]) == [1, 1]


def test_no_batch_goes_past_the_limit() -> None:
    assert batch_sizes(0.1, [1000, 1000, 8], [450, 500, 4], [500, 500, 4]) == [50, 0, 0]


@pytest.mark.parametrize(("size", "share", "limit"), [(8, 0.3, 3), (100, 0.55, 56), (10, 0.0, 0)])
def test_manual_limits_round_up_in_plain_double_arithmetic(
    size: int, share: float, limit: int
) -> None:
    assert manual_limits([size], share) == [limit] == [math.ceil(share * size)]


def test_auto_leaves_a_factor_its_rows_and_the_core_its_longest_side() -> None:
    shape, ranks = (12, 10, 6), (4, 3, 1)
    left = [
        size - limit
        for size, limit in zip(part_sizes(shape, ranks), auto_limits(shape, ranks), strict=True)
    ]
    assert left == [4, 12, 10, 6]
