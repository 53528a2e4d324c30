"""Entries per row of each mode, and the values: pictures, and the frame behind them."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from drawn import finished, labels, overlaps, pyplot, texts
from vest_tucker.drawing.tools.texts import drawable


def test_a_panel_per_mode_and_one_for_the_values(entries: vt.SparseTensor, style: str) -> None:
    axes = finished(entries.plot())
    assert len(axes) == 4
    title = axes[0].figure.get_suptitle()
    assert title.startswith(f"{entries.nnz:,} of 13 x 30 x 8 cells observed: ")
    counts = np.bincount(entries.coords[:, 1])
    assert [bar.get_width() for bar in axes[1].patches] == sorted(counts, reverse=True)[:12]
    assert axes[1].get_ylabel() == "person (12 of 30 shown)"
    assert not overlaps(axes[1])
    assert drawable(entries.modes[0]) in axes[0].get_ylabel()
    assert sum(bar.get_height() for bar in axes[3].patches) == entries.nnz


def test_weeks_come_in_their_order(entries: vt.SparseTensor) -> None:
    ax = finished(entries.plot("week"))
    counts = np.bincount(entries.coords[:, 2])
    assert [bar.get_height() for bar in ax.patches] == counts[::-1].tolist()
    assert labels(ax.xaxis)[0] == "2020-01-01"
    most = finished(entries.plot("week", ordered=False))
    assert [bar.get_width() for bar in most.patches] == sorted(counts, reverse=True)


def test_few_different_values_are_counted() -> None:
    X = vt.SparseTensor([[0, 0], [0, 1], [1, 1]], [3.0, 0.0, 3.0], shape=(3, 2))
    ax = finished(X.plot())[-1]
    assert labels(ax.xaxis) == ["0", "3"]
    assert [bar.get_height() for bar in ax.patches] == [1.0, 2.0]
    assert ax.get_xlabel() == "value (mean 2, 33 % are zero)"


def test_rows_without_entries_are_told() -> None:
    X = vt.SparseTensor([[0, 0], [0, 1]], [1, 2], shape=(5, 2), labels=[list("abcde"), None])
    assert "none in 4" in finished(X.plot(0)).get_xlabel()


def test_many_modes_and_axes_given(rng: np.random.Generator) -> None:
    X = vt.SparseTensor(np.argwhere(np.ones((2, 2, 2, 2, 2))), rng.random(32))
    assert len(finished(X.plot())) == 6
    axes = pyplot.figure().subplots(2, 3)
    assert list(X.plot(ax=axes)) == list(axes.ravel())
    with pytest.raises(vt.errors.ShapeError, match="needs 6 axes"):
        X.plot(ax=axes[0])
    ax = pyplot.figure().subplots()
    assert X.plot(3, ax=ax) is ax
    half = pyplot.figure(layout="constrained").subfigures(1, 2)[0]
    assert all(each.figure is half for each in X.plot(figure=half))


def test_what_cannot_be_drawn(entries: vt.SparseTensor) -> None:
    with pytest.raises(vt.errors.ModeError, match="nobody"):
        entries.plot("nobody")
    with pytest.raises(vt.errors.OptionError, match="no mode is given"):
        entries.plot(ordered=True)
    with pytest.raises(vt.errors.OptionError, match="n is 0"):
        entries.plot(n=0)
    assert not pyplot.get_fignums()


def test_a_long_list_of_labels(rng: np.random.Generator) -> None:
    coords = np.stack([np.arange(6040) % 6040, rng.integers(0, 3, 6040)], axis=1)
    names = [f"user number {i}" for i in range(6040)]
    X = vt.SparseTensor(coords, rng.random(6040), labels=[names, None])
    ax = finished(X.plot(0))
    assert "mode_0 (40 of 6,040 shown)" in texts(ax)


def test_rows_frame() -> None:
    X = vt.SparseTensor(
        [[0, 0], [0, 1], [2, 1]], [3.0, 4.0, 7.0], shape=(3, 2), labels=[["a", "b", "c"], None]
    )
    frame = X.rows_frame(0, backend="pandas")
    assert frame["mode_0"].tolist() == ["a", "b", "c"]
    assert frame["entries"].tolist() == [2, 0, 1]
    np.testing.assert_array_equal(frame["mean"], [3.5, np.nan, 7.0])
    assert "weight" not in frame.columns


def test_weights_and_names_that_are_taken() -> None:
    X = vt.SparseTensor([[0, 0], [0, 1]], [3.0, 5.0], modes=["mean", "who"], weights=[3, 1])
    frame = X.rows_frame("mean", backend="pandas")
    assert list(frame.columns) == ["mean_", "entries", "mean", "weight"]
    assert frame.iloc[0].tolist() == [0.0, 2.0, 3.5, 4.0]
