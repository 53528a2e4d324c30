"""Relations as dots at the components they join, and slices of the core."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from drawn import constant_model, finished, labels, model_of, pyplot, texts
from vest_tucker.drawing.core import draw_joins
from vest_tucker.reading.captions import amount
from vest_tucker.reading.relations import relations


def test_dots_are_where_relations_join(sparse: vt.TuckerModel, style: str) -> None:
    ax = finished(sparse.plot.core())
    columns = dict(zip(labels(ax.xaxis), ax.xaxis.get_ticklocs(), strict=True))
    found = relations(sparse)
    lines = ax.get_lines()[: len(found)]
    for place, (line, relation) in enumerate(zip(lines, found, strict=True)):
        assert set(line.get_ydata()) == {place}
        joined = [name for name, at in columns.items() if at in line.get_xdata()]
        assert [name.rpartition(" ")[2] for name in joined] == [str(j) for j in relation.index]
    assert len(columns) == sum(sparse.ranks)  # empty components too


def test_bars_are_sizes(sparse: vt.TuckerModel) -> None:
    ax = finished(sparse.plot.core(n=3))
    sizes = [relation.size for relation in relations(sparse)[:3]]
    bars = ax.containers[0].patches
    np.testing.assert_allclose(
        [bar.get_width() / bars[0].get_width() for bar in bars], np.abs(sizes) / abs(sizes[0])
    )
    assert [bool(bar.get_hatch()) for bar in bars] == [size < 0 for size in sizes]
    assert {amount(size) for size in sizes} <= set(texts(ax))
    assert ax.get_ylabel() == f"3 of {len(relations(sparse))} relations shown"


def test_many_components_without_relations_are_left_out() -> None:
    core = np.zeros((50, 50))
    core[7, 9], core[30, 9] = 2.0, -1.0
    model = model_of(core, [np.eye(50), np.eye(50)])
    assert labels(finished(model.plot.core()).xaxis) == ["mode_0 7", "mode_0 30", "mode_1 9"]


def test_named_components_and_constant_columns() -> None:
    ax = finished(constant_model().name("film", 1, "$ horror $").plot.core())
    assert labels(ax.xaxis) == ["$ horror $", "user 1", "day 1"]


def test_slices_are_the_core(sparse: vt.TuckerModel) -> None:
    axes = finished(sparse.plot.core(style="slices", modes=("person", 0)))
    seen = sparse.oriented().core
    assert len(axes) == 2
    for week, ax in enumerate(axes):
        assert ax.get_title(loc="left") == f"week {week}"
        assert len(ax.collections[0].get_paths()) == np.count_nonzero(seen[:, :, week])
        written = {text.get_text() for text in ax.texts}
        assert written == {amount(value, 2) for value in seen[:, :, week][seen[:, :, week] != 0]}
    assert labels(axes[0].yaxis) == [f"person {j}" for j in range(4)]


def test_slices_of_a_constant_model_leave_the_mean_out() -> None:
    axes = finished(constant_model().plot.core(style="slices"))
    assert [ax.get_title(loc="left") for ax in axes] == ["any day"]
    assert labels(axes[0].yaxis) == ["any film", "film 1"]
    assert {text.get_text() for text in axes[0].texts} == {"+2", "-1", "+0.5"}


def test_few_slices_of_many(rng: np.random.Generator) -> None:
    model = model_of(rng.random((2, 2, 3, 3)), [rng.random((4, r)) for r in (2, 2, 3, 3)])
    axes = finished(model.plot.core(style="slices", n=3))
    assert len(axes) == 3
    assert "3 of 4 slices shown" in axes[0].get_title(loc="left")


def test_two_modes_have_one_slice() -> None:
    model = model_of([[2.0, 0.0]], [[[1.0], [3.0]], [[1.0, 0.5], [0.0, 1.0]]])
    (ax,) = finished(model.plot.core(style="slices"))
    assert ax.get_title(loc="left") == ""


def test_what_cannot_be_drawn(sparse: vt.TuckerModel) -> None:
    with pytest.raises(vt.OptionError, match="style"):
        sparse.plot.core(style="pie")  # type: ignore[arg-type]
    with pytest.raises(vt.OptionError, match="twice the same"):
        sparse.plot.core(style="slices", modes=(1, "person"))
    zero = model_of([[0.0]], [[[1.0]], [[1.0]]])
    with pytest.raises(vt.OptionError, match="no relations"):
        zero.plot.core()
    with pytest.raises(vt.OptionError, match="no relations"):
        zero.plot.core(style="slices")


def test_on_axes_given(sparse: vt.TuckerModel) -> None:
    ax = pyplot.figure(figsize=(4, 1.0)).subplots()
    assert draw_joins(sparse, ax=ax) is ax
    assert "relations shown" in ax.get_ylabel()
    axes = pyplot.figure().subplots(1, 2)
    assert list(sparse.plot.core(style="slices", modes=(0, 1), ax=axes)) == list(axes)
