"""Several models beside each other: how many parameters each has, and what its error is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.drawing.tools.canvas import Axes, bare, inks, matplotlib, new_axes
from vest_tucker.drawing.tools.texts import entitle, legend_of, short_labels

MARKERS = "osD^vP*Xph<>"


def draw_comparison(
    names: Sequence[object],
    parameters: ArrayLike,
    errors: ArrayLike,
    *,
    remarks: Sequence[str] | None = None,
    measured_on: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a mark per model, its name beside it, and a line through those that none beats in both.

    ``remarks`` follow the names, ``measured_on`` tells which entries the errors are of.
    """
    ax = new_axes(ax, 6.8, 4.4)
    shades = inks(ax)
    sizes, heights = np.asarray(parameters, dtype=float), np.asarray(errors, dtype=float)
    best = unbeaten(sizes, heights)
    ax.plot(sizes[best], heights[best], ":", color=shades.muted, zorder=1)
    marks: list[Any] = []
    for at in range(len(sizes)):
        marks += ax.plot(
            sizes[at], heights[at], MARKERS[at % len(MARKERS)], color=shades.plus, markersize=8,
            markerfacecolor=shades.plus if at in best else "none", linestyle="none",
        )  # fmt: skip
    if (sizes > 0).all() and len(sizes) and sizes.max() > 20 * sizes.min():
        ax.set_xscale("log")
    ax.xaxis.set_major_formatter(matplotlib("ticker").FuncFormatter(lambda x, _: f"{x:,.0f}"))
    ax.margins(0.12)
    where = f", {measured_on}" if measured_on else ""
    entitle(ax, x="parameters that are not zero", y=f"relative error{where}")
    bare(ax)
    shown = short_labels(names, 30)
    if remarks is not None:
        pairs = zip(shown, remarks, strict=True)
        shown = [f"{name}, {remark}" if remark else name for name, remark in pairs]
    legend_of(
        ax, marks, shown, loc="upper left", bbox_to_anchor=(1.0, 1.0),
        title="filled: none is better in both", title_fontsize="small",
    )  # fmt: skip
    return ax


def unbeaten(sizes: ArrayLike, errors: ArrayLike) -> list[int]:
    """Return the models that no other beats in both numbers, from the smallest to the largest.

    Examples
    --------
    >>> unbeaten([100, 50, 80], [0.2, 0.4, 0.5])
    [1, 0]
    """
    found: list[int] = []
    lowest = np.inf
    heights = np.asarray(errors, dtype=float)
    for at in np.lexsort((heights, np.asarray(sizes, dtype=float))).tolist():
        if (error := float(heights[at])) < lowest:
            found.append(at)
            lowest = error
    return found
