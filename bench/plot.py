"""One picture of a benchmark run: the scalability figure of the paper, and where the time goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")  # a file is all that is wanted

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

STEPS = ("factors", "core", "error", "prune")


def plot_report(report: dict[str, Any], where: Path) -> None:
    """Draw the series and the steps of a report into an image file."""
    results: list[dict[str, Any]] = report["results"]
    series = {one["label"]: one["series"] for one in results if "series" in one}
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
    machine = results[0]["machine"]
    figure.suptitle(f"vest-tucker {machine['version']} ({report['commit']}), {machine['cpu']}")
    sizes = {label: one for label, one in series.items() if one["over"] in ("entries", "dimension")}
    plot_sizes(axes[0, 0], sizes)
    plot_order(axes[0, 1], [one for one in series.values() if one["over"] == "order"])
    threads = {label: one for label, one in series.items() if one["over"] == "threads"}
    plot_threads(axes[1, 0], threads)
    plot_steps(axes[1, 1], [one for one in results if "run" in one])
    figure.savefig(where, dpi=120)
    plt.close(figure)


def plot_sizes(axes: Axes, series: dict[str, dict[str, Any]]) -> None:
    """Time over the number of entries, with a line of slope 1 to hold against."""
    for label, one in series.items():
        slope = f", slope {one['slope']:.2f}" if "slope" in one else ""
        x, seconds = points(one)
        axes.loglog(x, seconds, "o-", label=f"{label}{slope}")
        axes.loglog(x, [seconds[-1] * size / x[-1] for size in x], ":", color="gray", linewidth=1)
    finish(axes, "entries (and dimension), rank 3", "seconds per iteration", bool(series))


def plot_order(axes: Axes, series: list[dict[str, Any]]) -> None:
    """Time over the number of modes; the core grows threefold with each."""
    for one in series:
        per_element = f"slope of the time per core element {one['slope']:.2f}"
        axes.semilogy(*points(one), "o-", label=f"1,000 entries, rank 3; {per_element}")
    finish(axes, "order", "seconds per iteration", bool(series))


def plot_threads(axes: Axes, series: dict[str, dict[str, Any]]) -> None:
    """Gain over one thread, with the ideal to hold against."""
    most = 1.0
    for label, one in series.items():
        x, seconds = points(one)
        most = max(most, x[-1])
        axes.plot(x, [seconds[0] / time for time in seconds], "o-", label=label)
    axes.plot([1, most], [1, most], ":", color="gray", linewidth=1)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    finish(axes, "threads", "times faster than 1 thread", bool(series))


def plot_steps(axes: Axes, results: list[dict[str, Any]]) -> None:
    """Each step's share of an iteration."""
    labels = [one["label"] for one in results]
    left = [0.0] * len(results)
    for step in STEPS:
        runs = [one["run"]["result"] for one in results]
        shares = [run[step]["seconds"] / run["best"] for run in runs]
        axes.barh(labels, shares, left=left, label=step)
        left = [start + share for start, share in zip(left, shares, strict=True)]
    axes.invert_yaxis()
    finish(axes, "share of an iteration", "", bool(results))
    if results:  # above the bars, not on them
        axes.legend(fontsize="small", ncols=len(STEPS), loc="lower center", bbox_to_anchor=(0.5, 1))


def points(series: dict[str, Any]) -> tuple[list[float], list[float]]:
    """Return what a series runs over and the best seconds per iteration."""
    x = [point["x"] for point in series["points"]]
    return x, [point["result"]["best"] for point in series["points"]]


def finish(axes: Axes, x: str, y: str, drawn: bool) -> None:
    """Label the axes, or hide them where nothing was run."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if drawn:
        axes.legend(fontsize="small")
    else:
        axes.set_axis_off()
