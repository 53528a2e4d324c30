"""What a model misses: residuals over its predictions, or by the labels of one mode."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Floats
from vest_tucker.data.tensor import SparseTensor, require_tensor
from vest_tucker.drawing.tools.bars import lying_bars, thin_labels
from vest_tucker.drawing.tools.canvas import Axes, bare, height_for, inks, new_axes, rows_that_fit
from vest_tucker.drawing.tools.order import Rows, name_of_axis, rows_in_order, strongest_rows
from vest_tucker.drawing.tools.texts import entitle, legend_above, short_labels
from vest_tucker.model.model import TuckerModel
from vest_tucker.reading.importance import percent

BINS = 24  # ranges of the predictions
ENOUGH = 5  # entries of a range that is drawn
MOST_DOTS = 4000
MOST_MARKS = 60
MEAN, SIZE = "mean", "typical size (root mean square)"


def draw_residuals(
    model: TuckerModel, X: SparseTensor, *, by: str | int | None = None, n: int = 30,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw residuals (observed minus predicted) over the predictions, or per label of a mode."""
    require_tensor(X, "residuals")
    predicted = model.predict(X)
    left = Left(X.values - predicted, np.ones(X.nnz) if X.weights is None else X.weights)
    if by is None:
        return _over_predictions(predicted, left, new_axes(ax, 6.4, 4.2))
    number = X.mode_labels.number(by)
    given = ax is not None
    in_order = rows_in_order(X.mode_labels, number, X.shape[number])
    if in_order is not None:
        return _over_order(X, number, in_order, left, new_axes(ax, 6.4, 4.0))
    ax = new_axes(ax, 6.4, height_for(min(n, X.shape[number]), 1.2))
    return _by_label(X, number, left, rows_that_fit(ax, n, given), ax)


def _over_predictions(predicted: Floats, left: Left, ax: Axes) -> Axes:
    """Draw a sample of the entries as dots, mean and spread over ranges of predictions."""
    shades = inks(ax)
    n = len(predicted)
    sample = np.linspace(0, n - 1, min(MOST_DOTS, n)).astype(np.intp)
    ax.plot(predicted[sample], left.values[sample], ".", color=shades.muted, markersize=3,
            rasterized=True, label=f"{len(sample):,} of {n:,} entries")  # fmt: skip
    low, high = np.quantile(predicted, (0.002, 0.998)).tolist()
    edges = np.linspace(low, high, BINS + 1)
    which = np.clip(np.searchsorted(edges, predicted, side="right") - 1, 0, BINS - 1)
    _, mean, spread = left.by(which, BINS)
    enough = np.bincount(which, minlength=BINS) >= ENOUGH
    middle = ((edges[1:] + edges[:-1]) / 2.0)[enough]
    ax.plot(middle, mean[enough], "-D", color=shades.ink, markersize=4, label=MEAN)
    for sign, name in ((1.0, "± typical size"), (-1.0, None)):
        ax.plot(middle, sign * spread[enough], "--", color=shades.minus, label=name)
    ax.axhline(0.0, color=shades.ink, linewidth=0.8)
    entitle(ax, x="predicted", y="observed − predicted")
    bare(ax)
    size = np.sqrt(left.squares / left.weights.sum())
    legend_above(ax, title=f"typically off by {size:.3g} (root mean square)")
    return ax


def _by_label(X: SparseTensor, mode: int, left: Left, n: int, ax: Axes) -> Axes:
    """Draw mean and size of the labels that add most to the squared error, the worst first."""
    shades = inks(ax)
    weight, mean, spread = left.by(X.coords[:, mode], X.shape[mode])
    squares = np.nan_to_num(weight * spread**2)
    rows = strongest_rows(squares, n)
    labels = short_labels(X.mode_labels.decode(mode, rows), rows=rows.tolist())
    places = np.arange(len(rows))
    texts = [percent(squares[row] / left.squares) for row in rows]
    lying_bars(ax, places, labels, spread[rows], texts=texts).set_label(f"{SIZE}, share of error")
    ax.plot(mean[rows], places, "D", color=shades.ink, markersize=4, label=MEAN)
    ax.axvline(0.0, color=shades.muted, linewidth=1.0)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    name = name_of_axis(X.modes[mode], len(rows), X.shape[mode])
    entitle(ax, x="observed − predicted", y=name)
    bare(ax, keep=("bottom",))
    legend_above(ax, title="where the squared error is, the largest part first")
    return ax


def _over_order(X: SparseTensor, mode: int, rows: Rows, left: Left, ax: Axes) -> Axes:
    """Draw mean and size over a mode that has an order."""
    shades = inks(ax)
    _, mean, spread = left.by(X.coords[:, mode], X.shape[mode])
    places = np.arange(len(rows))
    marker = "o" if len(rows) <= MOST_MARKS else ""
    ax.plot(places, spread[rows], f"--{marker}", color=shades.minus, label=SIZE)
    ax.plot(places, mean[rows], f"-{marker and 'D'}", color=shades.ink, markersize=4, label=MEAN)
    ax.axhline(0.0, color=shades.muted, linewidth=0.8)
    thin_labels(ax, short_labels(X.mode_labels.decode(mode, rows), 12, rows.tolist()), "small")
    entitle(ax, x=X.modes[mode], y="observed − predicted")
    bare(ax)
    legend_above(ax)
    return ax


class Left(NamedTuple):
    """What a model misses of each entry, and how much the entry counts."""

    values: Floats
    weights: Floats

    def by(self, groups: NDArray[np.signedinteger[Any]], n: int) -> tuple[Floats, Floats, Floats]:
        """Return the weight of each of n groups, the mean and the root mean square, or NaN."""
        weight: Floats = np.bincount(groups, self.weights, n).astype(np.float64)
        known = np.where(weight > 0.0, weight, np.nan)
        mean = np.bincount(groups, self.weights * self.values, n) / known
        squares = np.bincount(groups, self.weights * self.values**2, n)
        return weight, mean, np.sqrt(squares / known)

    @property
    def squares(self) -> float:
        """The sum of squares, each as often as the entry counts."""
        return float((self.weights * self.values**2).sum())
