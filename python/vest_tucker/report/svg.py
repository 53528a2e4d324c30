"""Small pictures as inline SVG: bars, profiles of labels that have an order, shares, and curves.

Colours and fonts come from the style sheet, so that the pictures follow light and dark. A policy of
the page forbids styles inside of elements; sizes are therefore attributes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from vest_tucker.report.html import Html, join, tag
from vest_tucker.report.numbers import plain, signed

WIDTH, HEIGHT = 340, 132  # of a profile, in the units of its own coordinates
MARGIN, FOOT = 6, 18
MOST_TICKS = 13


def bar(value: float, largest: float, error: float = 0.0) -> Html:
    """Return a bar for a value beside others of which the largest is given.

    With a standard error there is a thin line of two of them on either side of the bar's end.

    Examples
    --------
    >>> bar(-1.0, 4.0)
    '<svg class="bar" width="100%" height="12" aria-hidden="true"><rect class="minus" \
width="25%" height="12" rx="1.5"></rect></svg>'
    """
    room = max(largest, 1e-300)
    share = min(1.0, abs(value) / room)
    drawn = [
        tag(
            "rect", class_="minus" if value < 0.0 else "plus", width=_percent(share), height=12,
            rx=1.5,
        )
    ]  # fmt: skip
    if error > 0.0 and math.isfinite(error):
        ends = (max(0.0, share - 2.0 * error / room), min(1.0, share + 2.0 * error / room))
        drawn.append(
            tag("line", class_="error", x1=_percent(ends[0]), x2=_percent(ends[1]), y1=6, y2=6)
        )
    return tag("svg", *drawn, class_="bar", width="100%", height=12, aria_hidden="true")


def profile(
    labels: Sequence[str], values: Sequence[float], title: str, errors: Sequence[float] = ()
) -> Html:
    """Return columns for labels in their order, up for positive values and down for negative.

    With standard errors there is a thin line of two of them on either side of each column's end.
    """
    highest, lowest = max(0.0, *values), min(0.0, *values)
    span = (highest - lowest) or 1.0
    room = HEIGHT - FOOT - 2 * MARGIN
    step = (WIDTH - 2 * MARGIN) / len(values)
    every = max(1, math.ceil(len(values) / MOST_TICKS), math.ceil(_widest(labels) * 6.5 / step))

    def y_of(value: float) -> float:
        return MARGIN + room * min(max((highest - value) / span, 0.0), 1.0)

    drawn = [tag("line", class_="axis", x1=0, x2=WIDTH, y1=_digits(y_of(0)), y2=_digits(y_of(0)))]
    for place, (label, value) in enumerate(zip(labels, values, strict=True)):
        left, ends = MARGIN + place * step, sorted((y_of(value), y_of(0.0)))
        middle = _digits(left + step / 2)
        if value:
            drawn.append(
                tag("rect", tag("title", f"{label}: {signed(value)}"),
                    class_="plus" if value > 0.0 else "minus", x=_digits(left + 0.1 * step),
                    y=_digits(ends[0]), width=_digits(0.8 * step),
                    height=_digits(max(ends[1] - ends[0], 0.5)))
            )  # fmt: skip
        if value and errors and errors[place] > 0.0:
            two = 2.0 * errors[place]
            low, high = _digits(y_of(value - two)), _digits(y_of(value + two))
            drawn.append(tag("line", class_="error", x1=middle, x2=middle, y1=low, y2=high))
        if place % every == 0:
            drawn.append(tag("text", label, x=middle, y=HEIGHT - 4, text_anchor="middle"))
    return tag(
        "svg", tag("title", title), *drawn, class_="profile", role="img",
        viewBox=f"0 0 {WIDTH} {HEIGHT}", aria_label=title,
    )  # fmt: skip


def shares(parts: Sequence[tuple[str, float, str]], title: str) -> Html:
    """Return one bar cut into shares; each part has a text, a share and a class."""
    drawn, left = [], 0.0
    for text, share, kind in parts:
        width = min(max(0.0, share), 1.0 - left)
        drawn.append(
            tag("rect", tag("title", text), class_=kind, x=_percent(left), width=_percent(width),
                height=14)
        )  # fmt: skip
        left += width
    return tag(
        "svg", tag("title", title), *drawn, class_="shares", role="img", width="100%", height=14,
        aria_label=title,
    )  # fmt: skip


def strip(counts: Sequence[float], title: str) -> Html:
    """Return thin columns without labels, for how many there are of each."""
    largest = max(counts, default=0.0) or 1.0
    step = 100.0 / max(len(counts), 1)
    drawn = [
        tag("rect", x=_digits(place * step), y=_digits(24.0 * (1.0 - each / largest)),
            width=_digits(0.86 * step), height=_digits(24.0 * each / largest))
        for place, each in enumerate(counts)
    ]  # fmt: skip
    return tag(
        "svg", tag("title", title), *drawn, class_="strip", role="img", viewBox="0 0 100 24",
        preserveAspectRatio="none", aria_label=title,
    )  # fmt: skip


Line = tuple[str, str, Sequence[float]]  # class, text, heights


def curve(
    across: Sequence[float], lines: Sequence[Line], chosen: int, level: tuple[str, float] | None,
    *, axes: tuple[str, str], title: str,
) -> Html:  # fmt: skip
    """Return curves over a common axis with one place marked, and perhaps a level to compare."""
    wide, high, left, bottom, over = 720, 330, 56, 44, 26
    heights = [y for _, _, ys in lines for y in ys if math.isfinite(y)]
    heights += [] if level is None or not math.isfinite(level[1]) else [level[1]]
    low, top = min(heights), max(heights)
    low, top = low - 0.08 * (top - low or 1.0), top + 0.08 * (top - low or 1.0)
    first, last = min(across), max(across)

    def x_of(x: float) -> str:
        return _digits(left + (wide - left - 16) * (x - first) / (last - first or 1.0))

    def y_of(y: float) -> str:
        return _digits(over + (high - bottom - over) * (top - y) / (top - low))

    drawn = []
    for tick in _ticks(low, top):
        drawn += [
            tag("line", class_="grid", x1=left, x2=wide - 16, y1=y_of(tick), y2=y_of(tick)),
            tag("text", plain(tick), x=left - 8, y=y_of(tick), dy="0.32em", text_anchor="end"),
        ]
    drawn += [
        tag("text", plain(tick), x=x_of(tick), y=high - bottom + 18, text_anchor="middle")
        for tick in _ticks(first, last)
    ]
    if level is not None and math.isfinite(level[1]):
        at = y_of(level[1])
        drawn.append(
            tag("line", tag("title", level[0]), class_="level", x1=left, x2=wide - 16, y1=at, y2=at)
        )
        drawn.append(tag("text", level[0], x=left + 6, y=at, dy="-0.4em", class_="quiet"))
    at = x_of(across[chosen])
    drawn.append(tag("line", class_="knee", x1=at, x2=at, y1=over, y2=high - bottom))
    for kind, text, ys in lines:
        points = [
            f"{x_of(x)},{y_of(y)}" for x, y in zip(across, ys, strict=True) if math.isfinite(y)
        ]
        drawn.append(tag("polyline", tag("title", text), class_=kind, points=" ".join(points)))
        if math.isfinite(ys[chosen]):
            drawn.append(tag("circle", class_=kind, cx=at, cy=y_of(ys[chosen]), r=4.5))
    middle = _digits((left + wide) / 2)
    drawn.append(tag("text", axes[0], x=middle, y=high - 6, text_anchor="middle", class_="quiet"))
    drawn.append(tag("text", axes[1], x=4, y=12, class_="quiet"))
    legend = join(
        tag("span", tag("span", class_=f"key {kind}", aria_hidden="true"), text)
        for kind, text, _ in lines
    )
    picture = tag(
        "svg", tag("title", title), *drawn, class_="curve", role="img",
        viewBox=f"0 0 {wide} {high}", aria_label=title,
    )  # fmt: skip
    return tag("figure", picture, tag("figcaption", legend, class_="legend"))


def _ticks(low: float, top: float) -> list[float]:
    """Return round numbers between two."""
    span = top - low
    if not span > 0.0:
        return [low]
    size = 10.0 ** math.floor(math.log10(span / 4.0))
    step = next(size * k for k in (1, 2, 5, 10) if span / (size * k) <= 6.0)
    return [step * k for k in range(math.ceil(low / step), math.floor(top / step) + 1)]


def _widest(labels: Sequence[str]) -> int:
    return max(map(len, labels), default=0)


def _percent(share: float) -> str:
    return f"{_digits(100.0 * share)}%"


def _digits(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
