"""What a model misses: residuals over its predictions, or by the labels of one mode."""

from __future__ import annotations

import numpy as np

from vest_tucker.base.types import Floats, Indices
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.drawing.tools.bars import lying_bars, thin_labels
from vest_tucker.drawing.tools.canvas import Axes, bare, height_for, inks, new_axes, rows_that_fit
from vest_tucker.drawing.tools.order import Rows, name_of_axis, rows_in_order, strongest_rows
from vest_tucker.drawing.tools.texts import entitle, legend_above, short_labels
from vest_tucker.model.model import TuckerModel

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
    predicted = model.predict(X)
    left = X.values - predicted
    if by is None:
        return _over_predictions(predicted, left, new_axes(ax, 6.4, 4.2))
    number = X.mode_labels.number(by)
    given = ax is not None
    in_order = rows_in_order(X.mode_labels, number, X.shape[number])
    if in_order is not None:
        return _over_order(X, number, in_order, left, new_axes(ax, 6.4, 4.0))
    ax = new_axes(ax, 6.4, height_for(min(n, X.shape[number]), 1.2))
    return _by_label(X, number, left, rows_that_fit(ax, n, given), ax)


def _over_predictions(predicted: Floats, left: Floats, ax: Axes) -> Axes:
    """Draw a sample of the entries as dots, mean and spread over ranges of predictions."""
    shades = inks(ax)
    sample = np.linspace(0, len(left) - 1, min(MOST_DOTS, len(left))).astype(np.intp)
    ax.plot(predicted[sample], left[sample], ".", color=shades.muted, markersize=3,
            rasterized=True, label=f"{len(sample):,} of {len(left):,} entries")  # fmt: skip
    edges = np.linspace(*np.quantile(predicted, (0.002, 0.998)), BINS + 1)
    which = np.clip(np.searchsorted(edges, predicted, side="right") - 1, 0, BINS - 1)
    often, mean, spread = _moments(which, left, BINS)
    enough = often >= ENOUGH
    middle = ((edges[1:] + edges[:-1]) / 2.0)[enough]
    ax.plot(middle, mean[enough], "-D", color=shades.ink, markersize=4, label=MEAN)
    for sign, name in ((1.0, "± typical size"), (-1.0, None)):
        ax.plot(middle, sign * spread[enough], "--", color=shades.minus, label=name)
    ax.axhline(0.0, color=shades.ink, linewidth=0.8)
    entitle(ax, x="predicted", y="observed − predicted")
    bare(ax)
    legend_above(ax, title=f"typically off by {np.sqrt(np.mean(left**2)):.3g} (root mean square)")
    return ax


def _by_label(X: SparseTensor, mode: int, left: Floats, n: int, ax: Axes) -> Axes:
    """Draw mean and size of the labels that add most to the squared error, the worst first."""
    shades = inks(ax)
    often, mean, spread = _moments(X.coords[:, mode], left, X.shape[mode])
    rows = strongest_rows(often * spread**2, n)
    labels = short_labels(X.mode_labels.decode(mode, rows), rows=rows.tolist())
    places = np.arange(len(rows))
    texts = [f"{100.0 * part:.2g} %" for part in (often * spread**2)[rows] / (left**2).sum()]
    lying_bars(ax, places, labels, spread[rows], texts=texts).set_label(f"{SIZE}, share of error")
    ax.plot(mean[rows], places, "D", color=shades.ink, markersize=4, label=MEAN)
    ax.axvline(0.0, color=shades.muted, linewidth=1.0)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    name = name_of_axis(X.modes[mode], len(rows), X.shape[mode])
    entitle(ax, x="observed − predicted", y=name)
    bare(ax, keep=("bottom",))
    legend_above(ax, title="where the squared error is, the largest part first")
    return ax


def _over_order(X: SparseTensor, mode: int, rows: Rows, left: Floats, ax: Axes) -> Axes:
    """Draw mean and size over a mode that has an order."""
    shades = inks(ax)
    _, mean, spread = _moments(X.coords[:, mode], left, X.shape[mode])
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


def _moments(groups: Indices, values: Floats, n: int) -> tuple[Floats, Floats, Floats]:
    """Return how many values each group has, their mean and their root mean square, or NaN."""
    often = np.bincount(groups, minlength=n).astype(float)
    known = np.where(often > 0.0, often, np.nan)
    mean = np.bincount(groups, values, n) / known
    return often, mean, np.sqrt(np.bincount(groups, values**2, n) / known)
