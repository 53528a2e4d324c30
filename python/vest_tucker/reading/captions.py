"""Groups of labels and relations in words: a few labels, ranges of hours or dates, two poles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Floats
from vest_tucker.reading.ordinals import label_text, ranges, runs
from vest_tucker.reading.relations import Group, Relation

LABELS = 3  # labels that stand for a group
MOST_OF_IT = 0.9  # the share of its squared weights that the ranges of a group cover
TIMES = " × "


def caption(group: Group, labels: int = LABELS) -> str:
    """Say which labels a group has: its name if it was given one, otherwise the first few.

    Labels of negative weight are told apart, after "against".
    """
    if group.named:
        return group.title
    for_, against = (pole_text(pole, labels) for pole in (group.positive, group.negative))
    poles = f"{for_} against {against}" if for_ and against else for_ or against
    numbers = group.labels.dtype.kind in "iuf"  # which say nothing without their mode
    return f"{group.mode_name} {poles}" if numbers else poles


def relation_caption(relation: Relation, labels: int = LABELS) -> str:
    """Say which groups a relation joins; a mode that it does not speak of is left out."""
    return TIMES.join(caption(group, labels) for group in relation.told)


def pole_text(pole: Group, labels: int = LABELS) -> str:
    """Return the first few labels of one pole, and how many more there are."""
    shown, more = pole_labels(pole, labels)
    return ", ".join(shown) + (f" and {more:,} more" if more and shown else "")


def pole_labels(pole: Group, labels: int = LABELS) -> tuple[list[str], int]:
    """Return the first few labels of one pole as text, and the number of those left out.

    Labels with an order are told as ranges, in this order: the strongest ones that together make
    up most of the pole.
    """
    if not len(pole):
        return [], 0
    order = np.argsort(-reliable_weights(pole), kind="stable")
    if pole.places is None:
        shown = [label_text(label) for label in pole.labels[order[:labels]].tolist()]
        return shown, len(pole) - len(shown)
    squares = pole.weights[order] ** 2
    covered = np.cumsum(squares) / max(float(squares.sum()), np.finfo(float).tiny)
    kept = order[: int(np.searchsorted(covered, MOST_OF_IT)) + 1]
    kept = _strongest_runs(pole, kept, labels)
    chosen = pole.chosen(kept)
    assert chosen.places is not None
    return ranges(chosen.labels, chosen.places), len(pole) - len(chosen)


def _strongest_runs(pole: Group, kept: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return the positions of the labels in the few runs that weigh most."""
    assert pole.places is not None
    ordered = kept[np.argsort(pole.places[kept], kind="stable")]
    found = runs(pole.places[ordered])
    weights = pole.weights[ordered] ** 2
    found.sort(key=lambda run: -float(weights[run[0] : run[1] + 1].sum()))
    return np.concatenate([ordered[first : last + 1] for first, last in found[:most]])


def reliable_weights(group: Group) -> Floats:
    """Return magnitudes that count the less the fewer entries a label has.

    A label with as many entries as half of the group's labels counts half; one that was seen
    twice in a group of thousands hardly at all.
    """
    sizes = np.abs(group.weights)
    if group.counts is None or not len(group):
        return sizes
    usual = max(float(np.median(group.counts)), 1.0)
    reliable: Floats = sizes * (group.counts / (group.counts + usual))
    return reliable


def amount(value: float, digits: int = 3) -> str:
    """Return a number with its sign and a few digits, as "+23" or "-0.125".

    Examples
    --------
    >>> amount(23.04), amount(-0.1254), amount(12345.6)
    ('+23', '-0.125', '+12,346')
    """
    if abs(value) >= 10**digits:
        return f"{value:+,.0f}"
    return f"{value:+.{digits}g}"
