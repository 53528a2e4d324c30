"""How the pictures look: no background, and colours that can be read on white and on black."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")  # files are all that is wanted

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

LONG = re.compile(r"(\d\.\d{2})\d+")  # numbers with more digits than a screen can show
LEAST = 0.02  # smaller errors are drawn at the edge
INK = "#808080"
OURS, PLAIN, GREY = "#3a8fd6", "#e5672d", "#8c8c8c"
COLOURS = ("#3a8fd6", "#e5672d", "#3aa76d", "#b070d0", "#c79a1e", "#d6546f", "#4fb0b0", "#8c8c8c")
MARKERS = "osD^v<>pPX*hHd8"
SETTINGS: dict[Any, Any] = {
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.facecolor": "none", "figure.facecolor": "none",
    "savefig.transparent": True, "legend.frameon": False, "font.size": 9,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": INK, "grid.alpha": 0.2, "svg.fonttype": "none", "svg.hashsalt": "evaluation",
    "axes.titlesize": 9, "legend.fontsize": 8,
}  # fmt: skip


def drawn(where: Path, draw: Callable[[], Figure]) -> None:
    """Draw and save one picture, the same bytes for the same numbers, none longer than needed."""
    with mpl.rc_context(SETTINGS):
        figure = draw()
        figure.savefig(where, format="svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)
    lines = LONG.sub(r"\1", where.read_text("utf-8")).splitlines()
    where.write_text("".join(f"{line.rstrip()}\n" for line in lines), "utf-8")


def panels(count: int, *, columns: int, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """Return a figure with so many panels, each of a size in inches; those too many are hidden."""
    columns = min(columns, max(count, 1))
    rows = -(-max(count, 1) // columns)
    shape = (columns * size[0], rows * size[1])
    figure, grid = plt.subplots(rows, columns, figsize=shape, layout="constrained", squeeze=False)
    axes = list(grid.ravel())
    for each in axes[count:]:
        each.set_axis_off()
    return figure, axes[:count]


def error_axis(axes: Axes, most: float = 1.1) -> None:
    """Make the upright axis one of errors: logarithmic, with plain numbers, between bounds."""
    low, high = axes.dataLim.intervaly
    low, high = max(low, LEAST), min(high, most)
    axes.set_yscale("log")
    axes.set_ylim(0.93 * low, 1.08 * max(high, 1.02 * low))
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 1.5, 2.0, 3.0, 5.0, 7.0)))
    if high < 1.6 * low:
        axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.3g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def legend_below(figure: Figure, axes: Axes, columns: int) -> None:
    """Put one legend for all panels below them."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)
