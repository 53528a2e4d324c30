"""Curves: at the right heights, gaps left out, one place marked."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import pytest

from vest_tucker.report.curve import Curves, ticks

CURVES = Curves(
    [0.0, 0.5, 1.0], [("plus", "fitted", [1.0, 1.2, 3.0]), ("minus", "held", [1.5, math.nan, 4.0])],
    1, ("zeros", "error"), ("always the mean", 2.0),
)  # fmt: skip


def test_lines_leave_gaps_out_and_end_at_their_heights() -> None:
    root = ET.fromstring(CURVES.draw("a curve"))
    fitted, held = (each.get("points", "").split() for each in root.iter("polyline"))
    assert (len(fitted), len(held)) == (3, 2)
    low, top = CURVES.span
    heights = [float(point.partition(",")[2]) for point in (*fitted, *held)]
    per_unit = (heights[0] - heights[2]) / 2.0
    assert heights[3] - heights[4] == pytest.approx(2.5 * per_unit, abs=0.1)
    assert low < 1.0 < 4.0 < top


def test_the_chosen_place_and_the_level_are_marked() -> None:
    root = ET.fromstring(CURVES.draw("a curve"))
    kinds = [each.get("class") for each in root.iter("line")]
    assert kinds.count("knee") == kinds.count("level") == 1
    assert [each.get("class") for each in root.iter("circle")] == ["plus"]  # the other has a gap
    assert root[0].get("aria-label") == "a curve"
    assert not [each for each in root.iter() if "style" in each.attrib]


def test_a_single_point() -> None:
    root = ET.fromstring(Curves([0.3], [("plus", "x", [0.2])], 0, ("a", "b")).draw("t"))
    (line,) = root.iter("polyline")
    (circle,) = root.iter("circle")
    (point,) = line.get("points", "").split()
    assert point == f"{circle.get('cx')},{circle.get('cy')}"
    assert all(map(math.isfinite, map(float, point.split(","))))


def test_ticks_are_round_and_inside() -> None:
    for low, top in ((0.013, 0.97), (-5.0, 1234.0), (0.21, 0.22)):
        found = ticks(low, top)
        assert 3 <= len(found) <= 8
        assert low <= found[0] < found[-1] <= top
