"""The pattern of a factor, ordered by component or over the order of the mode."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from drawn import HOSTILE, finished, labels, model_of, overlaps, pyplot, sparse_model, texts
from vest_tucker.drawing.factor import by_component
from vest_tucker.drawing.tools.texts import short_labels


def test_every_label_and_every_component(sparse: vt.TuckerModel, style: str) -> None:
    ax = finished(sparse.plot.factor(0))
    assert set(labels(ax.yaxis)) == set(short_labels(HOSTILE))
    assert not overlaps(ax)
    assert len(ax.collections[0].get_paths()) == np.count_nonzero(sparse.factors[0])
    assert [name[-1] for name in labels(ax.xaxis)] == ["0", "1", "2"]
    assert "empty" not in texts(ax)


def test_a_budget_that_is_stated(rng: np.random.Generator) -> None:
    model = sparse_model(rng, rows=6040)
    ax = finished(model.plot.factor("person"))
    assert len(ax.get_yticks()) == 40
    assert ax.get_ylabel() == "person (40 of 6,040 shown)"
    assert not overlaps(ax)
    assert texts(ax).count("empty") == 1
    strongest = np.abs(model.factors[1][:, 0]).argmax()
    assert f"{strongest:04}" in labels(ax.yaxis)[0]


def test_given_names(sparse: vt.TuckerModel) -> None:
    ax = finished(sparse.name("person", 3, "early _birds_").plot.factor("person", n=5))
    assert labels(ax.xaxis)[3] == "early _birds_"


def test_weeks_keep_their_order(sparse: vt.TuckerModel) -> None:
    ax = finished(sparse.plot.factor("week"))
    shown = labels(ax.yaxis)
    assert shown == sorted(shown)
    assert len(ax.patches) == np.count_nonzero(sparse.factors[2])
    assert not sparse.plot.factor("week", ordered=False).patches


def test_a_long_order_is_drawn_whole_and_named_in_part(rng: np.random.Generator) -> None:
    days = np.datetime64("2020-01-01") + np.arange(365)
    factors = [rng.normal(size=(365, 2)), rng.normal(size=(3, 2))]
    model = model_of(np.eye(2), factors, labels=[days, None])
    ax = finished(model.plot.factor(0, n=30))
    profiles = [each.get_data() for each in ax.patches]
    assert [len(each.values) for each in profiles] == [365] * 4  # two signs of two components
    assert [each.baseline for each in profiles] == [0, 0, 1, 1]
    assert labels(ax.yaxis)[:2] == ["2020-01-01", "2020-01-14"]
    assert not overlaps(ax)


def test_signs_are_those_of_a_reader() -> None:
    model = model_of([[2.0]], [[[-1.0], [-3.0]], [[1.0], [-0.5]]], labels=[["a", "b"], None])
    solid, second = finished(model.plot.factor(0)).collections[0].get_facecolors()
    assert tuple(solid) == tuple(second)  # -1 and -3 are both positive in the picture
    faces = finished(model.plot.factor(1, ordered=False)).collections[0].get_facecolors()
    assert tuple(faces[0]) != tuple(faces[1])


def test_the_constant_column_is_left_out() -> None:
    ones = np.ones((3, 1))
    factors = [np.hstack([ones, ones * 2.0]), np.hstack([ones, ones])]
    model = model_of([[1.0, 0.0], [0.0, 2.0]], factors, constant=True)
    assert labels(finished(model.plot.factor(0)).xaxis) == ["mode_0 1"]


def test_low_axes_show_fewer(sparse: vt.TuckerModel) -> None:
    ax = pyplot.figure(figsize=(4, 2), layout="constrained").subplots()
    sparse.plot.factor("person", ax=ax)
    assert 1 < len(ax.get_yticks()) < 12
    assert not overlaps(ax)


@pytest.mark.parametrize("n", [1, 3, 7])
def test_components_take_turns(n: int) -> None:
    shares = np.zeros((9, 3))
    shares[:5, 0] = [0.2, 1.0, 0.4, 0.3, 0.5]
    shares[5:7, 2] = [1.0, 0.9]
    rows = by_component(shares, n).tolist()
    assert len(rows) == n
    assert rows == {1: [1], 3: [1, 4, 5], 7: [1, 4, 2, 3, 0, 5, 6]}[n]


def test_many_empty_components_are_left_out() -> None:
    weights = np.zeros((9, 9))
    weights[:, [2, 7]] = 1.0
    model = model_of(np.eye(9), [weights, weights], labels=[list("abcdefghi"), None])
    ax = finished(model.plot.factor(0))
    assert labels(ax.xaxis) == ["mode_0 2", "mode_0 7"]
    assert ax.get_xlabel() == "7 empty components\nare left out"
    nothing = finished(model_of(np.eye(4), [np.zeros((4, 4))] * 2).plot.factor(0, ordered=False))
    assert texts(nothing).count("empty") == 4
