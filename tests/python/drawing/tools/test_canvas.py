"""Axes given or new, and inks that can be read on any paper."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from drawn import pyplot
from vest_tucker.drawing.tools import canvas


def luminance(colour: Any) -> float:
    return float(np.dot(pyplot.matplotlib.colors.to_rgb(colour), (0.2126, 0.7152, 0.0722)))


def test_new_axes_are_those_given() -> None:
    ax = pyplot.figure().subplots()
    assert canvas.new_axes(ax, 3.0, 2.0) is ax


def test_new_figures_grow_with_the_font() -> None:
    sizes = []
    for size in (10, 20):
        with pyplot.rc_context({"font.size": size}):
            sizes.append(canvas.new_axes(None, 3.0, 2.0).get_figure().get_size_inches())
    assert sizes[0].tolist() == [3.0, 2.0]
    assert sizes[1].tolist() == [6.0, 4.0]


def test_inks_can_be_read(style: str) -> None:
    shades = canvas.inks(pyplot.figure().subplots())
    paper = luminance(shades.paper)
    for name in ("ink", "muted", "plus"):
        assert abs(luminance(getattr(shades, name)) - paper) > 0.25, name
    assert 0.02 < abs(luminance(shades.faint) - paper) < 0.3
    assert luminance(shades.ink) == (1.0 if style == "dark_background" else 0.0)


def test_transparent_paper_contrasts_with_the_ink() -> None:
    with pyplot.rc_context({"axes.facecolor": "none", "text.color": "white"}):
        assert canvas.inks(pyplot.figure().subplots()).paper == (0.0, 0.0, 0.0)


def test_a_style_of_one_colour() -> None:
    with pyplot.rc_context({"axes.prop_cycle": pyplot.cycler(color=["tab:red"])}):
        shades = canvas.inks(pyplot.figure().subplots())
    assert shades.plus == shades.minus == "tab:red"


def test_a_grid_in_a_figure_given() -> None:
    figure = pyplot.figure()
    grid = canvas.new_grid(figure.subfigures(1, 2)[1], 2, 3, (4.0, 3.0))
    assert grid.shape == (2, 3)
    assert grid[0, 0].figure.figure is figure


def test_as_many_axes_as_needed() -> None:
    axes = pyplot.figure().subplots(2, 2)
    assert canvas.as_many(axes, 4, "this") == list(axes.ravel())
    with pytest.raises(vt.errors.ShapeError, match="this needs 3 axes, but ax has 4"):
        canvas.as_many(axes, 3, "this")


def test_rows_fit_axes_that_were_given() -> None:
    low = pyplot.figure(figsize=(4, 1)).subplots()
    assert canvas.rows_that_fit(low, 40, given=True) < 8
    assert canvas.rows_that_fit(low, 2, given=True) == 2
    assert canvas.rows_that_fit(low, 40, given=False) == 40


def test_turned_texts_fit_side_by_side() -> None:
    ax = pyplot.figure(figsize=(2, 2)).subplots()
    assert canvas.size_beside(ax, 3) == canvas.font_size()
    assert 5.0 < canvas.size_beside(ax, 15) < canvas.font_size()
    assert canvas.size_beside(ax, 500) == 5.0


def test_lines_to_keep() -> None:
    ax = pyplot.figure().subplots()
    canvas.bare(ax, keep=("left",))
    assert [side for side, spine in ax.spines.items() if spine.get_visible()] == ["left"]


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(vt.errors.MissingPackageError, match=r"vest-tucker\[plot\]"):
        canvas.new_axes(None, 3.0, 2.0)
