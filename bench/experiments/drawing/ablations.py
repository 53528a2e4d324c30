"""Figure 8: what each change does to the error on entries held out, with intervals over seeds."""

from __future__ import annotations

from matplotlib.figure import Figure

from experiments.drawing.style import INK, OURS, PLAIN, panels
from experiments.summary.ablations import effects
from experiments.summary.rows import Document, pick, values

MOST = 1.5  # changes of the error beyond this are drawn at the edge


def draw(document: Document) -> Figure:
    """Draw a panel for each tensor: changes from top to bottom."""
    tensors = values(pick(document, "figure8"), "set")
    figure, axes = panels(len(tensors), columns=2, size=(5.6, 6.4))
    for each, tensor in zip(axes, tensors, strict=True):
        some = [one for one in effects(document, tensor) if one.change != "as it is"]
        for number, one in enumerate(some):
            if one.test is None:
                continue
            colour = PLAIN if one.base == "vest-tucker" else OURS
            half = 0.0 if one.test.runs < 2 else one.test.half
            x = max(-MOST, min(MOST, one.test.mean))
            each.errorbar(100.0 * x, number, xerr=100.0 * half, fmt="o", color=colour, markersize=4)
        each.axvline(0.0, color=INK, linewidth=0.8)
        each.set_yticks(
            range(len(some)), [_short(one.base, one.change) for one in some], fontsize=6
        )
        each.invert_yaxis()
        each.set_xlim(-100.0, 100.0)
        each.set_title(tensor)
        each.set_xlabel("test error, % more than without the change")
    return figure


def _short(base: str, change: str) -> str:
    text = f"{base}: {change}".replace("VeST, L_F, 60 % zeros", "manual").replace(
        "VeST, L_F, auto", "auto"
    )
    return text.replace("`", "")
