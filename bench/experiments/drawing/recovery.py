"""Figure 7: what comes back of planted truths, over noise, entries, skew and order."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.drawing.style import COLOURS, INK, OURS, PLAIN, legend_below, panels
from experiments.summary.recovery import over
from experiments.summary.rows import Document

LOOKS = {
    "vest-tucker": (PLAIN, "*-"), "vest-lf-auto": (OURS, "o-"), "vest-l1-auto": (OURS, "s--"),
    "smurff-spike-and-slab": (COLOURS[3], "^-"),
}  # fmt: skip
ROWS = {
    "f1": "F1 of the pattern",
    "spiked_f1": "F1, all factors but one",
    "cover": "coverage of 90 %",
}


def draw(document: Document) -> Figure:
    """Draw a column for what is varied and a row for what is measured."""
    varied = ("noise", "entries", "skew", "order")
    figure, axes = panels(len(ROWS) * len(varied), columns=len(varied), size=(2.6, 2.3))
    for number, each in enumerate(axes):
        measure, name = list(ROWS)[number // len(varied)], varied[number % len(varied)]
        _panel(each, document, name, measure)
    legend_below(figure, axes[0], 4)
    return figure


def _panel(axes: Axes, document: Document, name: str, measure: str) -> None:
    diagonal = measure != "f1"
    for who, (colour, style) in LOOKS.items():
        x, y = over(document, name, who, measure, diagonal)
        label = "SMURFF, spike and slab" if "smurff" in who else document["systems"][who]["title"]
        axes.plot(x, y, style, color=colour, label=label, markersize=5)
    if measure == "cover":
        axes.axhline(0.9, color=INK, linestyle=":")
        axes.set_ylim(0.6, 1.0)
    else:
        axes.set_ylim(0.0, 1.05)
    if name in ("noise", "entries"):
        axes.set_xscale("log")
    axes.set_xlabel(name)
    axes.set_ylabel(ROWS[measure])
