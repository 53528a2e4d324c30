"""Where pictures go and in which inks: axes given or new, colours of the style in use.

Nothing is black or white by itself: texts have the colours of Matplotlib's settings, so that they
can be read in dark styles too, and what is muted is mixed of ink and paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import DtypeError, ShapeError
from vest_tucker.base.extras import needed_for

# Matplotlib's Axes and Figure, which are known only where Matplotlib is installed.
Axes: TypeAlias = Any
Figure: TypeAlias = Any
ManyAxes: TypeAlias = NDArray[Any]

HATCH = "//////"  # of what is negative
LEAST_SIZE = 5.0  # of any text, in points
LINE_HEIGHT = 1.45  # of a labelled row, in sizes of the font


class Inks(NamedTuple):
    """The colours of a picture; each is what Matplotlib takes for a colour."""

    ink: Any  # of texts and of lines that matter
    muted: Any  # of remarks, grids and what is only there to compare with
    faint: Any  # of areas behind the rest
    paper: Any  # of the background
    plus: Any  # of what is positive, or comes first
    minus: Any  # of what is negative, or comes second


def matplotlib(part: str = "pyplot") -> Any:
    """Return a module of Matplotlib, or say how to install it."""
    with needed_for("plot", "plot"):
        return import_module(f"matplotlib.{part}")


def new_axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the axes given, or those of a new figure of this size in inches.

    The size is that for a font of 10 points and grows with the font.
    """
    if ax is not None:
        return require_axes(ax)
    scale = font_size() / 10.0
    return matplotlib().subplots(figsize=(width * scale, height * scale), layout="constrained")[1]


def require_axes(ax: Any) -> Any:
    """Return the axes given; raise if they are something else."""
    if not isinstance(ax, matplotlib("axes").Axes):
        raise DtypeError(
            f"ax must be axes of Matplotlib, as those of plt.subplots(), but is a "
            f"{type(ax).__name__}"
        )
    return ax


def new_grid(
    figure: Figure | None,
    rows: int,
    columns: int,
    size: tuple[float, float],
    **shape: Any,
) -> ManyAxes:
    """Return rows x columns axes in the figure given, or in a new one of this size in inches."""
    if figure is None:
        scale = font_size() / 10.0
        wide, high = size[0] * scale, size[1] * scale
        figure = matplotlib().figure(figsize=(wide, high), layout="constrained")
    elif not hasattr(figure, "subplots"):
        raise DtypeError(
            f"figure must be a figure of Matplotlib, as plt.figure(), but is a "
            f"{type(figure).__name__}"
        )
    grid: ManyAxes = figure.subplots(rows, columns, squeeze=False, **shape)
    return grid


def as_many(ax: Any, wanted: int, what: str) -> list[Axes]:
    """Return the axes given as a list, of which there must be as many as wanted."""
    if isinstance(ax, range):  # which NumPy would write out, however long it is
        ax = [ax]
    given = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(given) != wanted:
        raise ShapeError(f"{what} needs {wanted} axes, but ax has {len(given)}")
    return [require_axes(each) for each in given]


def inks(ax: Axes) -> Inks:
    """Return the colours to draw with on these axes."""
    to_rgb = matplotlib("colors").to_rgb
    settings = matplotlib().rcParams
    ink = np.array(to_rgb(settings["text.color"]))
    # What is transparent shows a page that is not known; it contrasts with the ink.
    seen = ax.get_facecolor()
    paper = np.array(seen[:3]) if seen[3] > 0.5 else 1.0 - ink.round()
    cycle = settings["axes.prop_cycle"].by_key().get("color", ["C0"])
    whole, muted, faint, none = (
        tuple(ink * part + paper * (1.0 - part)) for part in (1.0, 0.58, 0.12, 0.0)
    )
    return Inks(whole, muted, faint, none, cycle[0], cycle[1 % len(cycle)])


def font_size(relative: float = 1.0) -> float:
    """Return the size of ordinary text in points, times a factor."""
    return float(matplotlib("font_manager").FontProperties().get_size_in_points()) * relative


def rows_that_fit(ax: Axes, wanted: int, given: bool, around: float = 0.0) -> int:
    """Return how many labelled rows can be drawn without touching: all in a figure of our own.

    Axes that were given keep their size, so the rows must be few enough for it. A layout will take
    what is ``around`` them, as titles, from that: so many sizes of the font.
    """
    if not given:
        return wanted
    taken = 0.0 if ax.figure.figure.get_layout_engine() is None else font_size(around)
    return max(1, min(wanted, int((points(ax)[1] - taken) / font_size(1.25))))


def points(ax: Axes) -> tuple[float, float]:
    """Return width and height of axes in points; a layout may change them when it is drawn."""
    scale = 72.0 / ax.figure.dpi
    return float(ax.bbox.width * scale), float(ax.bbox.height * scale)


def size_beside(ax: Axes, columns: float) -> float:
    """Return the size of turned texts that stand side by side, one over each of so many columns."""
    return max(LEAST_SIZE, min(font_size(), 0.85 * points(ax)[0] / columns))


def height_for(rows: float, room: float = 1.2) -> float:
    """Return the height in inches for so many labelled rows of 10 points, and room around them."""
    return rows * LINE_HEIGHT * 10.0 / 72.0 + room


def bare(ax: Axes, *, keep: Sequence[str] = ("left", "bottom")) -> None:
    """Leave out the lines around axes but for those to keep."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in keep)
