"""Where a model is wrong: its errors over its predictions, or by the labels of one mode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Floats
from vest_tucker.drawing.tools.bars import lying_bars, thin_labels
from vest_tucker.drawing.tools.canvas import Axes, bare, height_for, inks, new_axes, rows_that_fit
from vest_tucker.drawing.tools.order import name_of_axis
from vest_tucker.drawing.tools.texts import entitle, legend_above, short_labels
from vest_tucker.reading.captions import percent
from vest_tucker.reading.ordinals import ranks_of
from vest_tucker.reading.residuals import Residuals

BINS = 24  # ranges of the predictions
ENOUGH = 5  # entries of a range that is drawn
MOST_DOTS = 4000
MOST_MARKS = 60
MEAN, SIZE = "mean", "typical size (root mean square)"
ERROR = "observed − predicted"


def draw_residuals(
    found: Residuals, *, by: str | int | None = None, n: int = 30, ax: Axes | None = None
) -> Axes:
    """Draw errors over the predictions; or of each label of a mode, in order or the worst first."""
    if by is None:
        return _over_predictions(found, new_axes(ax, 6.4, 4.2))
    mode = found.X.mode_labels.number(by)
    labels, _, mean, size, share = found._label_columns(mode).values()
    ranks = ranks_of(labels)
    if ranks is not None:
        order = np.argsort(ranks, kind="stable")
        ax = new_axes(ax, 6.4, 4.0)
        _over_order(ax, labels[order], mean[order], size[order])
        entitle(ax, x=found.X.modes[mode], y=ERROR)
        return ax
    given = ax is not None
    ax = new_axes(ax, 6.4, height_for(min(n, len(labels)), 1.2))
    shown = rows_that_fit(ax, min(n, len(labels)), given, 8.0)
    rows = found.X.mode_labels.encode(mode, labels[:shown])
    texts = short_labels(labels[:shown], rows=rows.tolist())
    _by_label(ax, texts, mean[:shown], size[:shown], share[:shown])
    entitle(ax, x=ERROR, y=name_of_axis(found.X.modes[mode], shown, found.X.shape[mode]))
    return ax


def _over_predictions(found: Residuals, ax: Axes) -> Axes:
    """Draw a sample of the entries as dots, mean and size of errors over ranges of predictions."""
    shades = inks(ax)
    known = np.isfinite(found.errors)
    predicted, errors = found.predicted[known], found.errors[known]
    sample = np.linspace(0, len(errors) - 1, min(MOST_DOTS, len(errors))).astype(np.intp)
    ax.plot(
        predicted[sample], errors[sample], ".", color=shades.muted, markersize=3, rasterized=True,
        label=f"{len(sample):,} of {len(errors):,} entries",
    )  # fmt: skip
    weights = np.ones(len(errors)) if found.X.weights is None else found.X.weights[known]
    middle, mean, size = _ranges(predicted, errors, weights)
    ax.plot(middle, mean, "-D", color=shades.ink, markersize=4, label=MEAN)
    for sign, name in ((1.0, "± typical size"), (-1.0, None)):
        ax.plot(middle, sign * size, "--", color=shades.minus, label=name)
    ax.axhline(0.0, color=shades.ink, linewidth=0.8)
    entitle(ax, x="predicted", y=ERROR)
    bare(ax)
    legend_above(ax, title=f"typically off by {found.rmse:.3g} (root mean square)")
    return ax


def _ranges(predicted: Floats, errors: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return middle, mean error and typical size in ranges of equal width with enough entries."""
    low, high = np.quantile(predicted, (0.002, 0.998)).tolist()
    edges = np.linspace(low, high, BINS + 1)
    which: NDArray[Any] = np.clip(np.searchsorted(edges, predicted, side="right") - 1, 0, BINS - 1)
    enough = np.bincount(which, minlength=BINS) >= min(ENOUGH, len(errors))
    sums = [
        np.bincount(which, each, BINS)[enough]
        for each in (weights, weights * errors, weights * errors**2)
    ]
    middle = ((edges[1:] + edges[:-1]) / 2.0)[enough]
    return middle, sums[1] / sums[0], np.sqrt(sums[2] / sums[0])


def _by_label(ax: Axes, labels: list[str], mean: Floats, size: Floats, share: Floats) -> None:
    """Draw mean and size of the errors of labels, from top to bottom."""
    places, texts = np.arange(len(labels)), [percent(float(part)) for part in share]
    bars = lying_bars(ax, places, labels, size, texts=texts)
    bars.set_label(f"{SIZE}, share of error")
    ax.plot(mean, places, "D", color=inks(ax).ink, markersize=4, label=MEAN)
    ax.axvline(0.0, color=inks(ax).muted, linewidth=1.0)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    bare(ax, keep=("bottom",))
    legend_above(ax, title="where the squared error is, the largest part first")


def _over_order(ax: Axes, labels: Any, mean: Floats, size: Floats) -> None:
    """Draw mean and size of the errors over a mode that has an order."""
    shades = inks(ax)
    places = np.arange(len(labels))
    looks = {"marker": "o" if len(labels) <= MOST_MARKS else "", "markersize": 4}
    ax.plot(places, size, "--", color=shades.minus, label=SIZE, **looks)
    ax.plot(places, mean, "-", color=shades.ink, label=MEAN, **looks)
    ax.axhline(0.0, color=shades.muted, linewidth=0.8)
    thin_labels(ax, short_labels(labels, 12), "small")
    bare(ax)
    legend_above(ax)
