"""Groups in words: a few labels, ranges, poles, and no label seen twice on top of thousands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import made
from vest_tucker.reading.captions import amount, caption, percent, relation_caption
from vest_tucker.reading.relations import groups, relations


def group_of(column: Any, labels: Any = None, entries: Any = None) -> Any:
    factor = np.asarray(column, dtype=float)[:, None]
    model = made(
        [[1.0]], [factor, [[1.0]]], modes=("dish", "who"), labels=[labels, None],
        entries=None if entries is None else [entries, [sum(entries)]],
    )  # fmt: skip
    return groups(model, 0)[0]


def test_the_strongest_labels_and_how_many_more() -> None:
    labels = ["tea", "rye", "soup", "rice", "cake", "pie"]
    group = group_of([1, 3, 2, 0.5, 0.25, 0], labels)
    assert caption(group) == "rye, soup, tea and 2 more"
    assert caption(group, labels=5) == "rye, soup, tea, rice, cake"


def test_two_poles_are_told_apart() -> None:
    group = group_of([3, -2, 1, -1], ["tea", "rye", "soup", "rice"])
    assert caption(group) == "tea, soup against rye, rice"


def test_hours_are_ranges_in_their_order() -> None:
    hours = np.arange(6, 24)
    weights = np.where((hours >= 7) & (hours <= 10), 1.0 + hours / 100, 0.0)
    assert caption(group_of(weights, hours)) == "dish 7 to 10"
    weights[hours == 22] = 0.1  # hardly there
    assert caption(group_of(weights, hours)) == "dish 7 to 10 and 1 more"
    weights[hours == 22] = 0.001  # next to nothing
    assert caption(group_of(weights, hours)) == "dish 7 to 10"


def test_few_ranges_are_told_in_their_order() -> None:
    weights = np.zeros(12)
    weights[[2, 3, 4, 5, 6, 7, 11]] = [0.5, 1.0, 0.6, 2.0, 1.9, 0.6, 0.7]
    assert caption(group_of(weights, np.arange(1, 13))) == "dish 3 to 8, 12"
    weights[:] = 0.0
    weights[[1, 4, 7]] = [0.5, 2.0, 1.0]  # no two of them follow each other
    assert caption(group_of(weights, np.arange(1, 13))) == "dish 5, 8, 2"


def test_scattered_numbers_are_told_by_strength() -> None:
    weights = np.zeros(40)
    weights[[3, 17, 30, 9]] = [1.0, 4.0, 2.0, 1.5]
    assert caption(group_of(weights, np.arange(40))) == "dish 17, 30, 9 and 1 more"


def test_a_group_of_all_labels_says_so() -> None:
    labels = ["tea", "rye", "soup", "rice"]
    assert caption(group_of([1, 3, 2, 0.5], labels)) == "every dish, most of all rye, soup, tea"
    labels = [f"dish {i}" for i in range(20)]
    weights = np.arange(20.0)
    assert caption(group_of(weights, labels), 1) == "almost every dish, most of all dish 19"


def test_a_label_seen_twice_does_not_stand_for_thousands() -> None:
    labels = ["rare", "usual", "often", "none"]
    group = group_of([5.0, 2.0, 1.0, 0.0], labels, entries=[2, 1000, 3000, 0])
    assert caption(group, 1) == "usual and 2 more"


def test_a_blank_label_is_seen() -> None:
    assert caption(group_of([1, 2, 0], ["", " ", "x"])) == "' ', ''"


def test_a_relation_joins_what_it_speaks_of(rated: vt.TuckerModel) -> None:
    for relation in relations(rated):
        assert relation_caption(relation).count(" × ") == relation.order - 1


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "+0"), (-1234.5, "-1,234"), (999.6, "+1,000"), (1e-9, "+1e-09"), (np.nan, "+nan")],
)
def test_amounts(value: float, text: str) -> None:
    assert amount(value) == text


def test_percents() -> None:
    shares = [0.0, 1e-5, -1e-5, 0.005, 0.5, 11.0]
    assert list(map(percent, shares)) == ["0 %", "<0.1 %", "<0.1 %", "0.5 %", "50 %", "1100 %"]
