"""A group of labels, and a relation between groups: the plain tables that everything is told from.

A *group* is a component of a mode, as the labels that belong to it; a *relation* says how much its
groups have to do with each other, in the unit of the values.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Counts, Floats, Labels


@dataclass(frozen=True, eq=False)
class Group:
    """A component of a mode: its labels, the largest magnitudes of weights first.

    Labels of weight zero do not belong to it, nor do those of less than a hundredth of the largest.

    Attributes
    ----------
    mode : int
    mode_name : str
    component : int
    title : str
        The name that it was given, or mode and number, as "dish 2".
    constant : bool
        Whether it is the constant column: it stands for whatever label, and lists none.
    rows : ndarray of int
        The numbers of the labels' rows.
    labels : ndarray
    weights : ndarray of float
        Elements of the factor, the column positive on balance: its first side carries more.
    scale : float
        What a weight of 1 adds to a prediction at typical partners, in the unit of the values.
    counts : ndarray of int, or None
        How many entries each label had in the fit.
    places : ndarray of int, or None
        The place of each label in the order of all labels of the mode; None if they have none.
    typical : float
        The root mean square of the weights over the entries: what is typical of the group, a side
        that carries little left out.
    n_labels : int
        How many labels the mode has in all.
    """

    mode: int
    mode_name: str
    component: int
    title: str
    constant: bool
    rows: NDArray[np.intp]
    labels: Labels
    weights: Floats
    scale: float
    counts: Counts | None
    places: NDArray[np.intp] | None
    typical: float
    n_labels: int
    texts: dict[Any, Any] = field(default_factory=dict, repr=False)  # what captions have made of it

    @property
    def effects(self) -> Floats:
        """What each label adds to a prediction at typical partners, in the unit of the values."""
        return self.weights * self.scale

    @property
    def positive(self) -> Group:
        """The labels of positive weight."""
        return self.chosen(self.weights > 0.0)

    @property
    def negative(self) -> Group:
        """The labels of negative weight."""
        return self.chosen(self.weights < 0.0)

    @property
    def strongest(self) -> tuple[float, float]:
        """The largest magnitudes of weights on the side that is told first, and on the other."""
        for_, against = (float((sign * self.weights).max(initial=0.0)) for sign in (1.0, -1.0))
        return (for_, against) if for_ else (against, 0.0)

    @property
    def named(self) -> bool:
        """Whether it was given a name."""
        return self.title != f"{self.mode_name} {self.component}"

    def chosen(self, which: Any) -> Group:
        """Return the group of some of its labels alone, given as flags or positions."""
        return dataclasses.replace(
            self, rows=self.rows[which], labels=self.labels[which], weights=self.weights[which],
            counts=None if self.counts is None else self.counts[which],
            places=None if self.places is None else self.places[which], texts={},
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.rows)


class Meeting(NamedTuple):
    """Sides of the told groups of a relation that meet.

    ``most`` is the largest magnitude of what is added there, ``second`` says of which groups it is
    the second side.
    """

    most: float
    second: tuple[bool, ...]

    def and_first(self, weight: float) -> Meeting:
        """Return what it is if the first side of one more group meets these."""
        return Meeting(self.most * weight, (*self.second, False))

    def and_second(self, weight: float) -> Meeting:
        """Return what it is if the second side of one more group meets these."""
        return Meeting(self.most * weight, (*self.second, True))


def _most(meeting: Meeting) -> float:
    return meeting.most


@dataclass(frozen=True, eq=False)
class Relation:
    """A core element that is not zero, and the groups that it joins.

    Attributes
    ----------
    index : tuple of int
        Its place in the core.
    groups : tuple of Group
        One per mode; their effects are those in this relation.
        At most one of them is turned: its weights have the opposite signs of the column's, so that
        labels on the same side go together. One that was given a name never is.
    value : float
        The core element, its sign that of the groups as they are shown.
    size : float
        What it adds where all labels are typical of their groups, in the unit of the values; no
        more than `peak`, which may be less where the second side of a group is the stronger one.
        Negative only if no group can be turned: each has a name, or no second side that carries
        half as much as the first.
    growth, share : float
        By how much the squared error grows without it, and that relative to what the mean leaves;
        NaN if that was not measured.
    error_without : float
        The relative error (RE) without it; NaN if that was not measured.
    """

    index: tuple[int, ...]
    groups: tuple[Group, ...]
    value: float
    size: float
    growth: float = math.nan
    share: float = math.nan
    error_without: float = math.nan

    @property
    def told(self) -> tuple[Group, ...]:
        """The groups that are told: those at a constant column mean whatever label."""
        return tuple(group for group in self.groups if not group.constant)

    @property
    def order(self) -> int:
        """Of how many modes it speaks."""
        return len(self.told)

    @property
    def peak(self) -> float:
        """The largest of what it adds with the sign of its size: where its sides meet as told.

        This is more than the size where weights differ.
        """
        return math.copysign(self.strongest[0].most, self.value)

    @property
    def opposite(self) -> float:
        """The largest of what it adds with the other sign; 0 if there is none."""
        return math.copysign(self.strongest[1].most, -self.value)

    @property
    def first(self) -> float:
        """The largest of what it adds where the first sides of all groups meet."""
        return math.prod((group.strongest[0] for group in self.told), start=self.value)

    @cached_property
    def strongest(self) -> tuple[Meeting, Meeting]:
        """Where most is added with the sign of the size, and with the other."""
        same, other = Meeting(abs(self.value), ()), Meeting(0.0, ())
        for group in self.told:
            first, second = group.strongest
            same, other = (
                max(same.and_first(first), other.and_second(second), key=_most),
                max(other.and_first(first), same.and_second(second), key=_most),
            )
        return same, other

    @property
    def title(self) -> str:
        """The titles of its groups together."""
        return " × ".join(group.title for group in self.told)
