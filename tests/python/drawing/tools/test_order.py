"""Which rows are shown, and in which order."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.data.labels import ModeLabels
from vest_tucker.drawing.tools.order import name_of_axis, of_all, rows_in_order, strongest_rows


def test_dates_and_days_come_in_their_order() -> None:
    dates = np.array(["2021-05-03", "2021-05-01", "2021-05-02"], "M8[D]")
    named = ModeLabels(2, ["date", "day"], [dates, ["Wed", "Mon", "Tue"]])
    for mode in (0, 1):
        rows = rows_in_order(named, mode, 3)
        assert rows is not None
        assert rows.tolist() == [1, 2, 0]


def test_the_caller_knows_better() -> None:
    named = ModeLabels(2, ["who", "id"], [["eve", "bob"], [9, 3]])
    assert rows_in_order(named, 1, 2, ordered=False) is None
    rows = rows_in_order(named, 0, 2, ordered=True)
    assert rows is not None
    assert rows.tolist() == [0, 1]


@pytest.mark.parametrize(("n", "rows"), [(1, [2]), (3, [2, 0]), (9, [2, 0])])
def test_strongest_rows_are_never_zeros(n: int, rows: list[int]) -> None:
    assert strongest_rows(np.array([1.0, 0.0, 3.0, 0.0]), n).tolist() == rows


def test_what_is_left_out_is_said() -> None:
    assert of_all(40, 6040) == "40 of 6,040 shown"
    assert of_all(3, 3, "users") == ""
    assert name_of_axis("user", 1, 2) == "user (1 of 2 shown)"


def test_ordered_is_a_flag() -> None:
    named = ModeLabels(1, ["hour"], [[9, 7, 8]])
    with pytest.raises(vt.errors.OptionError, match="ordered"):
        rows_in_order(named, 0, 3, ordered=np.array([]))  # type: ignore[arg-type]
