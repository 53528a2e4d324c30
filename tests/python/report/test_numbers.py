"""Numbers in words and digits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vest_tucker.report.numbers import count, percent, plain, shown, signed, with_unit


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12))
def test_a_number_reads_back_to_its_digits(value: float) -> None:
    read = float(shown(value, 4).replace("−", "-").replace(",", ""))
    assert read == pytest.approx(value, rel=1e-3)


def test_special_numbers() -> None:
    assert (shown(math.inf), shown(-math.inf), shown(math.nan)) == ("∞", "−∞", "–")
    assert shown(-0.0) == "0"
    assert shown(9.999) == "10.0"


def test_signs() -> None:
    assert (signed(1e-7), signed(-3.0), signed(math.nan)) == ("+1e−7", "−3.00", "–")


@pytest.mark.parametrize(
    ("share", "text"),
    [(1.0, "100 %"), (0.995, "99.5 %"), (-0.05, "−5.0 %"), (0.5, "50 %"), (math.nan, "–")],
)
def test_percent(share: float, text: str) -> None:
    assert percent(share).replace("\u00a0", " ") == text


def test_words() -> None:
    assert count(1, "entry", "entries") == "1 entry"
    assert count(0, "group") == "0 groups"
    assert with_unit("3", "min").endswith("min")
    assert plain(328521.0) == "328,521"
