"""Relations in words: where values are higher or lower, by how much, and short titles."""

from __future__ import annotations

from collections.abc import Sequence

from vest_tucker.reading.captions import MORE, mostly_opposite
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
    """Return where values are higher or lower because of a relation, and by how much.

    Each amount is told with the sides of groups where it is reached.
    """
    word, other = _words(relation)
    same, against = relation.strongest
    if mostly_opposite(relation):
        most, least = _up_to(relation.peak, word, unit), _up_to(relation.opposite, other, unit)
        return join([
            "Values are ", most, " where ", _places(relation, same.second), "; ",
            least, " where ", _places(relation, against.second, unlike=same.second), ".",
        ])  # fmt: skip
    first = (False,) * len(relation.told)
    told = ["Values are ", _sized(relation.size, relation.first, word, unit), " where "]
    told.append(_places(relation, first))
    if any(same.second):
        told += ["; ", _up_to(relation.peak, word, unit), " where "]
        told.append(_places(relation, same.second, unlike=first))
    return join([*told, ".", *_opposite(relation)])


def _places(relation: Relation, second: Sequence[bool], unlike: Sequence[bool] = ()) -> Html:
    """Return which labels groups have on their first or second sides.

    Groups whose side is the same as in ``unlike`` were told before, and are left out.
    """
    told = [
        (group, is_second)
        for n, (group, is_second) in enumerate(zip(relation.told, second, strict=True))
        if not unlike or is_second != unlike[n]
    ]
    return join([_place(group, is_second=is_second) for group, is_second in told], ", and ")


def _place(group: Group, *, is_second: bool) -> Html:
    named = join(["“", label(group.title), "”: "]) if group.named and not is_second else Html("")
    shown_, more = first_labels(group.negative if is_second else group)
    rest = f" and {more:,} more" if more else ""
    return join([group.mode_name, " is ", named, tag("b", ", ".join(shown_), dir="auto"), rest])


def _opposite(relation: Relation) -> list[Html]:
    """Return whose labels turn a relation around: those on the other side of a group."""
    for group in relation.told:
        if len(group.positive) and len(group.negative):
            return [join([" The opposite holds where ", _place(group, is_second=True), "."])]
    return []


def direction(relation: Relation, unit: str = "") -> str:
    """Say how much higher or lower values are because of a relation, wherever its sides meet.

    That is where labels are typical of their groups, and where they are the strongest, if that
    differs.
    """
    word, other = _words(relation)
    if mostly_opposite(relation):
        up, down = _up_to(relation.peak, word, unit), _up_to(relation.opposite, other, unit)
        return f"Values are {up}, and {down},"
    return f"Values are {_sized(relation.size, relation.peak, word, unit)}"


def _words(relation: Relation) -> tuple[str, str]:
    """Return what values are where first sides meet, and what they are at the opposite."""
    # A group with negative weights alone turns the sign of what its labels add around.
    flipped = sum(not len(group.positive) for group in relation.told) % 2 == 1
    return ("higher", "lower") if (relation.size > 0.0) != flipped else ("lower", "higher")


def _sized(size: float, most: float, word: str, unit: str) -> str:
    """Say by how much values differ at typical labels, and at most; never by more than that."""
    if abs(size) > MORE * abs(most):  # the labels named are the weak side
        return _up_to(most, word, unit)
    typical = with_unit(shown(min(abs(size), abs(most))), unit)
    if abs(most) > MORE * abs(size):
        return f"typically {typical} {word}, up to {with_unit(shown(abs(most)), unit)},"
    return f"about {typical} {word}"


def _up_to(most: float, word: str, unit: str) -> str:
    return f"up to {with_unit(shown(abs(most)), unit)} {word}"


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
