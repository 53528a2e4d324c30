"""Groups of labels and relations in words: a few labels, ranges of hours or dates, two poles."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Floats
from vest_tucker.data.label_arrays import listed
from vest_tucker.reading.groups import Group, Relation
from vest_tucker.reading.ordinals import label_texts, ranges, runs

LABELS = 3  # labels that stand for a group
MOST_OF_IT = 0.9  # the share of its squared weights that the ranges of a group cover
CONSIDERABLE = 0.25  # of the largest weight of a group: what belongs into its ranges
FEW_RANGES = 3  # that say more than the strongest labels
LONG_RUNS = 1.5  # labels of a run on average, beside those by chance, for them to be told as ranges
EVERY = ("every ", "almost every ")
ALMOST = 0.9  # the share of a mode's labels that is almost every one
TIMES = " × "
MORE = 1.05  # what differs from a size enough to be told


def caption(group: Group, labels: int = LABELS) -> str:
    """Say which labels a group has: its name if it was given one, otherwise the first few.

    Labels of negative weight are told apart, after "against".
    """
    if group.named:
        return group.title
    text = labels_text(group, labels)
    numbers = group.labels.dtype.kind in "iuf"  # which say nothing without their mode
    return f"{group.mode_name} {text}" if numbers and not text.startswith(EVERY) else text


def labels_text(group: Group, labels: int = LABELS) -> str:
    """Say which labels a group has, whatever its name, those of negative weight apart."""
    key = ("labels", labels)
    if key not in group.texts:
        group.texts[key] = _labels_text(group, labels)
    text: str = group.texts[key]
    return text


def _labels_text(group: Group, labels: int) -> str:
    if len(group) > max(labels, ALMOST * group.n_labels) and not (group.weights < 0.0).any():
        few, more = pole_labels(group, labels)
        if more:
            every = EVERY[0] if len(group) == group.n_labels else EVERY[1]
            return f"{every}{group.mode_name}, most of all {', '.join(few)}"
    for_, against = pole_texts(group, labels)
    return f"{for_} against {against}" if for_ and against else for_ or against


def pole_texts(group: Group, labels: int) -> tuple[str, str]:
    """Return the first few labels of positive and of negative weight; "" if there are none."""
    key = ("poles", labels)
    if key not in group.texts:  # relations share groups, and these may be long
        poles = (group.positive, group.negative)
        group.texts[key] = tuple(pole_text(pole, labels) for pole in poles)
    for_, against = group.texts[key]
    return for_, against


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
    order = most_reliable(pole)
    if pole.places is not None:
        kept = _in_strongest_runs(pole, pole.places, order, labels)
        if kept is not None:
            shown = ranges(pole.labels[kept], pole.places[kept])
            return shown, len(pole) - len(kept)
    shown = label_texts(listed(pole.labels[order[:labels]]))
    return shown, len(pole) - len(shown)


def _in_strongest_runs(
    pole: Group, places: NDArray[np.intp], order: NDArray[np.intp], most: int
) -> NDArray[np.intp] | None:
    """Return the positions of the labels in the few runs that weigh most.

    None if the labels that make up most of the pole are scattered: their order says nothing then.
    """
    weights = pole.weights / np.abs(pole.weights).max()
    covered = np.cumsum(weights[order] ** 2)
    most_of_it = order[: int(np.searchsorted(covered, MOST_OF_IT * covered[-1])) + 1]
    marked = np.union1d(most_of_it, np.flatnonzero(np.abs(weights) >= CONSIDERABLE))
    for kept in (marked, most_of_it):
        kept = kept[np.argsort(places[kept], kind="stable")]
        found = runs(places[kept])
        if len(found) == 1 or len(found) <= min(FEW_RANGES, len(kept) - 1):
            break
    by_chance = 1.0 - len(kept) / max(pole.n_labels, len(kept) + 1)  # runs for each label
    scattered = len(found) > by_chance * len(kept) / LONG_RUNS
    if len(found) > min(FEW_RANGES, max(1, len(kept) - 1)) and scattered:
        return None
    found.sort(key=lambda run: -float((weights[kept[run[0] : run[1] + 1]] ** 2).sum()))
    return np.concatenate([kept[first : last + 1] for first, last in found[:most]])


def most_reliable(group: Group) -> NDArray[np.intp]:
    """Return the positions of labels in the order in which everything names and draws them.

    The largest weights first, but those of labels with few entries count less.
    """
    return np.argsort(-reliable_weights(group), kind="stable")


def reliable_weights(group: Group) -> Floats:
    """Return magnitudes that count the less the fewer entries a label has.

    A label with as many entries as half of the group's labels counts half; one that was seen
    twice in a group of thousands hardly at all.
    """
    sizes = np.abs(group.weights)
    if group.counts is None or not len(group):
        return sizes
    reliable: Floats = sizes * (group.counts / (group.counts + usual_entries(group)))
    return reliable


def usual_entries(group: Group) -> float:
    """Return how many entries the labels of a group usually have: their median, 1 at least."""
    if group.counts is None or not len(group):
        return 1.0
    return max(float(np.median(group.counts)), 1.0)


def amount(value: float, digits: int = 3) -> str:
    """Return a number with its sign and a few digits, as "+23" or "-0.125".

    Examples
    --------
    >>> amount(23.04), amount(-0.1254), amount(12345.6)
    ('+23', '-0.125', '+12,346')
    """
    short = f"{value:+.{digits}g}"
    return f"{value:+,.0f}" if abs(float(short)) >= 10**digits else short


def mostly_opposite(relation: Relation) -> bool:
    """Return whether a relation adds more with the sign that is not that of its size."""
    return abs(relation.opposite) > MORE * abs(relation.peak)


def size_text(relation: Relation, unit: str = "") -> str:
    """Return how much a relation adds at typical labels, and at the strongest ones if that differs.

    As "+3.71 min, up to +13.1", or "+3.71 min, from -20.2 to +13.1" if most is added the other way.
    """
    size, peak = f"{amount(relation.size)} {unit}".rstrip(), amount(relation.peak)
    if mostly_opposite(relation):
        least, most = sorted((relation.peak, relation.opposite))
        return f"{size}, from {amount(least)} to {amount(most)}"
    return f"{size}, up to {peak}" if abs(relation.peak) > MORE * abs(relation.size) else size


def percent(share: float) -> str:
    """Return a share in percent, as people read it.

    Examples
    --------
    >>> percent(0.314), percent(0.004), percent(0.0004), percent(-0.2), percent(float("nan"))
    ('31 %', '0.4 %', '<0.1 %', '-20 %', '')
    """
    if math.isnan(share):
        return ""
    hundred = 100.0 * share
    if hundred and abs(hundred) < 0.1:
        return "<0.1 %"
    return f"{hundred:.0f} %" if abs(hundred) >= 1.0 or not hundred else f"{hundred:.1f} %"
