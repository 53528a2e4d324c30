"""Slices of a core: its elements over the components of two modes, a square and a number each."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import OptionError
from vest_tucker.base.types import Floats
from vest_tucker.drawing.tools.canvas import Axes, Figure, ManyAxes, as_many, new_grid
from vest_tucker.drawing.tools.order import of_all
from vest_tucker.drawing.tools.squares import draw_squares
from vest_tucker.drawing.tools.texts import entitle, note, set_labels, short_labels, shorten
from vest_tucker.model.model import TuckerModel
from vest_tucker.reading.captions import amount
from vest_tucker.reading.relations import Reading

SLICES = 12
MOST_NUMBERS = 100  # cells of a slice that are not too many to write numbers in
SMALLER = {"side": 0.56, "lift": 0.16}  # squares above a number
FEW = 8  # components of a mode that are all shown; of more, those that are used


class Slice(NamedTuple):
    """The components of the other modes, and the elements over the two that are drawn."""

    where: dict[int, int]
    values: Floats


def draw_slices(
    model: TuckerModel,
    *,
    modes: tuple[str | int, str | int] | None = None,
    n: int = SLICES,
    figure: Figure | None = None,
    ax: Any = None,
) -> ManyAxes:
    """Draw slices of the core that are not zero, over the components of two modes."""
    reading = Reading(model)
    # Neither the mean of a constant model, beside which nothing else would be seen, nor elements
    # that meet a column of zeros are relations.
    core = np.where(reading.live, reading.seen.core, 0.0)
    pair = _two_modes(model, modes)
    slices = _slices(core, *pair)
    if not slices:
        raise OptionError("the model has no relations: every element of its core is zero")
    shown = _strongest(slices, n)
    marks = np.array([each.values for each in shown]).any(axis=0)
    used = [_used(marks, across=1), _used(marks, across=0)]
    if ax is not None:
        axes, columns = as_many(ax, len(shown), "slices of the core"), 1
    else:
        columns = min(len(shown), 4)
        axes = _new_axes(figure, len(shown), columns, [len(own) for own in used])
    for place, (own, (where, values)) in enumerate(zip(axes, shown, strict=True)):
        _draw_slice(own, values[np.ix_(*used)] / np.abs(core).max(), values[np.ix_(*used)])
        for axis, mode, components in zip((own.yaxis, own.xaxis), pair, used, strict=True):
            hidden = axis is own.yaxis and place % columns > 0
            _name_components(axis, model, mode, components, hidden=hidden)
        titles = [shorten(component_name(model, mode, j), 24) for mode, j in where.items()]
        rest = of_all(len(shown), len(slices), "slices") if place == 0 else ""
        entitle(own, title="\n".join([*titles, *([rest] if rest else [])]))
    return np.array(axes, dtype=object)


def component_name(model: TuckerModel, mode: int, component: int) -> str:
    """Return the title of a component; the constant one stands for any label."""
    if model.constant and component == 0:
        return f"any {model.modes[mode]}"
    return model.title(mode, component)


def _two_modes(model: TuckerModel, modes: tuple[str | int, str | int] | None) -> tuple[int, int]:
    if modes is None:  # the two largest, which leaves the fewest slices
        largest = sorted(np.argsort(-np.array(model.ranks), kind="stable")[:2].tolist())
        return largest[0], largest[1]
    down, across = (model.mode_labels.number(mode) for mode in modes)
    if down == across:
        raise OptionError(f"modes are {modes!r}, twice the same; give two different ones")
    return down, across


def _slices(core: Floats, down: int, across: int) -> list[Slice]:
    """Return the slices that are not zero."""
    others = [mode for mode in range(core.ndim) if mode not in (down, across)]
    turned = np.transpose(core, (*others, down, across))
    places = product(*(range(core.shape[mode]) for mode in others))
    found = (Slice(dict(zip(others, at, strict=True)), turned[at]) for at in places)
    return [each for each in found if each.values.any()]


def _strongest(slices: list[Slice], n: int) -> list[Slice]:
    """Return the slices with the largest elements, in their old order."""
    order = np.argsort([-np.abs(each.values).max() for each in slices], kind="stable")[:n]
    return [slices[at] for at in np.sort(order).tolist()]


def _used(marks: Any, *, across: int) -> NDArray[np.intp]:
    """Return the components to draw: all if they are few, otherwise those that are used."""
    found: NDArray[np.bool_] = marks.any(axis=across)
    return np.arange(len(found)) if len(found) <= FEW else np.flatnonzero(found)


def _new_axes(figure: Figure | None, n: int, columns: int, sizes: list[int]) -> list[Axes]:
    rows = -(-n // columns)
    width, height = 1.2 + 0.5 * sizes[1], 1.3 + 0.5 * sizes[0]
    grid = new_grid(figure, rows, columns, (width * columns, height * rows)).ravel()
    for spare in grid[n:]:
        spare.remove()
    return list(grid[:n])


def _draw_slice(ax: Axes, shares: Floats, values: Floats) -> None:
    numbered = values.size <= MOST_NUMBERS
    draw_squares(ax, shares, **(SMALLER if numbered else {}))
    for row, column in np.argwhere(values) if numbered else ():
        text = amount(values[row, column], 2)
        note(ax, text, (column, row + 0.45), ha="center", va="bottom")


def _name_components(
    axis: Any, model: TuckerModel, mode: int, components: NDArray[np.intp], *, hidden: bool
) -> None:
    titles = short_labels((component_name(model, mode, j) for j in components.tolist()), 18)
    shown = [""] * len(titles) if hidden else titles
    turn = {"rotation": 90} if axis.axis_name == "x" else {}
    set_labels(axis, range(len(titles)), shown, fontsize="small", **turn)
