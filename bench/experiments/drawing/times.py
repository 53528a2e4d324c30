"""Figure 3: the error on entries held out over the seconds of a fit."""

from __future__ import annotations

from matplotlib.figure import Figure

from experiments.drawing.style import COLOURS, GREY, OURS, PLAIN, legend_below, panels
from experiments.summary.rows import Document, ok, pick, spread, values

LOOKS = {
    "vest-tucker": PLAIN, "vest-lf-auto": OURS, "myfm": COLOURS[2], "smurff": COLOURS[3],
    "surprise-svd": COLOURS[4], "genten-gcp": COLOURS[5],
}  # fmt: skip


def draw(document: Document) -> Figure:
    """Draw a panel for each tensor and a line for each run."""
    tensors = values(pick(document, "figure3"), "set")
    figure, axes = panels(len(tensors), columns=2, size=(4.6, 3.4))
    for each, tensor in zip(axes, tensors, strict=True):
        for name, colour in LOOKS.items():
            label = document["systems"][name]["title"]
            for row in ok(pick(document, "figure3", set=tensor, system=name)):
                seconds, errors = zip(*row["found"]["curve"], strict=True)
                each.plot(seconds, errors, color=colour, label=label, linewidth=1.2, alpha=0.85)
                each.plot(seconds[-1], errors[-1], "o", color=colour, markersize=4)
                label = "_"  # one line of the legend for all runs
        for name, style in (("mean", ":"), ("biases", "--")):
            level = spread(pick(document, "figure2", set=tensor, system=name), "test")
            if level:
                title = document["systems"][name]["title"]
                each.axhline(level.mean, color=GREY, linestyle=style, label=title)
        each.set_xscale("log")
        each.set_title(tensor)
        each.set_xlabel("seconds of fitting")
        each.set_ylabel("relative error, held out")
        low, high = each.get_ylim()
        each.set_ylim(low, min(high, 2.0 * low))
    legend_below(figure, axes[0], 4)
    return figure
