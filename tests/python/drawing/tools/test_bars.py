"""Bars whose sign can be seen without colours, and labels that do not run into each other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from drawn import finished, labels, pyplot, texts
from vest_tucker.drawing.tools.bars import MOST_BARS, lying_bars, profile


def test_negative_bars_are_hatched_and_hollow() -> None:
    ax = pyplot.figure().subplots()
    rises, falls = lying_bars(ax, [0, 1], ["tea", "rye"], [2.0, -1.0], texts=["+2", "-1"])
    assert (rises.get_width(), falls.get_width()) == (2.0, -1.0)
    assert not rises.get_hatch()
    assert falls.get_hatch()
    assert falls.get_facecolor() == ax.get_facecolor()
    assert labels(ax.yaxis) == ["tea", "rye"]
    assert {"+2", "-1"} <= set(texts(ax))


def test_texts_are_beyond_the_ends() -> None:
    ax = pyplot.figure().subplots()
    lying_bars(ax, [0, 1], ["tea", "rye"], [2.0, -1.0], texts=["right", "left"])
    finished(ax)
    right, left = ax.texts
    assert right.get_window_extent().x0 > ax.transData.transform((2.0, 0.0))[0]
    assert left.get_window_extent().x1 < ax.transData.transform((-1.0, 1.0))[0]


@pytest.mark.parametrize("n", [1, 24, MOST_BARS, MOST_BARS + 1, 3000])
def test_labels_of_profiles_have_room(n: int) -> None:
    ax = pyplot.figure(figsize=(4, 2)).subplots()
    profile(ax, np.cos(np.arange(float(n))), [f"2021-{i:04}" for i in range(n)])
    finished(ax)
    boxes = [each.get_window_extent() for each in ax.xaxis.get_ticklabels()]
    assert labels(ax.xaxis)[0] == "2021-0000"
    assert all(one.x1 < two.x0 for one, two in pairwise(boxes))
    assert len(ax.patches) == (n if n <= MOST_BARS else 2)


def test_an_outline_has_both_signs() -> None:
    ax = pyplot.figure().subplots()
    profile(ax, np.where(np.arange(500) < 250, 1.0, -2.0), [""] * 500)
    rises, falls = ax.patches
    assert (rises.get_hatch() or "", bool(falls.get_hatch())) == ("", True)
    assert rises.get_data().values.max() == 1.0
    assert falls.get_data().values.min() == -2.0
