"""Curves over a common axis as inline SVG: one place marked, and perhaps a level to compare."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vest_tucker.report.html import Html, join, tag
from vest_tucker.report.numbers import plain
from vest_tucker.report.svg import digits

WIDE, HIGH = 720, 330  # in the units of its own coordinates
LEFT, RIGHT, BOTTOM, TOP = 56, 16, 44, 26  # margins, for the numbers and names of the axes
SPARE = 0.08  # of the height, above and below the curves

Line = tuple[str, str, Sequence[float]]  # class, text, heights


@dataclass(frozen=True)
class Curves:
    """What is drawn: heights of each line at the places ``across``; ``chosen`` is one of these.

    ``level`` is a height to compare with, and what it is; ``axes`` are the names of both axes.
    """

    across: Sequence[float]
    lines: Sequence[Line]
    chosen: int
    axes: tuple[str, str]
    level: tuple[str, float] | None = None

    @property
    def span(self) -> tuple[float, float]:
        """The lowest and the highest height that is shown."""
        heights = [y for _, _, ys in self.lines for y in ys if math.isfinite(y)]
        heights += [] if self.level is None else [self.level[1]]
        spare = SPARE * ((max(heights) - min(heights)) or 1.0)
        return min(heights) - spare, max(heights) + spare

    def x_of(self, x: float) -> str:
        """Return where a place is in the picture."""
        first, last = min(self.across), max(self.across)
        return digits(LEFT + (WIDE - LEFT - RIGHT) * (x - first) / ((last - first) or 1.0))

    def y_of(self, y: float) -> str:
        """Return where a height is in the picture."""
        low, top = self.span
        return digits(TOP + (HIGH - BOTTOM - TOP) * (top - y) / (top - low))

    def draw(self, title: str) -> Html:
        """Return the picture with its legend."""
        drawn = [*self._axes(), *self._marks(), *self._lines()]
        picture = tag(
            "svg", tag("title", title), *drawn, class_="curve", role="img",
            viewBox=f"0 0 {WIDE} {HIGH}", aria_label=title,
        )  # fmt: skip
        legend = join(
            tag("span", tag("span", class_=f"key {kind}", aria_hidden="true"), text)
            for kind, text, _ in self.lines
        )
        return tag("figure", picture, tag("figcaption", legend, class_="legend"))

    def _axes(self) -> Iterator[Html]:
        for tick in ticks(*self.span):
            y = self.y_of(tick)
            yield tag("line", class_="grid", x1=LEFT, x2=WIDE - RIGHT, y1=y, y2=y)
            yield tag("text", plain(tick), x=LEFT - 8, y=y, dy="0.32em", text_anchor="end")
        for tick in ticks(min(self.across), max(self.across)):
            below = HIGH - BOTTOM + 18
            yield tag("text", plain(tick), x=self.x_of(tick), y=below, text_anchor="middle")
        middle = digits((LEFT + WIDE) / 2)
        yield tag("text", self.axes[0], x=middle, y=HIGH - 6, text_anchor="middle", class_="quiet")
        yield tag("text", self.axes[1], x=4, y=12, class_="quiet")

    def _marks(self) -> Iterator[Html]:
        if self.level is not None:
            text, height = self.level
            y = self.y_of(height)
            yield tag("line", class_="level", x1=LEFT, x2=WIDE - RIGHT, y1=y, y2=y)
            yield tag("text", text, x=LEFT + 6, y=y, dy="-0.4em", class_="quiet")
        x = self.x_of(self.across[self.chosen])
        yield tag("line", class_="knee", x1=x, x2=x, y1=TOP, y2=HIGH - BOTTOM)

    def _lines(self) -> Iterator[Html]:
        for kind, text, ys in self.lines:
            points = [
                f"{self.x_of(x)},{self.y_of(y)}"
                for x, y in zip(self.across, ys, strict=True)
                if math.isfinite(y)
            ]
            yield tag("polyline", tag("title", text), class_=kind, points=" ".join(points))
            if math.isfinite(ys[self.chosen]):
                x, y = self.x_of(self.across[self.chosen]), self.y_of(ys[self.chosen])
                yield tag("circle", class_=kind, cx=x, cy=y, r=4.5)


def ticks(low: float, top: float) -> list[float]:
    """Return round numbers between two.

    Examples
    --------
    >>> ticks(0.0, 1.0), ticks(2.0, 2.0)
    ([0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0], [2.0])
    """
    span = top - low
    if not span > 0.0:
        return [low]
    size = 10.0 ** math.floor(math.log10(span / 4.0))
    step = next(size * k for k in (1, 2, 5, 10) if span / (size * k) <= 6.0)
    return [step * k for k in range(math.ceil(low / step), math.floor(top / step) + 1)]
