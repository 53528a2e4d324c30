"""When automatic pruning stops."""

from __future__ import annotations

import pytest

from vest_tucker.elbow import is_elbow, shot_up


def test_a_sharp_rise_is_an_elbow() -> None:
    assert is_elbow([0.30, 0.29, 0.32], rate=0.03)


def test_levelling_off_is_none_although_it_bends() -> None:
    errors = [0.90, 0.40, 0.39]
    assert errors[2] + errors[0] - 2 * errors[1] > 0.05  # the printed rule alone would stop here
    assert not is_elbow(errors, rate=0.03)


def test_a_steady_rise_is_none_although_it_rises() -> None:
    assert not is_elbow([0.30, 0.31, 0.32], rate=0.03)


@pytest.mark.parametrize("errors", [[0.3], [0.3, 0.9]])
def test_two_errors_have_no_bend(errors: list[float]) -> None:
    assert not is_elbow(errors, rate=0.01)


def test_the_bend_is_held_against_rate_and_threshold() -> None:
    errors = [0.50, 0.50, 0.504]  # a second difference of 0.004
    assert is_elbow(errors, rate=0.05, threshold=0.05)
    assert not is_elbow(errors, rate=0.1, threshold=0.05)
    assert not is_elbow(errors, rate=0.05, threshold=0.1)


def test_only_the_last_three_errors_count() -> None:
    assert not is_elbow([0.30, 0.29, 0.32, 0.33], rate=0.03)


@pytest.mark.parametrize(("last", "too_high"), [(0.25, False), (0.2599, False), (0.2601, True)])
def test_shot_up_compares_with_the_lowest_so_far(last: float, too_high: bool) -> None:
    assert shot_up([0.9, 0.2, 0.24, last]) is too_high


def test_exactly_the_factor_is_too_high() -> None:
    assert shot_up([1.0, 1.3])
    assert shot_up([1.0, 2.0], factor=2.0)
    assert not shot_up([1.0, 1.3], factor=2.0)


def test_an_error_of_zero_has_not_shot_up_from_itself() -> None:
    assert not shot_up([0.0])
    assert not shot_up([0.0, 0.0])
