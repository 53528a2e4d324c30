"""Parameters and errors of several models."""

from __future__ import annotations

import pytest

import vest_tucker as vt
from drawn import finished, pyplot
from vest_tucker.drawing.comparison import draw_comparison, unbeaten

NAMES = ["_first", "$x$", "a name that is far too long for any legend, even above axes", "東京"]


def test_a_mark_per_model(style: str) -> None:
    ax = finished(draw_comparison(NAMES, [100, 400, 4000, 900], [0.4, 0.3, 0.2, 0.35]))
    marks = ax.get_lines()[1:]
    assert [each.get_ydata().tolist() for each in marks] == [[0.4], [0.3], [0.2], [0.35]]
    assert len({each.get_marker() for each in marks}) == 4
    assert [each.get_markerfacecolor() == "none" for each in marks] == [False, False, False, True]
    shown = [each.get_text() for each in ax.get_legend().get_texts()]
    assert shown[:2] == ["_first", "$x$"]
    assert "…" in shown[2]
    assert ax.get_xscale() == "log"


def test_models_of_similar_size_and_none_without_parameters() -> None:
    ax = pyplot.figure().subplots()
    assert draw_comparison(["a", "b"], [0, 50], [0.4, 0.3], ax=ax, measured_on="held out") is ax
    assert ax.get_xscale() == "linear"
    assert ax.get_ylabel() == "relative error, held out"
    finished(ax)


def test_of_several_models(prunable: vt.SparseTensor) -> None:
    train, test = vt.train_test_split(prunable, test=0.2, seed=0)
    fitted = vt.fit(train, ranks=2, preset="paper", lam=0.5, seed=0, max_iter=5)
    table = vt.compare({"mine": fitted}, test, train=train)
    ax = finished(table.plot())
    assert [each.get_ydata()[0] for each in ax.get_lines()[1:]] == [e.relative_error for e in table]
    assert [each.get_xdata()[0] for each in ax.get_lines()[1:]] == [e.n_parameters for e in table]
    shown = [each.get_text() for each in ax.get_legend().get_texts()]
    assert shown == [f"mine, {100 * fitted.sparsity:.0f} % zeros", "mean", "biases"]
    assert ax.get_ylabel() == f"relative error, {test.nnz:,} entries"


@pytest.mark.parametrize(
    ("sizes", "errors", "best"),
    [([1], [0.5], [0]), ([1, 1, 2], [0.5, 0.4, 0.4], [1]), ([3, 2, 1], [0.1, 0.2, 0.3], [2, 1, 0])],
)
def test_unbeaten(sizes: list[int], errors: list[float], best: list[int]) -> None:
    assert unbeaten(sizes, errors) == best
