"""What a model misses, over its predictions and by label."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from drawn import finished, labels, model_of, pyplot


def test_dots_are_the_residuals(sparse: vt.TuckerModel, entries: vt.SparseTensor) -> None:
    ax = finished(sparse.plot.residuals(entries))
    dots = ax.get_lines()[0]
    left = entries.values - sparse.predict(entries)
    assert dots.get_ydata().tolist() == left.tolist()
    title = ax.get_legend().get_title().get_text()
    assert title == f"typically off by {np.sqrt(np.mean(left**2)):.3g} (root mean square)"


def test_labels_with_most_of_the_error_come_first(
    sparse: vt.TuckerModel, entries: vt.SparseTensor, style: str
) -> None:
    ax = finished(sparse.plot.residuals(entries, by="person", n=5))
    left = entries.values - sparse.predict(entries)
    squares = np.bincount(entries.coords[:, 1], left**2, 30)
    worst = np.argsort(-squares)[:5]
    often = np.bincount(entries.coords[:, 1], minlength=30)[worst]
    np.testing.assert_allclose(
        [bar.get_width() for bar in ax.patches], np.sqrt(squares[worst] / often)
    )
    assert [f"{row:04}" in text for row, text in zip(worst, labels(ax.yaxis), strict=True)] == [
        True
    ] * 5
    assert ax.get_ylabel() == "person (5 of 30 shown)"
    (mean,) = [each for each in ax.get_lines() if each.get_marker() == "D"]
    sums = np.bincount(entries.coords[:, 1], left, 30)[worst]
    np.testing.assert_allclose(mean.get_xdata(), sums / often)


def test_weights_count(sparse: vt.TuckerModel, entries: vt.SparseTensor) -> None:
    weights = np.arange(1.0, entries.nnz + 1.0)
    ax = finished(sparse.plot.residuals(entries.with_weights(weights), by="week"))
    left = entries.values - sparse.predict(entries)
    rows = entries.coords[:, 2]
    size = np.sqrt(np.bincount(rows, weights * left**2) / np.bincount(rows, weights))
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), size[::-1])
    assert labels(ax.xaxis)[0] == "2020-01-01"


def test_a_few_entries_of_one_value() -> None:
    model = model_of([[1.0]], [[[3.0], [3.0]], [[1.0]]])
    X = vt.SparseTensor([[0, 0], [1, 0]], [3.0, 3.0])
    ax = pyplot.figure().subplots()
    assert finished(model.plot.residuals(X, ax=ax)) is ax
    finished(model.plot.residuals(X, by=0))


def test_it_needs_a_tensor(model: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.DtypeError, match="residuals needs a SparseTensor"):
        model.plot.residuals([[0, 0, 0]])  # type: ignore[arg-type]


def test_labels_that_look_alike_have_the_number_of_their_row() -> None:
    people = [f"somebody with a name as long as that of {i} of them all" for i in range(3)]
    model = model_of([[1.0]], [[[1.0], [2.0], [3.0]], [[1.0]]], labels=[people, None])
    X = vt.SparseTensor([[0, 0], [2, 0]], [1.5, 9.0], (3, 1), labels=[people, None])
    shown = labels(finished(model.plot.residuals(X, by=0)).yaxis)
    assert [text[-3:] for text in shown] == ["(2)", "(0)"]
