"""The course of a fit: its error, its zeros and where it ended."""

from __future__ import annotations

import math
from typing import Any

from vest_tucker.base.errors import OptionError
from vest_tucker.drawing.tools.canvas import Axes, bare, inks, matplotlib, new_axes
from vest_tucker.drawing.tools.texts import entitle, legend_above
from vest_tucker.model.model import TuckerModel

WHY = {
    "converged": "converged",
    "max_iter": "stopped by max_iter",
    "validation": "stopped by the entries held back",
    "callback": "stopped by the callback",
    "interrupted": "interrupted",
    "path": "a stop of a path",
}


def draw_history(model: TuckerModel, *, ax: Axes | None = None) -> Axes:
    """Draw error and zeros over the iterations, mark the end of pruning and of the fit."""
    if not model.history:
        raise OptionError(
            "the model has no history: it was made by hand, folded in or updated; draw the one "
            "that fit returned"
        )
    ax = new_axes(ax, 6.4, 4.0)
    shades = inks(ax)
    at = [record.iteration for record in model.history]
    marks: dict[str, Any] = {"markersize": 4, "markevery": max(1, len(at) // 15)}
    errors = [record.error for record in model.history]
    lines = ax.plot(at, errors, "-o", color=shades.plus, label="error, fitted", **marks)
    held = [record.validation_error for record in model.history]
    if any(math.isfinite(error) for error in held):
        lines += ax.plot(at, held, "--^", color=shades.minus, label="error, held back", **marks)
    zeros = ax.twinx()
    shares = [100.0 * record.sparsity for record in model.history]
    lines += zeros.plot(
        at, shares, ":s", color=shades.ink, label="zeros (right)", markerfacecolor="none", **marks
    )
    zeros.set_ylim(0.0, 104.0)
    entitle(zeros, y="zeros, %")
    bare(zeros, keep=("right",))
    lines += _mark_ends(ax, model)
    ax.xaxis.set_major_locator(matplotlib("ticker").MaxNLocator(integer=True))
    ax.margins(y=0.12)
    entitle(ax, x="iteration", y="relative error")
    bare(ax)
    legend_above(ax, lines)
    return ax


def _mark_ends(ax: Axes, model: TuckerModel) -> list[Any]:
    """Mark the last iteration that pruned, if the fit went on, and the last one."""
    pruned = [record.iteration for record in model.history if record.prune_rate > 0.0]
    last = model.history[-1].iteration
    why = WHY.get(model.stopped, model.stopped) or "the end"
    ends: list[tuple[int, str, Any]] = [(last, f"{why}, iteration {last}", "-.")]
    if pruned and pruned[-1] < last:
        ends.insert(0, (pruned[-1], f"pruning ends, iteration {pruned[-1]}", (0, (1, 3))))
    muted = inks(ax).muted
    return [
        ax.axvline(at, color=muted, linestyle=style, linewidth=1.4, label=name)
        for at, name, style in ends
    ]
