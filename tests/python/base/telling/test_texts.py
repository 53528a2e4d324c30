"""Steps in words."""

from __future__ import annotations

import pytest

from vest_tucker.base.telling.steps import Show, Step
from vest_tucker.base.telling.texts import BYTES, duration, left_of, text_of


def stood(title: str, done: int, total: int | None = None, unit: str = "", words: str = "") -> Step:
    step = Step(Show(False), title, total, unit)
    step.done, step.words, step.began, step.advanced = done, words, 0.0, 10.0
    return step


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (stood("comparing structures", 2, 5), "comparing structures: 2 of 5"),
        (stood("comparing", 0, 5, words="the best 0.2"), "comparing: 0 of 5, the best 0.2"),
        (stood("pruning", 0, words="61 % zeros"), "pruning, 61 % zeros"),
        (stood("Tucker", 1, unit="sweep"), "Tucker: 1 sweep"),
        (stood("Tucker", 1200, unit="sweep"), "Tucker: 1,200 sweeps"),
        (stood("fit", 0), "fit"),
        (stood("reading x.csv", 1_540_000, 30_000_000, BYTES), "reading x.csv: 1.5 of 30.0 MB"),
        (stood("reading", 1_540_000, None, BYTES), "reading: 1.5 MB"),
    ],
)
def test_a_step_says_what_how_much_and_how_it_stands(step: Step, text: str) -> None:
    assert text_of(step) == text


def test_words_may_be_made_when_they_are_wanted() -> None:
    step = stood("fit", 0)
    step.words = lambda: "now"
    assert text_of(step) == "fit, now"


def test_the_time_left_follows_from_what_is_done() -> None:
    assert left_of(stood("x", 2, 8), 10.0) == "about 30 s left"
    assert left_of(stood("x", 2, 8), 25.0) == "about 15 s left"
    assert left_of(stood("x", 2, 8), 41.0) == ""  # it takes longer than it did before
    for step in (stood("x", 0, 8), stood("x", 8, 8), stood("x", 2)):
        assert left_of(step, 10.0) == ""


def test_times_of_any_length() -> None:
    assert [duration(each) for each in (0.04, 9.94, 10.0, 99.0, 100.0, 5940.0, 6000.0)] == [
        "0.0 s", "9.9 s", "10 s", "99 s", "2 min", "99 min", "1.7 h",
    ]  # fmt: skip
