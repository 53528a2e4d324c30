"""The grid of a model: a row per relation, a column per mode, in each cell the labels as bars.

The bars are what each label adds where the others are typical of their groups, in the unit of the
values, so they can be compared within a row. Labels of positive and of negative weight, the two
poles of a component, stand apart. A mode with an order is drawn as a profile over all its labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.drawing.tools.bars import lying_bars, profile
from vest_tucker.drawing.tools.canvas import (
    Axes,
    Figure,
    ManyAxes,
    as_many,
    bare,
    font_size,
    height_for,
    inks,
    new_grid,
    rows_that_fit,
)
from vest_tucker.drawing.tools.order import of_all, rows_in_order
from vest_tucker.drawing.tools.texts import note, plain, short_labels, shorten
from vest_tucker.model.model import TuckerModel
from vest_tucker.reading.captions import amount, most_reliable, percent
from vest_tucker.reading.groups import Group, Relation
from vest_tucker.reading.relations import relations

GAP = 0.7  # between the poles, in bars
LEAST = 3  # bars that a cell has room for
UNTOLD = 0.45  # width of a mode that no relation speaks of
ROOM = 0.36  # for a number beyond the longest bar, as a share of all bars


def draw_relations(
    model: TuckerModel, *, n: int = 6, labels: int = 5, figure: Figure | None = None, ax: Any = None
) -> ManyAxes:
    """Draw the strongest relations of a model; return an array of axes, relations x modes."""
    found = relations(model)
    if not found:
        raise OptionError("the model has no relations: every element of its core is zero")
    shown = found[:n]
    if ax is not None:
        axes = np.array(as_many(ax, len(shown) * model.order, "relations"), dtype=object)
        grid = axes.reshape(len(shown), model.order)
    else:
        heights = [_bars_needed(relation, labels) for relation in shown]
        told = {group.mode for relation in shown for group in relation.told}
        widths = [1.0 if mode in told else UNTOLD for mode in range(model.order)]
        size = (3.6 * sum(widths), height_for(sum(heights) + 4.2 * len(shown), 0.3))
        shape = {"height_ratios": heights, "width_ratios": widths}
        grid = new_grid(figure, len(shown), model.order, size, **shape)
    for row, relation in zip(grid, shown, strict=True):
        _draw_row(row, model, relation, labels, given=ax is not None)
        _head(row, relation)
    rest = _of_all_kinds(model, len(shown), found)
    if rest:
        down = (0.0, -font_size(1.5))
        note(grid[-1, 0], rest, (0.0, 0.0), xycoords="axes fraction", by=down, va="top")
    return grid


def _of_all_kinds(model: TuckerModel, n: int, found: list[Relation]) -> str:
    """Say how many of all are shown, relations and effects counted apart as texts do."""
    alone = [model.constant and each.order == 1 for each in found]
    if n == len(found) or not any(alone):
        return of_all(n, len(found), "relations")
    effects, others = sum(alone[:n]), len(found) - sum(alone)
    return f"{n - effects} of {others:,} relations and {effects} of {sum(alone)} effects shown"


def headline(relation: Relation) -> str:
    """Return what a relation joins and how much it matters, in one line."""
    titles = " × ".join(shorten(group.title, 22) for group in relation.told)
    share = f", share {percent(relation.share)}" if np.isfinite(relation.share) else ""
    return f"{titles}: {amount(relation.size)} where all are typical{share}"


def _bars_needed(relation: Relation, labels: int) -> float:
    def needed(group: Group) -> float:
        poles = [min(len(pole), labels) for pole in (group.positive, group.negative)]
        return sum(poles) + (GAP if all(poles) else 0.0)

    return max(LEAST, *(needed(group) for group in relation.told if group.places is None), 0.0)


def _draw_row(
    row: ManyAxes, model: TuckerModel, relation: Relation, labels: int, *, given: bool
) -> None:
    bounds = [0.0, 0.0]
    for cell, group in zip(row, relation.groups, strict=True):
        if group.constant:
            _draw_whatever(cell, group)
        elif group.places is not None:
            _draw_profile(cell, model, group)
        else:
            most = min(labels, _fitting(cell, group)) if given else labels
            drawn = _draw_labels(cell, group, most)
            bounds = [min(bounds[0], *drawn), max(bounds[1], *drawn)]
    room = ROOM * (bounds[1] - bounds[0] or 1.0)
    left = bounds[0] - (room if bounds[0] < 0.0 else 0.0)
    right = bounds[1] + (room if bounds[1] > 0.0 else 0.0)
    for cell, group in zip(row, relation.groups, strict=True):
        if not group.constant and group.places is None:
            cell.set_xlim(left, right)


def _fitting(ax: Axes, group: Group) -> int:
    """Return how many labels of each pole fit into axes that were given."""
    poles = sum(len(pole) > 0 for pole in (group.positive, group.negative))
    return max(1, rows_that_fit(ax, len(group), True, 5.0) // poles)


def _draw_labels(ax: Axes, group: Group, most: int) -> Sequence[float]:
    """Draw the labels of both poles, in the order of captions; return what they add."""
    poles = [pole.chosen(most_reliable(pole)[:most]) for pole in (group.positive, group.negative)]
    away = GAP if all(len(pole) for pole in poles) else 0.0
    places = np.concatenate(
        [np.arange(len(poles[0])), len(poles[0]) + away + np.arange(len(poles[1]))]
    )
    effects = np.concatenate([pole.effects for pole in poles])
    rows = np.concatenate([pole.rows for pole in poles])
    texts = short_labels(np.concatenate([pole.labels for pole in poles]), 22, rows.tolist())
    lying_bars(ax, places.tolist(), texts, effects, texts=[amount(each) for each in effects])
    ax.axvline(0.0, color=inks(ax).muted, linewidth=0.8)
    ax.set_ylim(max(places[-1], LEAST - 1) + 0.6, -0.6)
    ax.set_xticks([])
    bare(ax, keep=())
    return [float(each) for each in effects]


def _draw_profile(ax: Axes, model: TuckerModel, group: Group) -> None:
    """Draw what each label of a mode with an order adds."""
    dim = model.shape[group.mode]
    rows = rows_in_order(model.mode_labels, group.mode, dim, ordered=True)
    assert rows is not None
    effects = np.zeros(dim)
    effects[group.rows] = group.effects
    texts = short_labels(model.mode_labels.decode(group.mode, rows), 12, rows.tolist())
    profile(ax, effects[rows], texts, size="small")
    ax.locator_params(axis="y", nbins=4)
    ax.tick_params(axis="y", labelsize="small")
    bare(ax)


def _draw_whatever(ax: Axes, group: Group) -> None:
    ax.set_axis_off()
    text = f"whatever the {group.mode_name}"
    note(
        ax, text, (0.5, 0.5), xycoords="axes fraction", ha="center", va="center",
        color=inks(ax).muted, fontsize="medium",
    )  # fmt: skip


def _name(group: Group, shown: int) -> str:
    part = of_all(shown, len(group))
    title = shorten(group.title, 24)
    return f"{title} ({part})" if part else title


def _head(row: ManyAxes, relation: Relation) -> None:
    """Write the name of each group above its cell, and that of the relation above them all."""
    for cell, group in zip(row, relation.groups, strict=True):
        shown = len(cell.get_yticklabels()) if group.places is None else len(group)
        title = "" if group.constant else _name(group, shown)
        plain(cell.set_title(f"\n\n{title}", loc="left", fontsize="small"))
    written = note(
        row[0], headline(relation), (0.0, 1.0), xycoords="axes fraction",
        by=(0.0, font_size(1.9)), va="bottom", fontsize="medium", fontweight="bold",
    )  # fmt: skip
    written.set_in_layout(False)  # it may be as wide as all cells together
