"""Names and labels of the modes; turns labels into indices and back."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.base.errors import LabelError, ModeError
from vest_tucker.base.options import type_text
from vest_tucker.base.slips import MANY, alike, by_essence, nearest, nearest_essence
from vest_tucker.base.text_table import shorten, visible
from vest_tucker.base.types import Indices, Labels
from vest_tucker.data.label_arrays import (
    Lookup,
    first_repeat,
    label_array,
    look_alikes,
    nulls,
)
from vest_tucker.data.sources.dates import plain_text
from vest_tucker.data.sources.zones import local, zone_of

GivenLabels: TypeAlias = "ModeLabels | Mapping[str, Any] | Sequence[Any] | None"
SHOWN = 5  # labels named in a message
MOST_NAMES = 70  # of modes or columns in a message
LONGEST = 120  # characters of one of them
CUT = 1000  # characters of a label that are looked at for a message


class OwnLabels(tuple[Labels | None, ...]):
    """The labels of all modes, and which library's frame they came in; "" if in none."""

    library: str = ""


class ModeLabels:
    """What the modes of a tensor are called, and what their rows stand for.

    Parameters
    ----------
    order : int
        The number of modes N.
    names : sequence of str, optional
        Their names, all different; by default "mode_0", "mode_1", and so on.
    labels : sequence or dict, optional
        For each mode its labels in the order of its indices, all different, or None for a mode
        without labels. Or a dict with the labels of some modes by name.

    Examples
    --------
    >>> where = ModeLabels(2, ["user", "dish"], {"dish": ["soup", "rice"]})
    >>> where.encode("dish", ["rice", "soup", "tea"]).tolist()
    [1, 0, -1]
    >>> where.decode("dish", [0, 0, 1]).tolist()
    ['soup', 'soup', 'rice']
    >>> where.cell([4, 1])
    "(user=4, dish='rice')"
    """

    __slots__ = ("_essences", "_labels", "_lookups", "_names")

    def __init__(
        self, order: int, names: Iterable[str] | None = None, labels: GivenLabels = None
    ) -> None:
        self._names = _checked_names(names, order)
        given = self._by_mode(labels)
        self._labels = OwnLabels(
            None if each is None else _checked_labels(each, name)
            for each, name in zip(given, self._names, strict=True)
        )
        self._labels.library = getattr(given, "library", "")
        self._lookups: dict[int, Lookup] = {}
        self._essences: dict[int, dict[str, str]] = {}

    def _by_mode(self, labels: GivenLabels) -> Sequence[Any]:
        if labels is None:
            return (None,) * self.order
        if isinstance(labels, ModeLabels):
            labels = labels.labels
        if isinstance(labels, Mapping):
            by_mode = {self.number(name): each for name, each in labels.items()}
            return tuple(by_mode.get(mode) for mode in range(self.order))
        is_one = getattr(labels, "ndim", 1) == 0  # an array of no dimension is no list
        if isinstance(labels, str | set | frozenset) or is_one or not isinstance(labels, Iterable):
            raise LabelError(
                f"labels must be one list per mode, or a dict by mode, but are {labels!r}"
            )
        own = isinstance(labels, OwnLabels)
        per_mode = labels if own else list(islice(labels, 1000))  # not of range(10**9)
        if len(per_mode) != self.order:
            raise LabelError(
                f"there are labels for {len(per_mode)} modes but the tensor has {self.order}; give "
                f"None for a mode that has none, or a dict by mode"
            )
        return per_mode

    @property
    def order(self) -> int:
        """Number of modes N."""
        return len(self._names)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the modes."""
        return self._names

    @property
    def labels(self) -> tuple[Labels | None, ...]:
        """Labels of each mode in the order of its indices, read-only; None where it has none."""
        return self._labels

    @property
    def library(self) -> str:
        """The library of the frame that the labels came in, as "polars"; "" if in none."""
        return self._labels.library

    def of_library(self, name: str) -> ModeLabels:
        """Return the same names and labels as those of a frame of some library."""
        same = ModeLabels(self.order, self._names, self._labels)
        same._labels.library = name
        return same

    @property
    def are_default(self) -> bool:
        """Whether the modes have default names and no labels."""
        return self._names == default_names(self.order) and not any(
            each is not None for each in self._labels
        )

    def number(self, mode: str | int) -> int:
        """Return the number of a mode, given by its name or its number."""
        if isinstance(mode, str):
            if mode not in self._names:
                meant = perhaps(mode, np.array(self._names, dtype=object))
                raise ModeError(
                    f"there is no mode {show(mode)}{meant}; there are {listed(self._names)}"
                )
            return self._names.index(mode)
        try:
            return range(self.order)[operator.index(mode)]
        except (IndexError, TypeError):
            raise ModeError(
                f"there is no mode {mode!r}; give one of {listed(self._names)}, or a number from "
                f"0 to {self.order - 1}"
            ) from None

    def encode(self, mode: str | int, labels: ArrayLike | Iterable[object]) -> Indices:
        """Return the index of each label, -1 for a label that the mode does not have.

        Numbers are found by value whatever their type, dates and times whatever their unit. In a
        mode without labels the labels are the indices themselves: whole numbers from 0. The caller
        must check that they are small enough, because the number of rows is not known here.
        """
        number = self.number(mode)
        own = self._labels[number]
        wanted = label_array(labels)
        if own is None:
            return _as_indices(wanted)
        if number not in self._lookups:
            self._lookups[number] = Lookup(own)
        return self._lookups[number].find(wanted)

    def alike(self, mode: str | int, unseen: Iterable[object]) -> dict[str, str]:
        """Return for texts that are no labels of a mode those that differ in case and the like."""
        return alike(unseen, self._by_essence(mode))

    def nearest(self, mode: str | int, unseen: object) -> str | None:
        """Return the label of a mode that a text may be a slip of; None if none is near.

        In modes of very many labels none is looked for, which would take too long.
        """
        known = self._by_essence(mode)
        if not isinstance(unseen, str) or len(known) > MANY:
            return None
        return nearest_essence(unseen, known)

    def _by_essence(self, mode: str | int) -> dict[str, str]:
        number = self.number(mode)
        if number not in self._essences:
            self._essences[number] = by_essence(self._labels[number])
        return self._essences[number]

    def decode(self, mode: str | int, indices: ArrayLike) -> Labels:
        """Return the labels of indices; in a mode without labels the indices themselves."""
        own = self._labels[self.number(mode)]
        at = np.asarray(indices)
        return at.astype(np.int64) if own is None else own[at]

    def cell(self, indices: Iterable[int]) -> str:
        """Return one cell as messages show it: with names and labels if there are any."""
        if self.are_default:
            return str(tuple(int(index) for index in indices))
        parts = (
            f"{name}={index if own is None else show(_local(own, index))}"
            for name, own, index in zip(self._names, self._labels, indices, strict=True)
        )
        return f"({', '.join(parts)})"

    def shape(self, smallest: Sequence[int]) -> tuple[int, ...]:
        """Return the dimensions: the numbers of labels, or else what the coordinates need."""
        return tuple(
            dim if own is None else len(own)
            for dim, own in zip(smallest, self._labels, strict=True)
        )

    def require_shape(self, shape: Sequence[int]) -> None:
        """Raise unless every labelled mode has as many labels as rows."""
        for name, own, dim in zip(self._names, self._labels, shape, strict=True):
            if own is not None and len(own) != dim:
                raise LabelError(
                    f"mode {name!r} has {len(own):,} labels but the dimension {dim:,}; give one "
                    f"label per row, in the order of the indices"
                )

    def take(self, rows: Sequence[ArrayLike | None]) -> ModeLabels:
        """Return names and labels of chosen rows of each mode, in their order; None for all.

        Rows that had no labels get their old indices as labels, so that they can be recognised.
        """
        chosen = [
            own if at is None else self.decode(mode, at)
            for mode, (own, at) in enumerate(zip(self._labels, rows, strict=True))
        ]
        return ModeLabels(self.order, self._names, chosen)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ModeLabels):
            return NotImplemented
        return self._names == other._names and all(
            one is two or (one is not None and two is not None and np.array_equal(one, two))
            for one, two in zip(self._labels, other._labels, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        labelled = (
            name if own is None else f"{name}: {len(own):,} labels"
            for name, own in zip(self._names, self._labels, strict=True)
        )
        return f"ModeLabels({', '.join(labelled)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return ModeLabels, (self.order, self._names, self._labels)


def default_names(order: int) -> tuple[str, ...]:
    """Return the names of modes that were not given names."""
    return tuple(f"mode_{mode}" for mode in range(order))


def _local(own: Labels, index: int) -> object:
    """Return one label; of times in a zone, the local time."""
    return own[index] if zone_of(own) is None else local(own[[index]])[0]


def show(label: object) -> str:
    """Return one label as messages show it.

    Examples
    --------
    >>> show("soup"), show(np.int64(3)), show(np.datetime64("2021-05"))
    ("'soup'", '3', '2021-05')
    >>> show(np.datetime64("2021-05-01T00:00:00.000000000"))
    '2021-05-01'
    """
    if isinstance(label, str | bytes):
        return shorten(repr(label[:CUT]) if len(label) > CUT else repr(label), LONGEST)
    return shorten(visible(plain_text(label)), LONGEST)


def perhaps(label: object, known: Labels | None) -> str:
    """Ask whether another label was meant, as " (did you mean 'tea'?)"; "" if none is near.

    Examples
    --------
    >>> perhaps("Tea", np.array(["tea", "rye"], dtype=object))
    " (did you mean 'tea'?)"
    """
    near = nearest(label, known)
    return "" if near is None else f" (did you mean {show(near)}?)"


def show_some(labels: Iterable[object]) -> str:
    """Return the first few labels as messages show them, and how many more there are."""
    return some([show(label) for label in labels])


def some(texts: Sequence[str], most: int = SHOWN) -> str:
    """Return the first few texts as a message lists them, and how many more there are.

    Examples
    --------
    >>> some(["tea", "rye", "soup"], most=2)
    'tea, rye and 1 more'
    """
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def _checked_names(names: Iterable[str] | None, order: int) -> tuple[str, ...]:
    if names is None:
        return default_names(order)
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ModeError(f"modes must be a list of {order} names, but are {names!r}")
    checked: tuple[object, ...] = tuple(names)
    if len(checked) != order:
        raise ModeError(
            f"{len(checked)} names of modes {listed(checked)} for a tensor with {order} modes; "
            f"give one per mode"
        )
    for mode, name in enumerate(checked):
        if not isinstance(name, str) or not name:
            raise ModeError(f"the name of mode {mode} is {name!r}; choose a text that is not empty")
        if name in checked[:mode]:
            raise ModeError(
                f"modes {checked.index(name)} and {mode} are both called {name!r}; choose "
                f"different names"
            )
    return tuple(str(name) for name in checked)


def _checked_labels(given: ArrayLike | Iterable[object], name: str) -> Labels:
    try:
        labels = label_array(given)
        missing = nulls(labels)
        repeated = first_repeat(labels[~missing] if missing.any() else labels)
    except (LabelError, TypeError) as error:
        raise LabelError(f"mode {name!r}: {error}") from None
    if missing.any():
        at = int(np.flatnonzero(missing)[0])
        raise LabelError(f"mode {name!r}: the label at {at} is {labels[at]}, which is not a label")
    twins = look_alikes(labels)
    if twins is not None:
        one, two = (labels[at] for at in twins)
        raise LabelError(
            f"mode {name!r}: the labels at {twins[0]} and {twins[1]} are {one!r}, a "
            f"{type(one).__name__}, and {two!r}, {type_text(two)}, which look alike; make "
            f"all labels of the mode text, as by astype(str), or all of them numbers"
        )
    if repeated is not None:
        raise LabelError(
            f"mode {name!r}: the labels at {repeated[0]} and {repeated[1]} are both "
            f"{show(labels[repeated[1]])}; every row needs a label of its own"
        )
    labels = labels.copy() if labels.flags.writeable else labels  # the caller may change them
    labels.flags.writeable = False
    return labels


def _as_indices(wanted: Labels) -> Indices:
    """Return whole numbers that can be indices as they are, and -1 for all else."""
    if wanted.dtype.kind not in "iuf":
        return np.full(len(wanted), -1, dtype=np.int32)
    fits = (wanted >= 0) & (wanted < np.iinfo(np.int32).max) & (wanted == np.trunc(wanted))
    return np.where(fits, wanted, -1).astype(np.int32)


def listed(names: Iterable[object]) -> str:
    """Return names as messages list them, many of them cut short."""
    return some([shorten(repr(name), LONGEST) for name in names], MOST_NAMES)
