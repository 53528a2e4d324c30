"""Figure 6: how many elements are left of a film's row, by how often it is rated."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from experiments.drawing.style import COLOURS, OURS, PLAIN, legend_below, panels
from experiments.summary.rows import Document, ok, pick, values

LOOKS = {
    "vest-lf-manual": (OURS, "-"),
    "vest-l1-manual": (OURS, "--"),
    "vest-lf-auto": (COLOURS[2], "-"),
    "vest-l1-auto": (COLOURS[2], "--"),
    "vest-tucker": (PLAIN, "-"),
}


def draw(document: Document) -> Figure:
    """Draw the share of a row that is left, for tenths of the films, the rarest first."""
    tensors = values(pick(document, "figure6"), "set")
    figure, axes = panels(len(tensors), columns=2, size=(5.0, 3.2))
    for each, tensor in zip(axes, tensors, strict=True):
        for name, (colour, style) in LOOKS.items():
            rows = ok(pick(document, "figure6", set=tensor, system=name))
            if not rows:
                continue
            shares = [
                np.array(row["found"]["by_popularity"]) / row["found"]["rank"] for row in rows
            ]
            ratings = rows[0]["found"]["ratings_by_popularity"]
            title = document["systems"][name]["title"]
            each.plot(
                ratings, np.mean(shares, axis=0), style, color=colour, marker=".", label=title
            )
        each.set_xscale("log")
        each.set_title(tensor)
        each.set_xlabel("ratings of a film (means of tenths)")
        each.set_ylabel("share of its row that is not zero")
    legend_below(figure, axes[0], 3)
    return figure
