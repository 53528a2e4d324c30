"""What belongs to single labels, whatever their partners: effects of one mode, and biases."""

from __future__ import annotations

import math

from vest_tucker.reading.effects import Effects
from vest_tucker.report.html import Html, join, label, shortened, tag
from vest_tucker.report.numbers import percent, shown, signed, with_unit
from vest_tucker.report.sections.bars import bars
from vest_tucker.report.tables import ModelTables
from vest_tucker.report.tabular import section

FEW = 3  # labels on either side in a sentence


def effects(tables: ModelTables) -> Html | None:
    """Return the section about single labels; None if the model has nothing of the kind."""
    if not tables.effects:
        return None
    intro = (
        "What a label adds to a value whatever its partners are. Everything that depends on "
        "partners is a relation, further down."
    )
    cards = tag("div", *(_card(tables, each) for each in tables.effects), class_="groups")
    return section("effects", "What single labels do", tag("p", intro), cards)


def _card(tables: ModelTables, each: Effects) -> Html:
    facts = [f"typically ±\u202f{with_unit(shown(each.spread), tables.unit)}"]
    if math.isfinite(each.share):
        facts.append(f"without them the error would grow by {percent(each.share)} of the variation")
    return tag(
        "div", tag("h3", label(each.title), id=address(each)),
        tag("p", "; ".join(facts), class_="quiet"), *bars(tables, each.group), class_="group",
    )  # fmt: skip


def effects_sentence(each: Effects, unit: str = "") -> Html:
    """Return which labels raise values most by themselves, and which lower them."""
    sides = []
    for word, up in (("higher", True), ("lower", False)):
        told = [
            join(
                [tag("b", shortened(text, 60), dir="auto"), f" ({with_unit(signed(effect), unit)})"]
            )
            for text, effect in each.pole(up=up, n=FEW)
        ]
        if told:
            sides.append(join([f"{word} with ", join(told, ", ")]))
    return join([f"By {each.group.mode_name} alone, values are ", join(sides, ", and "), "."])


def address(each: Effects) -> str:
    """Return the anchor of effects in the page."""
    return f"effects-{each.group.mode}-{max(each.group.component, 0)}-{each.kind}"
