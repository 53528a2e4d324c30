"""Figure 5: the error on entries fitted over zeros, by who chose them."""

from __future__ import annotations

from matplotlib.figure import Figure

from experiments.drawing.style import COLOURS, GREY, OURS, legend_below, panels
from experiments.summary.rows import Document, mean_curve, pick, values

LOOKS = {"responsibility": OURS, "value": COLOURS[1], "random": GREY}


def draw(document: Document) -> Figure:
    """Draw a panel for each tensor, without and with iterations between the steps."""
    tensors = values(pick(document, "figure5"), "set")
    refits = sorted({row["settings"]["refit"] for row in pick(document, "figure5")})
    figure, axes = panels(len(tensors) * len(refits), columns=len(refits), size=(4.4, 2.7))
    places = [(tensor, refit) for tensor in tensors for refit in refits]
    for each, (tensor, refit) in zip(axes, places, strict=True):
        for way, colour in LOOKS.items():
            rows = pick(document, "figure5", set=tensor, by=way, refit=refit)
            for label, style in (("re", "-"), ("test", ":")):
                x, y = mean_curve(rows, "zeros", label)
                kind = "fitted" if label == "re" else "held out"
                each.plot(x, y, style, color=colour, marker=".", label=f"{way}, {kind}")
        each.set_title(f"{tensor}: {'ranked once' if not refit else f'{refit} iterations a step'}")
        each.set_xlabel("share of zeros")
        each.set_ylabel("relative error")
    legend_below(figure, axes[0], 3)
    return figure
