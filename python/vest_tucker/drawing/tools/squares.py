"""Patterns as squares: the larger the area, the larger the magnitude; hollow ones are negative.

Zeros stay blank, and neither sign nor magnitude needs a colour.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.drawing.tools.canvas import Axes, bare, inks, matplotlib

SIDE = 0.92  # of the largest square
LEAST = 0.1  # side of the smallest that is not zero: it must be seen that it is there


def draw_squares(ax: Axes, values: Floats, *, side: float = SIDE, lift: float = 0.0) -> Any:
    """Draw a matrix of numbers between -1 and 1, its first row on top; return the squares.

    ``side`` is the length of the largest, ``lift`` how far above the middles of cells they are.
    """
    shades = inks(ax)
    rows, columns = np.nonzero(values)
    found = values[rows, columns]
    sides = np.maximum(side * np.sqrt(np.abs(found)), LEAST)
    corners = [
        [(x - half, y - half), (x - half, y + half), (x + half, y + half), (x + half, y - half)]
        for x, y, half in zip(columns, rows - lift, sides / 2.0, strict=True)
    ]
    squares = matplotlib("collections").PolyCollection(
        corners,
        facecolors=[shades.plus if each > 0.0 else shades.paper for each in found],
        edgecolors=[shades.plus if each > 0.0 else shades.minus for each in found],
        linewidths=1.4,
    )
    ax.add_collection(squares)
    ax.set_xlim(-0.5, values.shape[1] - 0.5)
    ax.set_ylim(values.shape[0] - 0.5, -0.5)
    ax.set_xticks(np.arange(values.shape[1] + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(values.shape[0] + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=shades.faint, linewidth=1.0)
    ax.grid(which="major", visible=False)
    ax.tick_params(which="both", length=0)
    bare(ax, keep=())
    return squares
