"""The relations, each with its groups side by side: labelled bars, higher and lower apart."""

from __future__ import annotations

from vest_tucker.reading.groups import Group, Relation
from vest_tucker.report.html import Html, label, tag
from vest_tucker.report.numbers import count, percent, signed, with_unit
from vest_tucker.report.sections.bars import bars
from vest_tucker.report.sections.words import address, direction, listed
from vest_tucker.report.sections.words import title as title_of
from vest_tucker.report.tables import ModelTables
from vest_tucker.report.tabular import fold, section

MOST_OPEN = 10  # relations that are not folded up


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
            " Labels on the same side of two groups go together: where they meet, values are "
            "higher, and lower where labels of opposite sides do."
        )
    if tables.model.entries is not None:
        intro += " The largest come first, but labels with few entries step back, here as in texts."
    shown_ = "" if tables.n_relations == len(told) else (
        f" {len(told):,} of {tables.n_relations:,} relations are shown; all are in the table to "
        f"download."
    )  # fmt: skip
    silent = tables.reading.n_negligible
    if silent:
        more = f" {count(silent, 'more relation adds', 'more relations add')}"
        shown_ += f"{more} next to nothing to any value."
    cards = [_card(tables, rank, each) for rank, each in enumerate(told, 1)]
    weaker = cards[MOST_OPEN:]
    if weaker:
        cards[MOST_OPEN:] = [fold(count(len(weaker), "weaker relation"), *weaker)]
    return section("relations", title, tag("p", intro, shown_), *cards)


def _has_errors(tables: ModelTables) -> bool:
    return tables.model.factor_variances is not None


def _card(tables: ModelTables, rank: int, relation: Relation) -> Html:
    anchor = address(relation)
    heading = tag(
        "header", tag("span", f"{rank}", class_="rank", aria_hidden="true"),
        tag("h3", title_of(relation), id=f"{anchor}-title"),
        tag("span", with_unit(signed(relation.size), tables.unit), class_="size"),
    )  # fmt: skip
    facts = [
        label(relation.title),
        f". {direction(relation, tables.unit)} where these meet.",
    ]
    if relation.share == relation.share:
        facts.append(
            f" Without it, the error would grow by {percent(relation.share)} of the variation."
        )
    silent = [group.mode_name for group in relation.groups if group.constant]
    if silent:
        facts.append(f" It holds whatever the {listed(silent)}.")
    sides = [_group(tables, group) for group in relation.told]
    return tag(
        "article", heading, tag("p", *facts, class_="quiet"), tag("div", *sides, class_="groups"),
        class_="relation", id=anchor, aria_labelledby=f"{anchor}-title",
    )  # fmt: skip


def _group(tables: ModelTables, group: Group) -> Html:
    mode = tag("span", f"{group.mode_name} ", class_="quiet") if group.named else ""
    link = tag("a", label(group.title), href=f"#group-{group.mode}-{group.component}")
    size = tag("span", f" · {len(group):,} of {tables.modes[group.mode].size:,}", class_="quiet")
    return tag("div", tag("h4", mode, link, size), *bars(tables, group), class_="group")
