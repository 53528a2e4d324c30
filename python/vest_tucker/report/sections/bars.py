"""The labels of a group as bars: higher and lower apart, or in their own order if they have one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.reading.captions import most_reliable
from vest_tucker.reading.groups import Group
from vest_tucker.report import svg
from vest_tucker.report.html import Html, join, label, tag
from vest_tucker.report.numbers import signed
from vest_tucker.report.tables import ModelTables, texts

MOST_LABELS = 8  # of one side of a group
MOST_ORDERED = 60  # labels of a profile


def bars(tables: ModelTables, group: Group) -> Iterator[Html]:
    """Yield what each label of a group adds, in the unit of the values."""
    if not len(group):
        yield tag("p", "no label", class_="whatever")
        return
    facts = tables.modes[group.mode]
    if facts.places is not None and 3 < facts.size <= MOST_ORDERED:
        yield _profile(tables, group)
        return
    sides = [
        ("higher", group.chosen(group.effects > 0.0)),
        ("lower", group.chosen(group.effects < 0.0)),
    ]
    sides = [(word, side.chosen(most_reliable(side))) for word, side in sides]
    both = all(len(side) for _, side in sides)
    # The lines of errors have room, too.
    parts = [side.chosen(slice(MOST_LABELS)) for _, side in sides]
    largest = max(
        float((np.abs(part.effects) + 2.0 * _errors(tables, part)).max(initial=0.0))
        for part in parts
    )
    for word, side in sides:
        if len(side):
            yield _side(tables, side, word if both or word == "lower" else "", largest)


def _side(tables: ModelTables, side: Group, word: str, largest: float) -> Html:
    part = side.chosen(slice(MOST_LABELS))
    errors = _errors(tables, part)
    rows = [
        tag(
            "tr", tag("th", label(text, class_="clamp"), scope="row"),
            tag("td", svg.bar(effect, largest, error), class_="bar"),
            tag("td", signed(effect), class_="number"),
        )
        for text, effect, error in zip(
            texts(part.labels), part.effects.tolist(), errors.tolist(), strict=True
        )
    ]  # fmt: skip
    more = len(side) - len(part)
    if more:
        rows.append(tag("tr", tag("td", f"and {more:,} more", class_="quiet", colspan="3")))
    spoken = tag("span", f"{side.title}, what each label adds", class_="hidden-text")
    # The unit stands here, once: beside each number it would not fit.
    heads = [f"{word} with these"] * bool(word) + [f"in {tables.unit}"] * bool(tables.unit)
    caption = tag("caption", f"{', '.join(heads)} " if heads else "", spoken)
    return tag("table", caption, tag("tbody", *rows), class_="bars")


def _errors(tables: ModelTables, group: Group) -> Floats:
    """Return the standard errors of what labels add, zero if they are not known."""
    variances = tables.model.factor_variances
    if variances is None or group.component < 0:  # biases have none
        return np.zeros(len(group))
    errors: Floats = np.sqrt(variances[group.mode][group.rows, group.component]) * abs(group.scale)
    return errors


def _profile(tables: ModelTables, group: Group) -> Html:
    """Return a group of labels with an order as columns, zeros included."""
    labels, places = tables.modes[group.mode].labels, tables.modes[group.mode].places
    assert places is not None
    values = np.zeros(len(labels))
    values[group.rows] = group.effects
    errors = np.zeros(len(labels))
    errors[group.rows] = _errors(tables, group)
    order = np.argsort(places, kind="stable")
    strongest = ", ".join(
        f"{text} {signed(effect)}"
        for text, effect in zip(texts(group.labels[:5]), group.effects[:5].tolist(), strict=True)
    )
    unit = f", in {tables.unit}" if tables.unit else ""
    title = f"{group.title}: what each label adds{unit}; the most, {strongest}"
    drawn = svg.profile(texts(labels[order]), values[order].tolist(), title, errors[order].tolist())
    return join([drawn, tag("p", f"in {tables.unit}", class_="quiet")]) if tables.unit else drawn
