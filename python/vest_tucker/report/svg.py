"""Small pictures as inline SVG: bars, profiles of labels that have an order, and shares.

Colours and fonts come from the style sheet, so that the pictures follow light and dark. A policy of
the page forbids styles inside of elements; sizes are therefore attributes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from vest_tucker.report.html import Html, tag
from vest_tucker.report.numbers import signed

WIDTH, HEIGHT = 340, 132  # of a profile, in the units of its own coordinates
MARGIN, FOOT = 6, 18
LEFT = 40  # where the columns begin, right of the numbers
LINE = 10.0  # between two numbers, at least
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
    Numbers at the left tell the largest, the smallest, and where zero is.
    """
    lines = [2.0 * each for each in errors] if errors else [0.0] * len(values)
    pairs = [(value, line) for value, line in zip(values, lines, strict=True) if value]
    highest = max([0.0, *(value + line for value, line in pairs)])
    lowest = min([0.0, *(value - line for value, line in pairs)])
    span = (highest - lowest) or 1.0
    room = HEIGHT - FOOT - 2 * MARGIN
    step = (WIDTH - LEFT - MARGIN) / len(values)
    every = max(1, math.ceil(len(values) / MOST_TICKS), math.ceil(_widest(labels) * 6.5 / step))

    def y_of(value: float) -> float:
        return MARGIN + room * min(max((highest - value) / span, 0.0), 1.0)

    drawn = [tag("line", class_="axis", x1=LEFT, x2=WIDTH, y1=digits(y_of(0)), y2=digits(y_of(0)))]
    drawn += _scale(values, y_of)
    for place, (label, value) in enumerate(zip(labels, values, strict=True)):
        left, ends = LEFT + place * step, sorted((y_of(value), y_of(0.0)))
        middle = digits(left + step / 2)
        if value:
            drawn.append(
                tag("rect", tag("title", f"{label}: {signed(value)}"),
                    class_="plus" if value > 0.0 else "minus", x=digits(left + 0.1 * step),
                    y=digits(ends[0]), width=digits(0.8 * step),
                    height=digits(max(ends[1] - ends[0], 0.5)))
            )  # fmt: skip
        two = lines[place]
        if value and two > 0.0:
            low, high = digits(y_of(value - two)), digits(y_of(value + two))
            drawn.append(tag("line", class_="error", x1=middle, x2=middle, y1=low, y2=high))
        if place % every == 0:
            drawn.append(tag("text", label, x=middle, y=HEIGHT - 4, text_anchor="middle"))
    return tag(
        "svg", tag("title", title), *drawn, class_="profile", role="img",
        viewBox=f"0 0 {WIDTH} {HEIGHT}", aria_label=title,
    )  # fmt: skip


def _scale(values: Sequence[float], y_of: Callable[[float], float]) -> Iterator[Html]:
    """Yield the numbers at the left of a profile, those that have room."""
    taken: list[float] = []
    for value in (max(0.0, *values), min(0.0, *values), 0.0):
        y = y_of(value)
        if all(abs(y - each) >= LINE for each in taken):
            taken.append(y)
            yield tag("text", signed(value, 2), x=LEFT - 4, y=digits(y + 3.5), text_anchor="end")


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
        tag("rect", x=digits(place * step), y=digits(24.0 * (1.0 - each / largest)),
            width=digits(0.86 * step), height=digits(24.0 * each / largest))
        for place, each in enumerate(counts)
    ]  # fmt: skip
    return tag(
        "svg", tag("title", title), *drawn, class_="strip", role="img", viewBox="0 0 100 24",
        preserveAspectRatio="none", aria_label=title,
    )  # fmt: skip


def _widest(labels: Sequence[str]) -> int:
    return max(map(len, labels), default=0)


def _percent(share: float) -> str:
    return f"{digits(100.0 * share)}%"


def digits(value: float) -> str:
    """Return a coordinate, with as many digits as can be seen."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
