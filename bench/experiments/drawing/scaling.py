"""Figure 4: seconds per iteration over order, dimensionality, entries; the gain of threads."""

from __future__ import annotations

from matplotlib.figure import Figure

from experiments.drawing.style import INK, OURS, PLAIN, panels
from experiments.summary.rows import Document
from experiments.summary.scaling import points, slopes


def draw(document: Document) -> Figure:
    """Draw the paper's four panels."""
    figure, axes = panels(4, columns=2, size=(4.4, 2.9))
    fitted = slopes(document)
    for each, series in zip(axes, ("order", "dimension", "entries", "threads"), strict=True):
        x, y, core = points(document, series)
        each.set_xlabel({"dimension": "dimensionality (and entries)"}.get(series, series))
        each.set_ylabel("seconds per iteration")
        if not x:
            each.set_axis_off()
        elif series == "threads":
            each.plot(x, [y[0] / time for time in y], "o-", color=OURS)
            each.plot([1, 2], [1, 2], ":", color=INK)
            each.set_ylabel("times faster than one thread")
        elif series == "order":
            each.semilogy(x, y, "o-", color=OURS, label="an iteration")
            per = [time / size for time, size in zip(y, core, strict=True)]
            label = f"per core element, slope {fitted[series]:.2f}"
            each.semilogy(x, per, "s--", color=PLAIN, label=label)
            each.legend()
        else:
            each.loglog(x, y, "o-", color=OURS, label=f"slope {fitted.get(series, 0.0):.2f}")
            each.loglog(x, [y[-1] * size / x[-1] for size in x], ":", color=INK, label="slope 1")
            each.legend()
        each.set_title(series)
    return figure
