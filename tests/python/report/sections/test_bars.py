"""The labels of a group as bars, or as a profile."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.reading.captions import pole_labels
from vest_tucker.report.sections.bars import MOST_LABELS, bars
from vest_tucker.report.tables import ModelTables, first_labels


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


def test_bars_begin_with_the_labels_that_sentences_name() -> None:
    rng = np.random.default_rng(0)
    labels: Any = [[f"d{k}" for k in range(30)], ["a", "b"]]
    counts = rng.integers(1, 200, 30)
    model = vt.TuckerModel(
        np.array([[2.0]]), [rng.normal(size=(30, 1)), np.ones((2, 1))], modes=("dish", "who"),
        labels=labels, entries=[counts, np.array([1, counts.sum() - 1])],
    )  # fmt: skip
    tables = ModelTables(model)
    (relation,) = tables.relations
    dish = relation.groups[0]
    for side, text in zip((dish.positive, dish.negative), bars(tables, dish), strict=True):
        drawn_first = re.findall(r">(d\d+)<", str(text))[:3]
        assert drawn_first == pole_labels(side, 3)[0]
        assert drawn_first != side.labels[:3].tolist()  # by weight alone it would be others
    assert pole_labels(dish.positive, 3)[0] == first_labels(dish, 3)[0]
    assert str(tables.cell[0]) == pole_labels(dish.positive, 1)[0][0][1:]


def test_labels_with_an_order_keep_it() -> None:
    (picture,) = drawn([1.0, 0.0, -0.5, 0.2], [9, 7, 8, 10])
    assert 'class="profile"' in picture
    assert picture.index("8: −1.00") < picture.index("9: +2.00") < picture.index("10: +0.400")


def test_lines_of_errors_are_not_cut() -> None:
    model = vt.TuckerModel(
        np.array([[2.0]]), [np.array([[1.0], [-0.5]]), np.ones((1, 1))],
        labels=(np.array(["a", "b"]), None), core_variance=np.ones((1, 1)), noise=1.0,
        factor_variances=[np.array([[1.0], [4.0]]), np.ones((1, 1))],
    )  # fmt: skip
    tables = ModelTables(model, unit="min")
    text = "".join(map(str, bars(tables, tables.reading.group(0, 0))))
    ends = [float(each) for each in re.findall(r'x2="([\d.]+)%"', text)]
    assert ends == pytest.approx([66.67, 100.0])  # 1 + 2 and 0.5 + 4, on one scale
    assert '<td class="number">+2.00</td>' in text
    assert text.count("higher with these, in min ") == 1


def test_no_label() -> None:
    assert drawn([0.0, 0.0], ["a", "b"]) == ['<p class="whatever">no label</p>']
