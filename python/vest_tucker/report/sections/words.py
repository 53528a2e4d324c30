"""Relations in words: where values are higher or lower, by how much, and short titles."""

from __future__ import annotations

from collections.abc import Sequence

from vest_tucker.reading.captions import LESS, MORE, mostly_opposite
from vest_tucker.reading.groups import Group, Relation
from vest_tucker.report.html import Html, join, label, tag
from vest_tucker.report.numbers import shown, with_unit
from vest_tucker.report.tables import few_labels, first_labels, short_title


def listed(parts: Sequence[str]) -> str:
    """Return names in a row, the last one after "and".

    Examples
    --------
    >>> listed(["person", "dish", "hour"]), listed(["dish"])
    ('person, dish and hour', 'dish')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def sentence(relation: Relation, unit: str = "") -> Html:
    """Return where values are higher or lower because of a relation, and by how much."""
    where = []
    for group in relation.told:
        named = join(["“", label(group.title), "”: "]) if group.named else Html("")
        shown_, more = first_labels(group)
        rest = f" and {more:,} more" if more else ""
        where.append(
            join([group.mode_name, " is ", named, tag("b", ", ".join(shown_), dir="auto"), rest])
        )
    return join(
        [f"{direction(relation, unit)} where ", join(where, ", and "), ".", *_opposite(relation)]
    )


def _opposite(relation: Relation) -> list[Html]:
    """Return whose labels turn a relation around: those on the other side of a group."""
    for group in relation.told:
        if len(group.positive) and len(group.negative):
            labels, more = first_labels(group.negative)
            rest = f" and {more:,} more" if more else ""
            text = tag("b", ", ".join(labels), dir="auto")
            return [join([" The opposite holds where ", group.mode_name, " is ", text, rest, "."])]
    return []


def direction(relation: Relation, unit: str = "") -> str:
    """Say how much higher or lower values are because of a relation.

    That is where labels are typical of their groups, and where they are the strongest, if that
    differs.
    """
    # A group with negative weights alone turns the sign of what its labels add around.
    flipped = sum(not len(group.positive) for group in relation.told) % 2 == 1
    word = "higher" if (relation.size > 0.0) != flipped else "lower"
    size, peak = (with_unit(shown(abs(each)), unit) for each in (relation.size, relation.peak))
    if mostly_opposite(relation):
        other, most = "lower" if word == "higher" else "higher", shown(abs(relation.opposite))
        up = shown(abs(relation.peak))
        return f"Values are typically {size} {word}, from {most} {other} to {up} {word},"
    if abs(relation.peak) < LESS * abs(relation.size):  # the labels named are the weak side
        return f"Values are up to {peak} {word}"
    if abs(relation.peak) > MORE * abs(relation.size):
        return f"Values are typically {size} {word}, up to {peak},"
    return f"Values are about {size} {word}"


def title(relation: Relation) -> Html:
    """Return a short title: the names that groups were given, or else their first labels."""
    return join([label(short_title(group)) for group in relation.told], " × ")


def group_cell(group: Group) -> Html:
    """Return what a table shows of a group: its title, which leads to it, and a few labels."""
    link = tag("a", label(group.title), href=f"#group-{group.mode}-{group.component}")
    return join([link, tag("div", few_labels(group), class_="quiet", dir="auto")])


def address(relation: Relation) -> str:
    """Return the anchor of a relation in the page.

    Examples
    --------
    >>> address(Relation((0, 2), (), 1.0, 1.0))
    'relation-0-2'
    """
    return "-".join(["relation", *map(str, relation.index)])
