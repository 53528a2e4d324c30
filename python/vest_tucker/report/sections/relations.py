"""The relations, each with its groups side by side: labelled bars, higher and lower apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.reading.relations import Group, Relation
from vest_tucker.report import svg
from vest_tucker.report.html import Html, label, tag
from vest_tucker.report.numbers import percent, signed
from vest_tucker.report.sections.words import address, sentence
from vest_tucker.report.tables import ModelTables, texts
from vest_tucker.report.tabular import section

MOST_LABELS = 8  # of one side of a group
MOST_ORDERED = 60  # labels of a profile


def relations(tables: ModelTables) -> Html:
    """Return the section with a part for each relation."""
    title = "What belongs together"
    told = tables.relations
    if not told:
        return section("relations", title, tag("p", "The model has no relations."))
    intro = (
        "A relation joins one group of labels of each mode. Bars show what each label adds to a "
        "value when its partners are typical of their groups, in the unit of the values"
    )
    intro += "; the thin lines are two standard errors." if _has_errors(tables) else "."
    if any((group.weights < 0.0).any() for each in told for group in each.told):
        intro += (
            " Where a group has labels on both sides, the sides are opposites: among partners from "
            "the other side, higher and lower change places."
        )
    shown_ = "" if tables.n_relations == len(told) else (
        f" {len(told):,} of {tables.n_relations:,} relations are shown; all are in the table to "
        f"download."
    )  # fmt: skip
    cards = [_card(tables, rank, each) for rank, each in enumerate(told, 1)]
    return section("relations", title, tag("p", intro, shown_), *cards)


def _has_errors(tables: ModelTables) -> bool:
    return tables.model.factor_variances is not None


def _card(tables: ModelTables, rank: int, relation: Relation) -> Html:
    anchor = address(relation)
    heading = tag(
        "header", tag("span", f"{rank}", class_="rank", aria_hidden="true"),
        tag("h3", label(relation.title), id=f"{anchor}-title"),
        tag("span", signed(relation.size), class_="size", title="where all labels are typical"),
    )  # fmt: skip
    facts = [sentence(relation)]
    if relation.share == relation.share:
        facts.append(Html(f" Without it, {percent(relation.share)} of the variation would be lost."))
    sides = [_group(tables, group) for group in relation.groups]
    return tag(
        "article", heading, tag("p", *facts, class_="quiet"), tag("div", *sides, class_="groups"),
        class_="relation", id=anchor, aria_labelledby=f"{anchor}-title",
    )  # fmt: skip


def _group(tables: ModelTables, group: Group) -> Html:
    mode = tag("span", f"{group.mode_name} ", class_="quiet") if group.named else ""
    if group.constant:
        title = tag("h4", tag("span", group.mode_name, dir="auto"))
        return tag("div", title, tag("p", f"whatever the {group.mode_name}", class_="whatever"), class_="group")
    link = tag("a", label(group.title), href=f"#group-{group.mode}-{group.component}")
    size = tag("span", f" · {len(group):,} of {tables.modes[group.mode].size:,}", class_="quiet")
    return tag("div", tag("h4", mode, link, size), *_bars(tables, group), class_="group")


def _bars(tables: ModelTables, group: Group) -> Iterator[Html]:
    if not len(group):
        yield tag("p", "no label", class_="whatever")
        return
    if group.places is not None and 3 < tables.modes[group.mode].size <= MOST_ORDERED:
        yield _profile(tables, group)
        return
    largest = float(np.abs(group.effects).max())
    sides = [("higher", group.chosen(group.effects > 0.0)), ("lower", group.chosen(group.effects < 0.0))]
    both = all(len(side) for _, side in sides)
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
    caption = tag("caption", f"{word} with these " if word else "", spoken)
    return tag("table", caption, tag("tbody", *rows), class_="bars")


def _errors(tables: ModelTables, group: Group) -> Floats:
    """Return the standard errors of what labels add, zero if they are not known."""
    variances = tables.model.factor_variances
    if variances is None:
        return np.zeros(len(group))
    errors: Floats = np.sqrt(variances[group.mode][group.rows, group.component]) * abs(group.scale)
    return errors


def _profile(tables: ModelTables, group: Group) -> Html:
    """Return a group of labels with an order as columns, zeros included."""
    labels, places = tables.modes[group.mode].labels, tables.modes[group.mode].places
    assert places is not None
    values = np.zeros(len(labels))
    values[group.rows] = group.effects
    order = np.argsort(places, kind="stable")
    strongest = ", ".join(
        f"{text} {signed(effect)}"
        for text, effect in zip(texts(group.labels[:5]), group.effects[:5].tolist(), strict=True)
    )
    title = f"{group.title}: what each label adds; the most, {strongest}"
    return svg.profile(texts(labels[order]), values[order].tolist(), title)


