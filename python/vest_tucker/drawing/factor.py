"""The pattern of a factor: which labels belong to which components, and how much."""

from __future__ import annotations

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.drawing.tools.bars import many_bars
from vest_tucker.drawing.tools.canvas import (
    Axes,
    bare,
    height_for,
    inks,
    new_axes,
    rows_that_fit,
    size_beside,
)
from vest_tucker.drawing.tools.order import BUDGET, Rows, name_of_axis, rows_in_order
from vest_tucker.drawing.tools.squares import draw_squares
from vest_tucker.drawing.tools.texts import entitle, note, set_labels, short_labels
from vest_tucker.model.model import TuckerModel
from vest_tucker.reading.orientation import oriented

SQUARE, PROFILE = 0.26, 0.5  # widths of a column in inches
MOST_EMPTY = 2  # columns without a label; more are left out
REACH = 0.46  # of the longest bar of a profile; a column is 1 wide


def draw_factor(
    model: TuckerModel,
    mode: str | int,
    *,
    n: int = BUDGET,
    ordered: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the components of a mode side by side, labels ordered by component or by themselves."""
    number = model.mode_labels.number(mode)
    weights = oriented(model).factors[number]
    components = _shown(weights, constant=model.constant)
    weights = weights[:, components]
    largest = np.abs(weights).max(axis=0, initial=0.0)
    shares = weights / np.where(largest > 0.0, largest, 1.0)
    titles = short_labels((model.title(number, j) for j in components.tolist()), 22)
    in_order = rows_in_order(model.mode_labels, number, len(weights), ordered)
    given = ax is not None
    lines, longest = min(n, len(weights)), max(len(title) for title in titles)
    width = 2.6 + len(titles) * (SQUARE if in_order is None else PROFILE)
    ax = new_axes(ax, width, height_for(max(lines, 4), 0.9 + 0.075 * longest))
    fitting = rows_that_fit(ax, lines, given, 1.5 + 0.6 * longest)
    if in_order is None:
        rows = by_component(shares, fitting)
        draw_squares(ax, shares[rows])
        named = np.arange(len(rows))
    else:
        rows = in_order
        _draw_profiles(ax, shares[rows])
        named = np.arange(0, len(rows), -(-len(rows) // fitting))
    texts = short_labels(model.mode_labels.decode(number, rows[named]), rows=rows[named].tolist())
    set_labels(ax.yaxis, named, texts)
    _name_columns(ax, titles, largest)
    left_out = model.ranks[number] - len(components) - model.constant
    empty = f"{left_out} empty components\nare left out" if left_out > 0 else None
    entitle(ax, x=empty, y=name_of_axis(model.modes[number], len(rows), len(weights)))
    return ax


def _shown(weights: Floats, *, constant: bool) -> Rows:
    """Return the components to draw: not the constant one, and empty ones if there are few."""
    some = np.arange(1 if constant and weights.shape[1] > 1 else 0, weights.shape[1])
    live = some[weights[:, some].any(axis=0)]
    return live if len(live) and len(some) - len(live) > MOST_EMPTY else some


def by_component(shares: Floats, n: int) -> Rows:
    """Return rows ordered by the component that they are strongest in, the strongest first.

    If there are more than ``n`` of them, each component gives its strongest in turn. Rows of zeros
    come last, if there is room.

    Examples
    --------
    >>> import numpy as np
    >>> shares = np.array([[0.0, 0.2], [1.0, 0.0], [0.5, 1.0], [0.0, 0.0], [0.8, 0.1]])
    >>> by_component(shares, 5).tolist(), by_component(shares, 2).tolist()
    ([1, 4, 2, 0, 3], [1, 2])
    """
    sizes = np.abs(shares)
    best = sizes.argmax(axis=1)
    strength = sizes[np.arange(len(sizes)), best]
    best = np.where(strength > 0.0, best, shares.shape[1])
    order = np.lexsort((-strength, best))
    if len(order) > n:
        place = np.arange(len(order)) - np.searchsorted(best[order], best[order])
        place[best[order] == shares.shape[1]] = len(order)  # rows of zeros are the last to be taken
        turn = np.argsort(place, kind="stable")[:n]
        order = order[np.sort(turn)]
    return order


def _draw_profiles(ax: Axes, shares: Floats) -> None:
    """Draw a profile per component, from top to bottom over the order of the mode."""
    muted = inks(ax).muted
    for column, values in enumerate(shares.T):
        ax.axvline(column, color=muted, linewidth=0.8)
        many_bars(ax, REACH * values, "horizontal", column)
    ax.set_xlim(-0.5, shares.shape[1] - 0.5)
    ax.set_ylim(len(shares) - 0.5, -0.5)
    bare(ax, keep=())


def _name_columns(ax: Axes, titles: list[str], largest: Floats) -> None:
    ax.xaxis.tick_top()
    size = size_beside(ax, 1.5 * len(titles))  # labels will take some of the width
    set_labels(ax.xaxis, range(len(titles)), titles, rotation=90, fontsize=size)
    middle = np.mean(ax.get_ylim())
    for column in np.flatnonzero(largest == 0.0):
        note(ax, "empty", (column, middle), rotation=90, ha="center", va="center",
             color=inks(ax).muted)  # fmt: skip
