"""Labelled bars to the right and to the left: solid if positive, hollow and hatched if negative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.base.types import Floats
from vest_tucker.drawing.tools.canvas import HATCH, Axes, Inks, font_size, inks, matplotlib, points
from vest_tucker.drawing.tools.texts import note, set_labels

MOST_BARS = 200  # of one profile


def looks_of(values: ArrayLike, shades: Inks) -> dict[str, Any]:
    """Return how bars of these values look, as arguments of Matplotlib's ``bar`` and ``barh``."""
    falls = np.asarray(values) < 0.0
    return {
        "color": [shades.paper if each else shades.plus for each in falls],
        "edgecolor": [shades.minus if each else shades.plus for each in falls],
        "hatch": [HATCH if each else "" for each in falls],
    }


def lying_bars(
    ax: Axes,
    places: ArrayLike,
    labels: Sequence[str],
    values: ArrayLike,
    *,
    texts: Sequence[str] | None = None,
    thickness: float = 0.72,
) -> Any:
    """Draw horizontal bars from top to bottom, labelled at the left, with texts at their ends."""
    lengths = np.asarray(values, dtype=float)
    bars = ax.barh(places, lengths, height=thickness, **looks_of(lengths, inks(ax)))
    set_labels(ax.yaxis, places, labels)
    if texts is not None:
        write_at_ends(ax, places, lengths, lengths < 0.0, texts)
    return bars


def write_at_ends(
    ax: Axes,
    places: ArrayLike,
    ends: ArrayLike,
    leftwards: ArrayLike,
    texts: Sequence[str],
    away: float = 0.4,
) -> None:
    """Write texts beyond the ends of bars, to the left of those that grow to the left.

    ``away`` is how far beyond, in sizes of the font.
    """
    beyond = font_size(away)
    where = (np.asarray(each).tolist() for each in (places, ends, leftwards))
    for place, end, left, text in zip(*where, texts, strict=True):
        by, side = (-beyond, "right") if left else (beyond, "left")
        note(ax, text, (end, place), by=(by, 0.0), va="center", ha=side)


def profile(ax: Axes, values: Any, labels: Sequence[str], *, size: Any = "medium") -> None:
    """Draw upright bars over the order of a mode, with as many of its labels as have room."""
    many_bars(ax, np.asarray(values), "vertical")
    ax.axhline(0.0, color=inks(ax).muted, linewidth=0.8)
    ax.set_xlim(-0.6, len(values) - 0.4)
    thin_labels(ax, labels, size)


def many_bars(ax: Axes, values: Floats, orientation: str, base: float = 0.0) -> None:
    """Draw bars at 0, 1, 2, ... that begin at the base; zeros need none.

    Very many become one outline, for which a picture needs neither time nor memory.
    """
    shades = inks(ax)
    if len(values) <= MOST_BARS:
        at = np.flatnonzero(values)
        looks = looks_of(values[at], shades)
        if orientation == "vertical":
            ax.bar(at, values[at], bottom=base, width=0.8, **looks)
        else:
            ax.barh(at, values[at], left=base, height=0.8, **looks)
        return
    edges = np.arange(len(values) + 1) - 0.5
    for part, sign in ((np.maximum(values, 0.0), 1.0), (np.minimum(values, 0.0), -1.0)):
        look = {name: each[0] for name, each in looks_of([sign], shades).items()}
        ax.stairs(base + part, edges, orientation=orientation, baseline=base, fill=True, **look)


def thin_labels(ax: Axes, labels: Sequence[str], size: Any = "medium") -> None:
    """Label the places 0, 1, 2, ... of the horizontal axis, or every second, third, ... of them."""
    high = matplotlib("font_manager").FontProperties(size=size).get_size_in_points()
    longest = max((len(label) for label in labels), default=1) + 1.5
    # The layout may still make the axes narrower, to make room for other labels.
    room = max(1, int(0.72 * points(ax)[0] / (longest * high * 0.62)))
    step = -(-len(labels) // room)
    chosen = list(range(0, len(labels), max(step, 1)))
    set_labels(ax.xaxis, chosen, [labels[at] for at in chosen], fontsize=size)
