"""The cafés: the same every time, labelled, and with the story in them that is told of them."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.datasets.demo import DISHES, HABITS, NAMES, TIMES


def groups(X: vt.SparseTensor) -> list[list[str]]:
    """Group of each row of each mode: jobs, menus and times of the day."""
    people, dishes, hours = (labels.tolist() for labels in X.labels if labels is not None)
    menu = {dish: name for name, listed in DISHES.items() for dish in listed}
    times = {hour: name for name, listed in TIMES.items() for hour in listed}
    jobs = [person.partition(" (")[2].rstrip(")") for person in people]
    return [jobs, [menu[dish] for dish in dishes], [times[hour] for hour in hours]]


def test_the_demo_is_the_same_every_time() -> None:
    X, Y = vt.datasets.demo(), vt.datasets.demo()
    np.testing.assert_array_equal(X.coords, Y.coords)
    np.testing.assert_array_equal(X.values, Y.values)
    assert X.mode_labels == Y.mode_labels


def test_every_row_has_a_label_of_its_own() -> None:
    X = vt.datasets.demo()
    assert X.shape == (4 * len(NAMES), 24, 17)
    people, dishes, hours = X.labels
    assert people is not None
    assert dishes is not None
    assert hours is not None
    assert "Ada (student)" in people
    assert "espresso" in dishes
    assert hours.tolist() == list(range(7, 24))
    assert people.tolist() != sorted(people)  # who is alike is for the model to find


def test_values_are_those_of_the_habits_and_zero_elsewhere() -> None:
    X = vt.datasets.demo()
    told = np.zeros(X.nnz, dtype=bool)
    jobs, menu, times = (np.array(of)[rows] for of, rows in zip(groups(X), X.coords.T, strict=True))
    for who, what, when, often in HABITS:
        here = (jobs == who) & (menu == what) & (times == when)
        assert X.values[here].mean() == pytest.approx(often, rel=0.35)
        told |= here
    assert not X.values[~told].any()  # asked, and the answer was never
    assert 0.2 < told.mean() < 0.4


def test_the_defaults_are_far_better_than_the_mean() -> None:
    model = vt.fit(vt.datasets.demo(), 4, seed=0, threads=1, preset="paper")
    assert model.error < 0.3 * model.baseline_error


def test_slow_pruning_finds_one_group_per_component() -> None:
    X = vt.datasets.demo()
    model = vt.fit(X, 4, sparsity=0.72, max_prune_rate=0.02, seed=0, threads=1, preset="paper")
    assert model.error < 0.25
    sizes = np.abs(model.core)
    assert np.count_nonzero(sizes > 0.01 * sizes.max()) == len(HABITS)
    for factor, of in zip(model.factors, groups(X), strict=True):
        names = sorted(set(of))
        shares = np.array([np.sum(factor[np.array(of) == name] ** 2, axis=0) for name in names])
        shares /= shares.sum(axis=0)
        assert (shares.max(axis=0) > 0.99).all()
        assert set(shares.argmax(axis=0)) == set(range(4))
