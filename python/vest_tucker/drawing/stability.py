"""What comes back from other seeds: how similar each component's partners are, fit by fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.drawing.tools.canvas import Axes, bare, height_for, inks, new_axes, rows_that_fit
from vest_tucker.drawing.tools.order import of_all
from vest_tucker.drawing.tools.texts import entitle, legend_above, note, set_labels, short_labels


class Found(NamedTuple):
    """One component of the reference, and how similar its partners in the other fits are."""

    title: str
    similarity: Floats
    returns: int
    chance: float


def draw_stability(
    components: Sequence[Found], threshold: float, *, n: int, ax: Axes | None = None
) -> Axes:
    """Draw a row per component: a dot per other fit, their mean, and what chance would give."""
    given = ax is not None
    wanted = min(n, len(components))
    ax = new_axes(ax, 6.4, height_for(wanted, 1.4))
    shown = list(components)[: rows_that_fit(ax, wanted, given, 8.0)]
    shades = inks(ax)
    ax.axvline(threshold, color=shades.muted, linestyle="--", linewidth=1.2, label="comes back")
    for place, found in enumerate(shown):
        dots = np.full(len(found.similarity), place)
        ax.plot(found.similarity, dots, "o", color=shades.plus, markerfacecolor="none",
                label="each other fit" if place == 0 else None)  # fmt: skip
        if len(found.similarity):
            ax.plot(found.similarity.mean(), place, "D", color=shades.ink,
                    label="their mean" if place == 0 else None)  # fmt: skip
        ax.plot(found.chance, place, "x", color=shades.minus,
                label="by chance" if place == 0 else None)  # fmt: skip
        text = f"{found.returns} of {len(found.similarity)}"
        note(ax, text, (1.02, place), xycoords=("axes fraction", "data"), va="center")
    set_labels(ax.yaxis, range(len(shown)), short_labels(each.title for each in shown))
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(-0.03, 1.03)
    part = of_all(len(shown), len(components), "components")
    entitle(ax, x=f"similarity; from {threshold:.2g} on, a component comes back", y=part)
    bare(ax, keep=("bottom",))
    ax.grid(axis="y", color=shades.faint)
    ax.set_axisbelow(True)
    legend_above(ax, title="which components come back, and in how many fits")
    return ax
