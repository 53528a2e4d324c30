"""Figure 2: error over targets on the large sets; and error against the numbers kept."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.drawing.comparison import looks
from experiments.drawing.style import COLOURS, GREY, OURS, PLAIN, error_axis, legend_below, panels
from experiments.summary.rows import Document, pick, spread, values
from experiments.summary.targets import of_seeds, shared_seeds, swept

LINES = {"vest-lf-manual": (OURS, "-"), "vest-l1-manual": (OURS, "--"), "vest-tucker": (PLAIN, "-")}
AUTOMATIC = {"vest-lf-auto": (OURS, "o"), "vest-l1-auto": (OURS, "s"), "vest-tucker": (PLAIN, "*")}
LEVELS = {
    "mean": (GREY, ":"), "biases": (GREY, "--"), "myfm": (COLOURS[2], "-."),
    "smurff": (COLOURS[3], "-."), "surprise-svd": (COLOURS[4], "-."),
}  # fmt: skip


def draw(document: Document) -> Figure:
    """Draw two panels for each tensor: entries fitted, entries held out."""
    tensors = values(pick(document, "figure2"), "set")
    figure, axes = panels(2 * len(tensors), columns=2, size=(4.6, 2.9))
    for number, tensor in enumerate(tensors):
        for which, label in enumerate(("re", "test")):
            _panel(axes[2 * number + which], document, tensor, label)
    legend_below(figure, axes[1], 4)
    return figure


def _panel(axes: Axes, document: Document, tensor: str, label: str) -> None:
    titles = document["systems"]
    for name, (colour, style) in LINES.items():
        zeros, errors = swept(document, tensor, name, label)
        title = titles[name]["title"].replace(", manual", "")
        axes.plot(zeros, errors, style, color=colour, marker=".", label=f"{title}, targets")
    for name, (colour, marker) in AUTOMATIC.items():
        rows = pick(document, "figure2", set=tensor, system=name, settings=None)
        x, y = spread(rows, "zeros"), spread(rows, label)
        if x and y:
            title = titles[name]["title"].replace(", auto", "")
            axes.plot(
                x.mean, y.mean, marker, color=colour, markersize=10, label=f"{title}, automatic"
            )
    for name, (colour, style) in LEVELS.items():
        level = spread(pick(document, "figure2", set=tensor, system=name, settings=None), label)
        if level:
            axes.axhline(level.mean, color=colour, linestyle=style, label=titles[name]["title"])
    axes.set_title(f"{tensor}: {'fitted' if label == 're' else 'held out'}")
    axes.set_xlabel("share of zeros")
    axes.set_ylabel("relative error")
    error_axis(axes)


def draw_sizes(document: Document) -> Figure:
    """Draw everyone's test error against how many numbers it keeps."""
    tensors = values(pick(document, "figure2"), "set")
    figure, axes = panels(len(tensors), columns=2, size=(4.6, 5.2))
    for each, tensor in zip(axes, tensors, strict=True):
        seeds = shared_seeds(document, tensor)  # splits differ more than systems
        for name, about in document["systems"].items():
            rows = of_seeds(
                pick(document, "figure2", set=tensor, system=name, settings=None), seeds
            )
            x, y = spread(rows, "stored"), spread(rows, "test")
            if name in ("vest-lf-manual", "vest-l1-manual"):
                continue
            point = ([x.mean], [y.mean]) if x and y else ([], [])
            each.plot(*point, **looks(name, document), linestyle="none", label=about["title"])
        for name in ("vest-lf-manual", "vest-l1-manual", "vest-tucker"):
            kept, errors = swept(document, tensor, name, "test", "stored", seeds)
            label = f"{document['systems'][name]['title'].replace(', manual', '')}, targets"
            style, colour = LINES[name][1], LINES[name][0]
            each.plot(kept, errors, style, color=colour, alpha=0.6, linewidth=1, label=label)
        each.set_xscale("log")
        error_axis(each, most=0.5)
        each.set_title(tensor)
        each.set_xlabel("numbers kept")
        each.set_ylabel("relative error, held out")
    legend_below(figure, axes[0], 4)
    return figure
