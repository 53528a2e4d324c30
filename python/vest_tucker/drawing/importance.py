"""How much each component or relation carries: what the squared error would gain without it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from vest_tucker.base.options import check_choice
from vest_tucker.drawing.tools.bars import lying_bars
from vest_tucker.drawing.tools.canvas import Axes, bare, height_for, inks, new_axes, rows_that_fit
from vest_tucker.drawing.tools.order import of_all
from vest_tucker.drawing.tools.texts import entitle, short_labels
from vest_tucker.model.model import TuckerModel
from vest_tucker.reading.captions import percent

Parts: TypeAlias = Literal["components", "relations"]
GAP = 0.7  # between modes, in bars


def draw_importance(
    model: TuckerModel, *, of: Parts = "components", n: int = 30, ax: Axes | None = None
) -> Axes:
    """Draw a bar per component, mode by mode, or per relation, the most important first."""
    check_choice("of", of, get_args(Parts))
    table = model.importance()
    kinds = ("biases", "component") if of == "components" else ("relation",)
    found = [row for row in table.rows if row.kind in kinds]
    given = ax is not None
    wanted = min(n, len(found))
    ax = new_axes(ax, 6.4, height_for(wanted + GAP * model.order, 1.2))
    kept = sorted(found, key=lambda row: -row.share)[: rows_that_fit(ax, wanted, given, 6.5)]
    shown = _by_mode(kept, model.modes) if of == "components" else kept
    places = _places(shown, apart=of == "components")
    shares = [100.0 * row.share for row in shown]
    texts = [percent(row.share) for row in shown]
    lying_bars(ax, places, short_labels((row.name for row in shown), 40), shares, texts=texts)
    ax.axvline(0.0, color=inks(ax).muted, linewidth=0.8)
    ax.set_ylim(max(places, default=0.0) + 0.6, -0.6)
    ax.use_sticky_edges = False
    ax.margins(x=0.1)
    entitle(
        ax, title=_headline(model),
        x="growth of the squared error without it,\n% of what the mean leaves",
        y=of_all(len(shown), len(found), of),
    )  # fmt: skip
    bare(ax, keep=("bottom",))
    return ax


def _headline(model: TuckerModel) -> str:
    left = model.importance().measured.unexplained
    return "" if np.isnan(left) else f"explains {percent(1.0 - left)} of what the mean leaves"


def _by_mode(rows: Iterable[Any], modes: tuple[str, ...]) -> list[Any]:
    order = {name: number for number, name in enumerate(modes)}
    return sorted(rows, key=lambda row: (order.get(row.mode, -1), -row.share))


def _places(rows: list[Any], *, apart: bool) -> list[float]:
    """Return where bars go: one below the other, those of another mode a little further down."""
    places: list[float] = []
    for number, row in enumerate(rows):
        new = apart and number > 0 and row.mode != rows[number - 1].mode
        places.append(places[-1] + 1.0 + (GAP if new else 0.0) if places else 0.0)
    return places
