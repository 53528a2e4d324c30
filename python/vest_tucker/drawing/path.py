"""The curve of a path: errors over the share pruned, and where it bends (the paper's figure 3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from vest_tucker.drawing.tools.canvas import Axes, bare, inks, new_axes
from vest_tucker.drawing.tools.texts import entitle, legend_above


class Step(Protocol):
    """What is drawn of one stop."""

    @property
    def share(self) -> float: ...  # noqa: D102
    @property
    def n_parameters(self) -> int: ...  # noqa: D102
    @property
    def error(self) -> float: ...  # noqa: D102
    @property
    def validation_error(self) -> float: ...  # noqa: D102
    @property
    def validation_spread(self) -> float: ...  # noqa: D102


def draw_path(steps: Sequence[Step], knee: int, baseline: float, *, ax: Axes | None = None) -> Axes:
    """Draw the errors of all stops over the share pruned, mark the one chosen, return the axes.

    Errors on entries held back have bars of one standard error.
    """
    ax = new_axes(ax, 6.4, 4.2)
    shades = inks(ax)
    zeros = np.array([100.0 * step.share for step in steps])
    errors = [step.error for step in steps]
    marks: dict[str, Any] = {"markersize": 4, "markevery": max(1, len(steps) // 15)}
    ax.plot(zeros, errors, "-o", color=shades.plus, label="entries fitted", **marks)
    held = np.array([step.validation_error for step in steps])
    if np.isfinite(held).any():
        ax.plot(zeros, held, "--^", color=shades.minus, label="entries held back", **marks)
        below, above = _spread(held, np.array([step.validation_spread for step in steps]))
        ax.fill_between(
            zeros, below, above, color=shades.minus, alpha=0.18, linewidth=0,
            label="± one standard error",
        )  # fmt: skip
    if math.isfinite(baseline):
        ax.axhline(baseline, color=shades.muted, linestyle=":", label="always the mean")
    _mark_knee(ax, float(zeros[knee]), steps[knee])
    ax.margins(y=0.08)
    entitle(ax, x="pruned, %", y="relative error")
    bare(ax)
    step = steps[knee]
    facts = f"{zeros[knee]:.0f} % pruned, {step.n_parameters:,} parameters, error {step.error:.3g}"
    legend_above(ax, title=f"chosen: {facts}")
    return ax


def _spread(errors: Any, spreads: Any) -> tuple[Any, Any]:
    """Return the errors whose squares are one standard error lower and higher."""
    squares = errors**2
    return np.sqrt(np.maximum(squares - spreads, 0.0)), np.sqrt(squares + spreads)


def _mark_knee(ax: Axes, zeros: float, step: Step) -> None:
    shades = inks(ax)
    ax.axvline(zeros, color=shades.ink, linestyle="-.", linewidth=1.0)
    ax.plot(
        [zeros], [step.error], "-.D", color=shades.ink, markersize=7, linewidth=1.0, zorder=5,
        label="chosen",
    )  # fmt: skip
