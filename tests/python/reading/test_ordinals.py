"""Which labels have an order, and consecutive ones as ranges."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest

from vest_tucker.base.types import Labels
from vest_tucker.data.label_arrays import label_array
from vest_tucker.data.sources.zones import zoned
from vest_tucker.drawing.tools.texts import short_labels
from vest_tucker.reading.ordinals import (
    LONGEST,
    MOST_NUMBERS,
    label_text,
    label_texts,
    ranges,
    ranks_of,
)
from vest_tucker.report.tables import texts


@pytest.mark.parametrize(
    "labels",
    [
        np.array([7, 9, 8]),
        np.array(["2021-05-01", "2021-05-08", "2021-05-03"], "M8[D]"),
        np.array(["2021-05", "2021-07", "2021-06"], "M8[M]"),
        np.array(["2021-05", "2021-07", "2021-06"], dtype=object),
        np.array(["2021-05-01", "2021-05-08", "2021-05-03"], dtype=object),
        np.array(["January", "March", "february"], dtype=object),
        np.array(["Mon", "Wed", "Tue"]),
    ],
    ids=str,
)
def test_labels_with_an_order(labels: Labels) -> None:
    ranks = ranks_of(labels)
    assert ranks is not None
    assert ranks.tolist() == [0, 2, 1]


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["soup", "tea"]),
        np.array(["Mon", "never"]),
        np.array([0.5, 1.5]),
        np.arange(MOST_NUMBERS + 1),
        np.array([], dtype=object),
    ],
    ids=["text", "a day and another", "fractions", "too many for an order", "none"],
)
def test_labels_without_an_order(labels: Labels) -> None:
    ranks = ranks_of(labels)
    assert ranks is None or not len(ranks)


def test_ranges_are_of_neighbours_among_all_labels() -> None:
    days = np.array(["2021-05-07", "2021-05-10", "2021-05-11", "2021-05-20"], "M8[D]")
    ranks = ranks_of(days)
    assert ranks is not None
    assert ranges(days[:3], ranks[:3]) == ["2021-05-07 to 2021-05-11"]  # over a weekend
    assert ranges(days[[3, 0]], ranks[[3, 0]]) == ["2021-05-07", "2021-05-20"]


def test_two_neighbours_are_listed() -> None:
    assert ranges(np.array([8, 7]), np.array([1, 0])) == ["7, 8"]


def test_labels_of_any_kind_stay_on_their_line() -> None:
    for label in ("a\nb", "tab\there", "\x1b[31mred", "\u202eback", ""):
        text = label_text(label)
        assert text.isprintable()
        assert text
    cut = label_text("a" + "x" * 1000 + "z")  # in the middle: the ends tell more
    assert (len(cut), cut[0], cut[-1], cut.count("…")) == (LONGEST, "a", "z", 1)
    assert label_text("crème brûlée") == "crème brûlée"


def test_labels_that_stand_together_differ() -> None:
    long = [f"{'x' * 60} {k} {'y' * 60}" for k in range(2)]
    texts = label_texts([*long, 1, "1", 2])
    assert len(set(texts)) == 5
    assert texts[2:] == ["1", "'1'", "2"]


def test_times_have_no_zeros_that_say_nothing() -> None:
    stamps = np.array(["2024-02-18T00:00", "2024-02-18T09:30", "2024-02-18T09:30:05.25"], "M8[us]")
    wanted = ["2024-02-18", "2024-02-18 09:30", "2024-02-18 09:30:05.25"]
    assert [label_text(each) for each in stamps] == wanted
    assert [label_text(each) for each in stamps.tolist()] == wanted  # as Python's own
    assert texts(stamps) == wanted
    moment = dt.datetime(2024, 2, 18, tzinfo=dt.timezone.utc)
    assert label_text(moment) == "2024-02-18"
    assert label_text(np.datetime64("NaT", "s")) == "NaT"
    assert short_labels(stamps) == wanted


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ([3, 21, 90, 700], ["3, 21", "90", "700"]),
        ([1990, 1995, 2000, 2050], ["1990 to 2000", "2050"]),
        (["2019-01", "2020-06", "2020-07", "2020-08"], ["2019-01", "2020-06 to 2020-08"]),
        (
            np.array(["2024-01-01", "2024-02-01", "2024-03-01", "2024-09-01"], dtype="M8[ns]"),
            ["2024-01-01 to 2024-03-01", "2024-09-01"],
        ),
    ],
)
def test_ranges_have_no_gaps(labels: Any, told: list[str]) -> None:
    made = label_array(labels)
    places = ranks_of(made)
    assert places is not None
    assert ranges(made, places) == told


def test_months_of_a_zone_follow_each_other() -> None:
    first = np.arange("2024-01", "2025-01", dtype="M8[M]").astype("M8[s]")
    summer = (np.arange(12) >= 3) & (np.arange(12) <= 9)  # the clocks are two hours ahead
    in_utc = zoned(first - np.where(summer, 2, 1).astype("m8[h]"), "Europe/Berlin")
    found = ranks_of(in_utc)
    assert found is not None
    assert found.tolist() == list(range(12))


def test_labels_with_commas_are_set_off() -> None:
    assert label_texts(["tea", "Good, the Bad", 'O\'Brien, "Lobo"']) == [
        "tea", "'Good, the Bad'", "'O\\'Brien, \"Lobo\"'"
    ]  # fmt: skip
