"""What was observed: how many entries each row of each mode has, and which values there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.base.options import check_whole
from vest_tucker.base.types import Counts
from vest_tucker.data.per_row import entries_per_row
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.drawing.tools.bars import lying_bars, profile
from vest_tucker.drawing.tools.canvas import (
    Axes,
    Figure,
    ManyAxes,
    as_many,
    bare,
    height_for,
    inks,
    new_axes,
    new_grid,
    rows_that_fit,
)
from vest_tucker.drawing.tools.order import BUDGET, name_of_axis, rows_in_order
from vest_tucker.drawing.tools.texts import entitle, plain, short_labels

ROWS = 12  # of each mode, if all are drawn


def draw(
    X: SparseTensor, mode: str | int | None, *, n: int | None, ordered: bool | None,
    figure: Figure | None, ax: Any,
) -> Any:  # fmt: skip
    """Draw one mode, or all of them and the values; see `SparseTensor.plot`."""
    number = None if n is None else check_whole("n", n, at_least=1)
    if mode is not None:
        return draw_mode(X, mode, n=number or BUDGET, ordered=ordered, ax=ax)
    if ordered is not None:
        raise OptionError("ordered is about a single mode, but no mode is given")
    return draw_tensor(X, n=number or ROWS, figure=figure, ax=ax)


def draw_tensor(
    X: SparseTensor, *, n: int = ROWS, figure: Figure | None = None, ax: Any = None
) -> ManyAxes:
    """Draw a panel per mode with the entries of its rows, and one with the values."""
    panels = X.order + 1
    if ax is not None:
        axes = as_many(ax, panels, "X.plot")
    else:
        columns = 2 if panels == 4 else min(panels, 3)
        rows = -(-panels // columns)
        size = (4.6 * columns, height_for(n + 4, 0.9) * rows)
        grid = new_grid(figure, rows, columns, size).ravel()
        for spare in grid[panels:]:
            spare.remove()
        axes = list(grid[:panels])
        plain(axes[0].figure.suptitle(headline(X), fontsize="medium"))
    counts = entries_per_row(X.coords, X.shape)
    for mode, each in enumerate(axes[:-1]):
        _draw_rows(each, X, mode, counts[mode], rows_that_fit(each, n, ax is not None, 4.0))
    _draw_values(axes[-1], X)
    return np.array(axes, dtype=object)


def draw_mode(
    X: SparseTensor, mode: str | int, *, n: int = BUDGET, ordered: bool | None = None,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the entries per row of one mode: over its order if it has one, else the most first."""
    number = X.mode_labels.number(mode)
    given = ax is not None
    in_order = rows_in_order(X.mode_labels, number, X.shape[number], ordered)
    lines = min(n, X.shape[number]) if in_order is None else 15
    ax = new_axes(ax, 6.4, height_for(lines, 1.0))
    counts = entries_per_row(X.coords, X.shape)[number]
    _draw_rows(ax, X, number, counts, rows_that_fit(ax, n, given, 4.0), ordered)
    return ax


def headline(X: SparseTensor) -> str:
    """Return how much of a tensor was observed.

    Examples
    --------
    >>> headline(SparseTensor([[0, 1], [1, 0], [1, 1]], [4.0, 2.0, 1.0]))
    '3 of 2 x 2 cells observed: 75 %'
    """
    sizes = " x ".join(f"{dim:,}" for dim in X.shape)
    return f"{X.nnz:,} of {sizes} cells observed: {100.0 * X.density:.3g} %"


def _draw_rows(
    ax: Axes, X: SparseTensor, mode: int, counts: Counts, n: int, ordered: bool | None = None
) -> None:
    name, dim = X.modes[mode], X.shape[mode]
    in_order = rows_in_order(X.mode_labels, mode, dim, ordered)
    if in_order is not None:
        texts = short_labels(X.mode_labels.decode(mode, in_order), 12, in_order.tolist())
        profile(ax, counts[in_order].astype(float), texts, size="small")
        ax.set_ylim(0.0, max(counts.max(), 1) * 1.06)
        entitle(ax, x=name, y="entries")
        bare(ax)
        return
    rows = np.argsort(-counts, kind="stable")[:n]
    labels_shown = short_labels(X.mode_labels.decode(mode, rows), rows=rows.tolist())
    texts = [f"{count:,}" for count in counts[rows]]
    lying_bars(ax, range(len(rows)), labels_shown, counts[rows].tolist(), texts=texts)
    ax.set_ylim(max(n, len(rows)) - 0.4, -0.6)
    ax.set_xticks([])
    bare(ax, keep=("left",))
    empty = int((counts == 0).sum())
    facts = [f"median {np.median(counts):,.4g}"]
    facts.append(f"none in {empty:,}" if empty else f"fewest {counts.min():,}")
    entitle(ax, x=f"entries per row\n({', '.join(facts)})", y=name_of_axis(name, len(rows), dim))


def _draw_values(ax: Axes, X: SparseTensor) -> None:
    shades = inks(ax)
    distinct = np.unique(X.values[: 1 << 20])
    if len(distinct) <= 30:
        profile(ax, np.array([float((X.values == value).sum()) for value in distinct]),
                short_labels(distinct.tolist(), 8), size="small")  # fmt: skip
    else:
        ax.hist(X.values, bins=40, color=shades.plus)
    ax.set_ylim(bottom=0.0)
    zeros = int((X.values == 0.0).sum())
    some = f", {100.0 * zeros / X.nnz:.2g} % are zero" if zeros else ""
    entitle(ax, x=f"value (mean {X.mean:.4g}{some})", y="entries")
    bare(ax)
