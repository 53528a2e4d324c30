"""Relations as dots at the components they join."""

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


def test_what_cannot_be_drawn(sparse: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.OptionError, match="style"):
        sparse.plot.core(style="pie")  # type: ignore[arg-type]
    zero = model_of([[0.0]], [[[1.0]], [[1.0]]])
    with pytest.raises(vt.errors.OptionError, match="no relations"):
        zero.plot.core()


def test_on_axes_given(sparse: vt.TuckerModel) -> None:
    ax = pyplot.figure(figsize=(4, 1.0)).subplots()
    assert draw_joins(sparse, ax=ax) is ax
    assert "relations shown" in ax.get_ylabel()
