"""One prediction taken apart: from the mean, term by term, to the sum, with nothing left out."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.base.errors import OptionError
from vest_tucker.drawing.tools.bars import looks_of, write_at_ends
from vest_tucker.drawing.tools.canvas import Axes, bare, height_for, inks, new_axes, rows_that_fit
from vest_tucker.drawing.tools.texts import (
    drawable,
    entitle,
    one_line,
    plain,
    set_labels,
    short_labels,
    shorten,
)
from vest_tucker.model.model import TuckerModel
from vest_tucker.reading.captions import TIMES, amount, pole_labels
from vest_tucker.reading.explain import Explanation, Term
from vest_tucker.reading.groups import Group
from vest_tucker.reading.relations import Reading

LONGEST = 60  # columns of a term
FEW = 2  # labels that stand for a group where there is little room


def draw_explanation(
    model: TuckerModel, one: Explanation, *, n: int = 15, ax: Axes | None = None
) -> Axes:
    """Draw where a prediction begins, a bar for each term, and where it ends.

    Of more than ``n`` terms the smallest are drawn as one bar, so that the sum is always complete.
    """
    if len(one) != 1:
        raise OptionError(f"one cell can be drawn at a time, but {len(one)} are given")
    total = float(one.totals[0])
    if math.isnan(total):
        raise OptionError('the prediction is NaN, as unseen="nan" asks for; there are no terms')
    given = ax is not None
    begins = bool(len(one.values)) and one.kinds[0] == "mean"
    texts = _texts(model, one.terms)
    terms = list(zip(texts, one.values.tolist(), strict=True))
    begin = terms.pop(0) if begins else ("nothing", 0.0)
    wanted = min(n, len(terms))
    ax = new_axes(ax, 8.4, height_for(wanted + 3, 1.1))
    terms = _at_most(terms, max(1, rows_that_fit(ax, wanted + 3, given, 5.0) - 3))
    values = [value for _, value in terms]
    _draw_terms(ax, np.cumsum([begin[1], *values])[: len(terms)], values)
    _draw_marks(ax, begin[1], total, len(terms))
    labels = [begin[0], *(text for text, _ in terms), "prediction"]
    set_labels(ax.yaxis, range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.use_sticky_edges = False
    ax.margins(x=0.2)  # numbers stand beyond the bars
    ax.locator_params(axis="x", nbins=6)
    entitle(ax, x="value")
    title = f"{_cell(one)}: {amount(total).removeprefix('+')}"
    plain(ax.set_title(title, loc="right", fontsize="medium"))
    bare(ax, keep=("bottom",))
    return ax


def _cell(one: Explanation) -> str:
    labels = (short_labels(own, 22)[0] for own in one.labels)
    notes = (" (not seen)" if each else "" for each in one.unseen[0].tolist())
    parts = zip(one.modes, labels, notes, strict=True)
    return shorten(", ".join(f"{shorten(mode, 16)} {own}{note}" for mode, own, note in parts), 90)


def _texts(model: TuckerModel, terms: Sequence[Term]) -> list[str]:
    """Return terms in words, relations by some of their labels; by fewer if these are too long."""
    texts, reading = [drawable(one_line(term.text)) for term in terms], Reading(model)
    if any(shorten(text, LONGEST) != text for text in texts):
        texts = [
            _brief(reading, term.index) if term.kind == "relation" and term.index else text
            for text, term in zip(texts, terms, strict=True)
        ]
    return short_labels(texts, LONGEST)


def _brief(reading: Reading, index: tuple[int, ...]) -> str:
    """Return a relation by the first labels of its groups, each cut so that all have room."""
    told = [group for group in reading.told_groups(index) if not group.constant]
    room = max(LONGEST // len(told) - len(TIMES), 10)
    return TIMES.join(shorten(drawable(one_line(_first_labels(each))), room) for each in told)


def _first_labels(group: Group) -> str:
    if group.named:
        return group.title
    labels, more = pole_labels(group.positive if len(group.positive) else group.negative, FEW)
    text = ", ".join(labels) + ("…" if more else "")
    numbers = group.labels.dtype.kind in "iuf"  # which say nothing without their mode
    return f"{group.mode_name} {text}" if numbers else text


def _at_most(terms: Sequence[tuple[str, float]], n: int) -> list[tuple[str, float]]:
    """Return the largest terms in their order, and the others as one."""
    if len(terms) <= n:
        return list(terms)
    order = np.argsort([-abs(value) for _, value in terms], kind="stable")
    kept = set(order[: n - 1].tolist())
    rest = sum(value for at, (_, value) in enumerate(terms) if at not in kept)
    shown = [term for at, term in enumerate(terms) if at in kept]
    return [*shown, (f"{len(terms) - len(kept):,} more terms together", rest)]


def _draw_terms(ax: Axes, starts: ArrayLike, values: Sequence[float]) -> None:
    """Draw the bars below one another, each from where the one before ended."""
    places = np.arange(1, len(values) + 1)
    shades = inks(ax)
    ax.barh(places, values, left=starts, height=0.7, **looks_of(values, shades))
    ends = np.asarray(starts) + values
    ax.vlines(starts, places - 1.0, places, color=shades.muted, linewidth=0.8, zorder=0)
    write_at_ends(ax, places, ends, np.asarray(values) < 0.0, [amount(value) for value in values])


def _draw_marks(ax: Axes, begin: float, total: float, terms: int) -> None:
    """Draw where the sum begins and where it ends, which need not be near zero."""
    shades = inks(ax)
    ax.vlines([total], terms, terms + 1, color=shades.muted, linewidth=0.8, zorder=0)
    ax.plot([begin, total], [0, terms + 1], "D", color=shades.ink, linestyle="none")
    texts = [amount(value).removeprefix("+") for value in (begin, total)]
    write_at_ends(ax, [0, terms + 1], [begin, total], [False, False], texts, away=1.0)
