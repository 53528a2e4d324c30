"""The grid of relations: a row each, a column per mode, two poles apart."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from drawn import constant_model, finished, labels, model_of, overlaps, pyplot, texts
from vest_tucker.drawing.relations import headline
from vest_tucker.drawing.tools.texts import drawable
from vest_tucker.reading.captions import most_reliable
from vest_tucker.reading.relations import relations


def test_a_row_per_relation_and_a_column_per_mode(sparse: vt.TuckerModel, style: str) -> None:
    grid = finished(sparse.plot.relations(n=3, labels=4))
    assert grid.shape == (3, 3)
    found = relations(sparse)
    for row, relation in zip(grid, found, strict=False):
        assert drawable(headline(relation)) in texts(row[0])
        for cell, group in zip(row, relation.groups, strict=True):
            assert any(drawable(group.title) in text for text in texts(cell))
    assert f"3 of {len(found)} relations shown" in texts(grid[-1, 0])
    ink = pyplot.matplotlib.colors.to_rgb(pyplot.rcParams["text.color"])
    assert pyplot.matplotlib.colors.to_rgb(grid[0, 0].texts[0].get_color()) == ink


def test_bars_are_effects_and_poles_stand_apart(sparse: vt.TuckerModel) -> None:
    cell = finished(sparse.plot.relations(n=1, labels=3))[0, 1]
    group = relations(sparse)[0].groups[1]
    places = cell.yaxis.get_ticklocs()
    assert np.diff(places).tolist().count(1.0) == len(places) - 2  # one gap is wider
    widths = [bar.get_width() for bar in cell.patches]
    expected = [
        effect
        for pole in (group.positive, group.negative)
        for effect in pole.effects[most_reliable(pole)[:3]]
    ]
    np.testing.assert_allclose(widths, expected)
    assert not overlaps(cell)
    assert f"{len(widths)} of {len(group)} shown" in cell.get_title(loc="left")


def test_weeks_are_a_profile_in_their_order(sparse: vt.TuckerModel) -> None:
    cell = finished(sparse.plot.relations(n=1))[0, 2]
    group = relations(sparse)[0].groups[2]
    drawn = {round(bar.get_x() + 0.4): bar.get_height() for bar in cell.patches}
    rows = sparse.shape[2] - 1 - group.rows  # the last row is the first week
    assert drawn == dict(zip(rows.tolist(), group.effects.tolist(), strict=True))
    assert labels(cell.xaxis)[0] == "2020-01-01"


def test_constant_columns_mean_whatever() -> None:
    model = constant_model()
    grid = finished(model.plot.relations())
    assert grid.shape == (3, 3)
    assert [text for text in texts(grid[0, 1]) if "whatever" in text] == ["whatever the user"]
    assert all("whatever the day" in texts(cell) for cell in grid[:, 2])


def test_relations_are_counted_as_texts_do() -> None:
    model = constant_model()
    shown = finished(model.plot.relations(n=1))
    total = model.describe().n_relations
    effects = len(relations(model)) - total
    first = relations(model)[0].order == 1
    expected = f"{int(not first)} of {total} relations and {int(first)} of {effects} effects shown"
    assert expected in texts(shown[-1, 0])


def test_axes_and_figures_given(sparse: vt.TuckerModel) -> None:
    axes = pyplot.figure().subplots(2, 3)
    assert (sparse.plot.relations(n=2, ax=axes) == axes).all()
    assert not any(overlaps(ax) for ax in axes[:, :2].ravel())
    figure = pyplot.figure(layout="constrained").subfigures(1, 2)[0]
    assert all(each.figure is figure for each in sparse.plot.relations(n=1, figure=figure).ravel())
    with pytest.raises(vt.errors.ShapeError, match="relations needs 3 axes, but ax has 6"):
        sparse.plot.relations(n=1, ax=axes)


def test_one_component() -> None:
    model = model_of([[-2.0]], [[[1.0], [3.0]], [[1.0], [0.0]]], labels=[["a", "b"], None])
    assert finished(model.plot.relations()).shape == (1, 2)


def test_a_core_of_zeros() -> None:
    model = model_of([[0.0]], [[[1.0], [3.0]], [[1.0], [0.5]]])
    with pytest.raises(vt.errors.OptionError, match="no relations"):
        model.plot.relations()
