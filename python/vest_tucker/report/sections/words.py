"""Relations in words: the sentence that says where values are higher or lower, and by how much."""

from __future__ import annotations

from collections.abc import Sequence

from vest_tucker.reading.captions import pole_text
from vest_tucker.reading.relations import Group, Relation
from vest_tucker.report.html import Html, join, label, tag
from vest_tucker.report.numbers import shown


def listed(parts: Sequence[str]) -> str:
    """Return names in a row, the last one after "and".

    Examples
    --------
    >>> listed(["person", "dish", "hour"]), listed(["dish"])
    ('person, dish and hour', 'dish')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def few_labels(group: Group) -> str:
    """Return the strongest labels of a group: those of positive weight if there are any."""
    return pole_text(group.positive) or pole_text(group.negative)


def sentence(relation: Relation) -> Html:
    """Return where values are higher or lower because of a relation, and by how much."""
    # A group with negative weights alone turns the sign of what its labels add around.
    flipped = sum(not len(group.positive) for group in relation.told) % 2 == 1
    direction = "higher" if (relation.size > 0.0) != flipped else "lower"
    where = []
    for group in relation.told:
        name: object = Html("")
        if group.named:
            name = join([Html("“"), label(group.title), Html("”: ")])
        where.append(join([group.mode_name, " is ", name, tag("b", few_labels(group), dir="auto")]))
    start = f"Values are {direction} by about {shown(abs(relation.size))} where "
    return join([start, join(where, ", and "), "."])


def address(relation: Relation) -> str:
    """Return the anchor of a relation in the page.

    Examples
    --------
    >>> address(Relation((0, 2), (), 1.0, 1.0))
    'relation-0-2'
    """
    return "-".join(["relation", *map(str, relation.index)])
