"""The labels of a group as bars, or as a profile."""

from __future__ import annotations

from typing import Any

import numpy as np

import vest_tucker as vt
from vest_tucker.report.sections.bars import MOST_LABELS, bars
from vest_tucker.report.tables import ModelTables


def drawn(column: list[float], labels: Any) -> list[str]:
    factors = [np.array(column)[:, None], np.ones((1, 1))]
    both: Any = [labels, None]
    model = vt.TuckerModel(np.array([[2.0]]), factors, labels=both)
    tables = ModelTables(model)
    return [str(each) for each in bars(tables, tables.reading.group(0, 0))]


def test_two_sides_apart_the_strongest_first() -> None:
    higher, lower = drawn([0.5, 1.0, -0.3, 0.0], ["rye", "tea", "egg", "ham"])
    assert "higher with these" in higher
    assert higher.index("tea") < higher.index("rye")
    assert "lower with these" in lower
    assert "−0.600" in lower
    assert "ham" not in higher + lower


def test_only_some_labels_are_shown() -> None:
    (side,) = drawn([1.0 + k for k in range(20)], [f"d{k}" for k in range(20)])
    assert side.count("<svg") == MOST_LABELS
    assert f"and {20 - MOST_LABELS} more" in side


def test_labels_with_an_order_keep_it() -> None:
    (picture,) = drawn([1.0, 0.0, -0.5, 0.2], [9, 7, 8, 10])
    assert 'class="profile"' in picture
    assert picture.index("8: −1.00") < picture.index("9: +2.00") < picture.index("10: +0.400")


def test_no_label() -> None:
    assert drawn([0.0, 0.0], ["a", "b"]) == ['<p class="whatever">no label</p>']
