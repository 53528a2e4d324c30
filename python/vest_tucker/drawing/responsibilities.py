"""How unevenly elements carry: what the squared error gains without each, from most to least."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.base.types import Floats
from vest_tucker.drawing.tools.canvas import Axes, bare, inks, new_axes
from vest_tucker.drawing.tools.texts import entitle, legend_above, shorten

STYLES = ("-o", "--s", ":^", "-.D", "-v", "--P", ":X", "-.*")


def draw_responsibilities(
    names: Sequence[str], parts: Sequence[Floats], total: float, *, ax: Axes | None = None
) -> Axes:
    """Draw a curve per part, core and factors: the elements that carry something, sorted."""
    ax = new_axes(ax, 6.4, 4.4)
    shades = inks(ax)
    colours = (shades.ink, shades.plus, shades.minus, shades.muted)
    drawn = False
    for number, (name, part) in enumerate(zip(names, parts, strict=True)):
        sizes = np.sort(part[part > 0.0].ravel())[::-1] / total
        if not len(sizes):
            continue
        drawn = True
        at = np.arange(1, len(sizes) + 1)
        marks = np.unique(np.geomspace(1, len(sizes), 12).astype(np.intp)) - 1
        ax.plot(
            at, sizes, STYLES[number % len(STYLES)], color=colours[number % len(colours)],
            markersize=5, markerfacecolor="none", markevery=marks.tolist(),
            label=f"{shorten(name)} ({len(sizes):,} elements)",
        )  # fmt: skip
    if not drawn:
        raise OptionError("no element carries anything on these entries")
    ax.set_xscale("log")
    ax.set_yscale("log")
    entitle(ax, x="elements, the most responsible first", y="growth of the squared error without")
    bare(ax)
    legend_above(ax)
    return ax
