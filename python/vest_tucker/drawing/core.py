"""What joins what in a core: a row per relation, with dots at the components that it joins.

A core that is mostly zeros says most as a list. A bar beside the dots is the size of the relation.
No lines cross, and no colours are needed to tell which dots belong together.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.drawing.tools.bars import looks_of, write_at_ends
from vest_tucker.drawing.tools.canvas import (
    Axes,
    bare,
    font_size,
    height_for,
    inks,
    new_axes,
    rows_that_fit,
    size_beside,
)
from vest_tucker.drawing.tools.order import BUDGET, of_all
from vest_tucker.drawing.tools.texts import entitle, note, set_labels, short_labels, shorten
from vest_tucker.model.model import TuckerModel
from vest_tucker.reading.captions import amount, percent
from vest_tucker.reading.groups import Relation
from vest_tucker.reading.relations import relations

CoreStyle: TypeAlias = Literal["joins", "slices"]
MOST_COLUMNS = 40  # components; beyond them, those that no relation joins are left out
BARS = 0.45  # width of the bars, as a share of that of the components
LEAST_BARS = 5.0
MODE_GAP = 0.8
MOST_NUMBERS = 100  # cells of a slice that are not too many to write numbers in
SMALLER = {"side": 0.56, "lift": 0.16}  # squares above a number


def draw_joins(model: TuckerModel, *, n: int = BUDGET, ax: Axes | None = None) -> Axes:
    """Draw the strongest relations as dots at the components that they join, with their sizes."""
    found = relations(model)
    if not found:
        raise OptionError("the model has no relations: every element of its core is zero")
    columns = _columns(model, found[:n])
    width = max(columns.values()) + 1.0
    bars = max(BARS * width, LEAST_BARS)
    given = ax is not None
    wanted = min(n, len(found))
    longest = max(len(shorten(model.title(*key), 22)) for key in columns)
    room = 0.9 + 0.075 * longest
    ax = new_axes(ax, max(4.5, 0.3 * (width + bars) + 1.2), height_for(wanted, room))
    shown = found[: rows_that_fit(ax, wanted, given, 1.5 + 0.6 * longest)]
    shades = inks(ax)
    for place, relation in enumerate(shown):
        at = [columns[group.mode, group.component] for group in relation.told]
        ax.plot(
            at, [place] * len(at), "-o", color=shades.ink, markersize=font_size(0.75), linewidth=1.6
        )
    end = width + 0.3 + bars * 1.5
    _draw_modes(ax, model, columns, len(shown), end + 0.7)
    _draw_sizes(ax, shown, width + 0.3, bars)
    ax.set_xlim(-0.7, end)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    set_labels(ax.yaxis, range(len(shown)), [""] * len(shown))
    entitle(ax, y=of_all(len(shown), len(found), "relations"))
    bare(ax, keep=())
    return ax


def _columns(model: TuckerModel, shown: list[Relation]) -> dict[tuple[int, int], float]:
    """Return where each component stands: mode after mode, by number, constant columns left out."""
    joined = {(group.mode, group.component) for relation in shown for group in relation.told}
    first = 1 if model.constant else 0
    everything = [(mode, j) for mode, rank in enumerate(model.ranks) for j in range(first, rank)]
    kept = [key for key in everything if key in joined or len(everything) <= MOST_COLUMNS]
    return {key: place + MODE_GAP * key[0] for place, key in enumerate(kept)}


def _draw_modes(
    ax: Axes, model: TuckerModel, columns: dict[tuple[int, int], float], rows: int, room: float
) -> None:
    """Draw faint dots where nothing is joined, and name the components, each mode on a band.

    ``room`` is the width of the picture, in columns.
    """
    shades = inks(ax)
    for mode in sorted({mode for mode, _ in columns}):
        own = [place for (each, _), place in columns.items() if each == mode]
        ax.axvspan(own[0] - 0.5, own[-1] + 0.5, color=shades.faint, zorder=0, linewidth=0)
    for place in columns.values():
        ax.plot([place] * rows, range(rows), ".", color=shades.muted, markersize=2.5, zorder=1)
    titles = short_labels((model.title(*key) for key in columns), 22)
    ax.xaxis.tick_top()
    size = size_beside(ax, room)
    set_labels(ax.xaxis, list(columns.values()), titles, rotation=90, fontsize=size)


def _draw_sizes(ax: Axes, shown: list[Relation], begin: float, width: float) -> None:
    """Draw what each relation adds where all labels are typical of their groups."""
    sizes = np.array([relation.size for relation in shown])
    lengths = np.abs(sizes) / np.abs(sizes).max() * width
    ax.barh(range(len(shown)), lengths, left=begin, height=0.66, **looks_of(sizes, inks(ax)))
    texts = [
        amount(relation.size)
        + (f"  ({percent(relation.share)})" if np.isfinite(relation.share) else "")
        for relation in shown
    ]
    write_at_ends(ax, range(len(shown)), begin + lengths, [False] * len(shown), texts)
    share = " (share)" if np.isfinite(shown[0].share) else ""
    note(ax, f"size{share}", (begin, -0.6), by=(0.0, 3.0), va="bottom", color=inks(ax).muted)
