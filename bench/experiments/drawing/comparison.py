"""Figure 1: zeros against the error on entries fitted and on those held out, every system."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.drawing.style import (
    COLOURS,
    GREY,
    MARKERS,
    OURS,
    PLAIN,
    error_axis,
    legend_below,
    panels,
)
from experiments.summary.claims import COMPETITORS
from experiments.summary.rows import Document, pick, spread, values

VEST = ("vest-lf-auto", "vest-l1-auto", "vest-lf-manual", "vest-l1-manual")


def draw(document: Document) -> Figure:
    """Draw two panels for each tensor."""
    tensors = values(pick(document, "figure1"), "set")
    figure, axes = panels(2 * len(tensors), columns=2, size=(4.6, 2.9))
    for number, tensor in enumerate(tensors):
        for which, label in enumerate(("re", "test")):
            _panel(axes[2 * number + which], document, tensor, label)
    legend_below(figure, axes[0], 4)
    return figure


def _panel(axes: Axes, document: Document, tensor: str, label: str) -> None:
    for name, about in document["systems"].items():
        rows = pick(document, "figure1", set=tensor, system=name, settings=None)
        zeros, error = spread(rows, "zeros"), spread(rows, label)
        if name in ("mean", "biases"):
            if error:
                style = ":" if name == "mean" else "--"
                axes.axhline(error.mean, color=GREY, linestyle=style, label=about["title"])
            continue
        if zeros is None or error is None:
            axes.plot([], [], **looks(name, document), linestyle="none", label=about["title"])
            continue
        axes.errorbar(
            zeros.mean, error.mean, xerr=zeros.deviation, yerr=error.deviation,
            **looks(name, document), linestyle="none", label=about["title"], elinewidth=0.8,
        )  # fmt: skip
    error_axis(axes)
    axes.set_xlim(-0.03, 1.03)
    axes.set_title(f"{tensor}: {'fitted' if label == 're' else 'held out'}")
    axes.set_xlabel("share of zeros")
    axes.set_ylabel("relative error")


def looks(name: str, document: Document) -> dict[str, Any]:
    """Return colour and marker: blue for VeST, orange for the plain call, the rest by kind."""
    if name == "vest-tucker":
        return {"color": PLAIN, "marker": "*", "markersize": 11}
    if name in VEST:
        return {"color": OURS, "marker": MARKERS[VEST.index(name)], "markersize": 6}
    if name in COMPETITORS:
        return {"color": COLOURS[2], "marker": MARKERS[COMPETITORS.index(name)], "markersize": 5}
    known = (*COMPETITORS, *VEST, "vest-tucker", "mean", "biases")
    if name in known:
        return {"color": GREY, "marker": "x" if name == "mean" else "+", "markersize": 7}
    others = [each for each in document["systems"] if each not in known]
    return {"color": COLOURS[3], "marker": MARKERS[others.index(name)], "markersize": 5}
