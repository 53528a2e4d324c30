"""One prediction taken apart, with nothing left out."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from drawn import constant_model, finished, labels, model_of, pyplot, texts
from small import labelled, with_biases


def ends(ax: Any) -> tuple[float, float]:
    """Where the sum begins and where it ends, as drawn."""
    begin, end = ax.get_lines()[0].get_xdata()
    return begin, end


@pytest.mark.parametrize("n", [1, 2, 15])
def test_the_sum_is_complete(sparse: vt.TuckerModel, n: int, style: str) -> None:
    cell = np.array([[0, 0, 3]])
    ax = finished(sparse.plot.explain(cell, n=n))
    bars = ax.patches
    assert len(bars) == min(n, len(sparse.explain(cell).terms))
    begin, end = ends(ax)
    assert begin == 0.0
    assert end == pytest.approx(sparse.predict(cell)[0])
    assert begin + sum(bar.get_width() for bar in bars) == pytest.approx(end)
    for one, two in pairwise(bars):
        assert one.get_x() + one.get_width() == pytest.approx(two.get_x())
    assert labels(ax.yaxis)[-1] == "prediction"
    more = len(sparse.explain(cell).terms) - n + 1
    assert (f"{more} more terms together" in labels(ax.yaxis)) == (more > 1)


def test_it_begins_with_the_mean(model: vt.TuckerModel, rng: np.random.Generator) -> None:
    biased = with_biases(labelled(model), rng)
    cell = [("bob", 10, np.datetime64("2021-05-01"))]
    ax = finished(biased.plot.explain(cell))
    begin, end = ends(ax)
    assert begin == 3.5
    assert end == pytest.approx(biased.predict(cell)[0])
    assert labels(ax.yaxis)[0] == "mean"
    assert {"bias of user bob", "bias of film 10"} < set(labels(ax.yaxis))


def test_a_constant_model_begins_with_its_mean() -> None:
    model = constant_model()
    ax = finished(model.plot.explain([("Brazil", "eve", "Tue")]))
    assert ends(ax)[0] == 10.0
    assert labels(ax.yaxis)[:3] == ["base level", "effect of film Brazil", "effect of user eve"]
    assert "-2" in texts(ax)


def test_nothing_reaches_the_cell() -> None:
    model = model_of([[2.0]], [[[1.0], [0.0]], [[1.0]]])
    ax = finished(model.plot.explain(np.array([[1, 0]])))
    assert not ax.patches
    assert labels(ax.yaxis) == ["nothing", "prediction"]


def test_low_axes_add_more_terms_up(sparse: vt.TuckerModel) -> None:
    ax = pyplot.figure(figsize=(6, 1)).subplots()
    assert sparse.plot.explain(np.array([[0, 0, 3]]), ax=ax) is ax
    assert ends(ax)[0] + sum(bar.get_width() for bar in ax.patches) == pytest.approx(ends(ax)[1])


def test_what_cannot_be_drawn(sparse: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.OptionError, match="one cell can be drawn at a time, but 2"):
        sparse.plot.explain(np.array([[0, 0, 0], [1, 1, 1]]))
    one = {sparse.modes[0]: "nobody", "person": "nobody", "week": np.datetime64("1999-01-01")}
    with pytest.raises(vt.errors.OptionError, match="NaN"):
        sparse.plot.explain(one, unseen="nan")


def test_terms_are_called_by_labels_or_by_components() -> None:
    factor = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.5], [0.0, 0.0]])
    model = model_of(np.eye(2), [factor, factor], labels=[list("abcd"), list("ABCD")])
    shown = labels(finished(model.plot.explain([("a", "A")])).yaxis)[1:-1]
    assert shown == [term.text for term in model.explain([("a", "A")]).terms]
    people = [f"somebody with a name as long as that of number {i} of them all" for i in range(4)]
    model = model_of(np.eye(2), [factor, factor], labels=[people, None]).name(0, 1, "$1")
    shown = labels(finished(model.plot.explain(np.array([[0, 0]]))).yaxis)[1:-1]
    assert sorted(shown)[0] == "$1 × mode_1 0, 2"
    assert sorted(shown)[1].startswith("somebody")
    assert sorted(shown)[1].endswith(" × mode_1 0, 1")
