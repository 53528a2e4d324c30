"""Small pictures: well-formed, without styles, with the right lengths."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from vest_tucker.report import svg
from vest_tucker.report.html import Html

SHARES = svg.shares([("a", 0.7, "plus"), ("b", 0.3, "rest")], "seven tenths")
PROFILE = svg.profile(["<7>", "8", "9"], [1.0, 0.0, -3.0], "hours & days")
STRIP = svg.strip([1, 2], "x")


@pytest.mark.parametrize("drawn", [SHARES, PROFILE, STRIP, svg.bar(1.0, 2.0, 0.1)])
def test_pictures_are_well_formed_and_have_no_styles(drawn: Html) -> None:
    root = ET.fromstring(drawn)
    assert root.tag == "svg"
    assert not [each for each in root.iter() if "style" in each.attrib]
    assert root.get("aria-hidden") == "true" or root.get("aria-label")


def test_a_bar_is_as_long_as_its_share() -> None:
    rect, line = ET.fromstring(svg.bar(-1.0, 4.0, 0.25))
    assert (rect.get("class"), rect.get("width")) == ("minus", "25%")
    assert (line.get("x1"), line.get("x2")) == ("12.5%", "37.5%")
    assert ET.fromstring(svg.bar(0.0, 0.0))[0].get("width") == "0%"


def number(element: ET.Element, name: str) -> float:
    return float(element.get(name, "nan"))


def test_a_profile_goes_up_and_down() -> None:
    root = ET.fromstring(PROFILE)
    up, down = root.iter("rect")
    zero = number(next(root.iter("line")), "y1")
    assert number(up, "y") + number(up, "height") == pytest.approx(zero, abs=0.02)
    assert number(down, "y") == pytest.approx(zero)
    assert number(down, "height") == pytest.approx(3.0 * number(up, "height"), rel=0.01)


def test_a_profile_with_errors() -> None:
    root = ET.fromstring(svg.profile(["a", "b"], [2.0, 0.0], "x", [0.25, 0.5]))
    (error,) = (each for each in root.iter("line") if each.get("class") == "error")
    (column,) = root.iter("rect")
    above = number(column, "y") - number(error, "y2")  # not cut off by the end of the picture
    assert number(error, "y2") >= 0.0
    assert above == pytest.approx(0.25 * number(column, "height"), abs=0.1)
    below = number(error, "y1") - number(column, "y")
    assert below == pytest.approx(0.25 * number(column, "height"), abs=0.1)


def test_a_profile_has_numbers_at_its_side() -> None:
    root = ET.fromstring(PROFILE)
    at_side = [each.text for each in root.iter("text") if each.get("text-anchor") == "end"]
    assert at_side == ["+1.0", "−3.0", "0"]
    up_only = ET.fromstring(svg.profile(["a", "b"], [2.0, 1.0], "x"))
    at_side = [each.text for each in up_only.iter("text") if each.get("text-anchor") == "end"]
    assert at_side == ["+2.0", "0"]


def test_a_profile_of_zeros() -> None:
    assert not list(ET.fromstring(svg.profile(["a", "b"], [0.0, 0.0], "nothing")).iter("rect"))


def test_shares_fill_the_bar() -> None:
    first, second = ET.fromstring(SHARES).iter("rect")
    assert (first.get("width"), second.get("x"), second.get("width")) == ("70%", "70%", "30%")
