"""Labels as arrays: one form of array for each kind of label, and finding labels by value.

A label may be anything hashable. Text is an object array of `str`, whole numbers are int64, other
numbers float64, truth values bool, dates and times datetime64 or timedelta64 in the unit given, and
all else an object array. Months of pandas become months of NumPy. Times with a time zone become
times of UTC, which know their zone (sources/zones.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta, timezone
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker.base.errors import LabelError
from vest_tucker.base.options import type_text
from vest_tucker.base.types import Flags, Indices, Labels
from vest_tucker.data.sources.zones import common_zone, local, without_zone, zone_of, zoned

UNSEEN = -1
NUMBERS = "iuf"
TIMES = "mM"


def label_array(given: ArrayLike | Iterable[object]) -> Labels:
    """Return labels as a one-dimensional array of the form that belongs to their kind.

    Examples
    --------
    >>> label_array(["b", "a"])
    array(['b', 'a'], dtype=object)
    >>> label_array((2021.0, 2022.0)), label_array([7, "seven"])
    (array([2021., 2022.]), array([7, 'seven'], dtype=object))
    """
    array = _array(given)
    if array.ndim != 1:
        raise LabelError(f"labels must be a flat list, but have the shape {array.shape}")
    kind = array.dtype.kind
    if kind == "O":
        return _of_one_kind(array)
    if kind == "b" or kind in TIMES:
        return array
    if kind == "f":
        return array.astype(np.float64, copy=False)
    if kind in "iu":
        beyond = array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max
        return array if beyond else array.astype(np.int64, copy=False)
    return array.astype(object)


def _array(given: ArrayLike | Iterable[object]) -> NDArray[Any]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise LabelError(f"labels must be a list or an array, but are {given!r}")
    if isinstance(given, set | frozenset):
        raise LabelError("labels are in a set, which has no order; give a list, as sorted(labels)")
    if isinstance(given, np.ndarray):
        if type(given) is not np.ndarray and np.ma.is_masked(given):
            visible = np.array(given, dtype=object)
            visible[np.ma.getmaskarray(given)] = None
            return visible
        return np.asarray(given)
    if hasattr(given, "__array__"):
        return np.asarray(given)
    # Not np.asarray: it would turn [7, "seven"] into text.
    items = list(given)
    return np.fromiter(items, dtype=object, count=len(items))


def _of_one_kind(array: NDArray[np.object_]) -> Labels:
    """Return objects as the array that belongs to their kind, if they share one."""
    kinds = {_kind_of(each) for each in types_of(array)}
    if kinds == {"whole", "real"}:
        kinds = {"real"}
    return FORMS[kinds.pop()](array) if len(kinds) == 1 else array


def _kind_of(each: type) -> str:
    """Return the first kind of `KINDS` that a type belongs to."""
    found = (kind for kind, types in KINDS.items() if issubclass(each, types))
    return next(found, "period" if hasattr(each, "freqstr") else "other")


def types_of(array: NDArray[np.object_]) -> set[type]:
    """Return the types of the objects in an array."""
    return set(map(type, array.tolist()))


def _texts(array: NDArray[np.object_]) -> Labels:
    """Return text as plain `str`, not as a subclass of it."""
    plain = types_of(array) == {str}
    return array if plain else np.fromiter(map(str, array), object, len(array))


def _if_equal(array: NDArray[np.object_], dtype: type[np.generic]) -> Labels:
    """Return numbers in a dtype, or as objects if it cannot hold all of them exactly."""
    try:
        numbers = array.astype(dtype)
    except OverflowError:
        return array
    same = (numbers == array) | ((numbers != numbers) & (array != array))
    return numbers if same.all() else array


def _periods(array: NDArray[Any]) -> Labels:
    """Return years, months and days of pandas as those of NumPy; other periods stay objects."""
    if len({period.freqstr for period in array}) > 1:
        return array
    try:
        return np.array([str(period) for period in array], dtype="datetime64")
    except ValueError:
        return array


def _moments(moments: list[datetime]) -> Labels:
    times = np.array([_moment(each) for each in moments], dtype="datetime64")
    return zoned(times, common_zone([each for each in moments if each == each]))  # not those of NaT


def _moment(moment: datetime) -> np.datetime64:
    if hasattr(moment, "to_datetime64"):  # of pandas, which converts to UTC itself
        return np.datetime64(moment.to_datetime64())
    if moment.tzinfo is not None:
        moment = moment.astimezone(timezone.utc).replace(tzinfo=None)
    return np.datetime64(moment)


# The types of each kind of label. Some are subclasses of others: bool of int, timedelta64 of an
# integer of NumPy, datetime of date. So the narrower kinds come first.
KINDS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "truth": (bool, np.bool_),
    "time": (np.datetime64,),
    "duration": (np.timedelta64,),
    "whole": (int, np.integer),
    "real": (float, np.floating),
    "moment": (datetime,),
    "day": (date,),
    "delta": (timedelta,),
}
# How an array of objects of one kind becomes the array that belongs to the kind.
FORMS: dict[str, Callable[[NDArray[np.object_]], Labels]] = {
    "text": _texts,
    "truth": lambda array: array.astype(bool),
    "time": lambda array: np.array(array.tolist()),
    "duration": lambda array: np.array(array.tolist()),
    "whole": lambda array: _if_equal(array, np.int64),
    "real": lambda array: _if_equal(array, np.float64),
    "moment": lambda array: _moments(array.tolist()),
    "day": lambda array: array.astype("datetime64[D]"),
    "delta": lambda array: array.astype("timedelta64[us]"),
    "period": _periods,
    "other": lambda array: array,
}


def storable(labels: Labels, what: str) -> Labels:
    """Return labels that a file of arrays can hold; raise if it cannot."""
    strange = [] if labels.dtype.kind != "O" else [x for x in labels if not isinstance(x, str)]
    if strange:
        raise LabelError(
            f"the {what} cannot be written, for {strange[0]!r} is {type_text(strange[0])}; a "
            f"file holds text, numbers, dates and times: make the labels one of these"
        )
    return without_zone(labels)


def nulls(labels: Labels) -> Flags:
    """Mark missing labels: None, NaN, NaT and pandas' NA."""
    kind = labels.dtype.kind
    if kind == "f":
        return np.isnan(labels)
    if kind in TIMES:
        return np.isnat(labels)
    if kind != "O" or types_of(labels) == {str}:
        return np.zeros(len(labels), dtype=bool)
    return np.fromiter(map(_is_null, labels), bool, len(labels))


def _is_null(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # raised by pandas' NA, which has no truth value
        return True
    except Exception:  # an array, or what cannot be compared: refused elsewhere, as not hashable
        return False


def first_repeat(labels: Labels) -> tuple[int, int] | None:
    """Return the two places of the first label that appears twice; None if all labels differ."""
    if labels.dtype.kind != "O":
        order = np.argsort(labels, kind="stable")
        ordered = labels[order]
        same = np.flatnonzero(ordered[1:] == ordered[:-1])
        if not same.size:
            return None
        later = int(order[same + 1].min())
        return int(np.flatnonzero(labels == labels[later])[0]), later
    seen: dict[object, int] = {}
    if len(set(labels.tolist())) == len(labels):
        return None
    for later, label in enumerate(labels):
        if label in seen:
            return seen[label], later
        seen[label] = later
    raise AssertionError("a set of the labels was smaller than their list")


def look_alikes(labels: Labels) -> tuple[int, int] | None:
    """Return the places of two labels that are different but written alike, as 1 and "1"; or None.

    Examples
    --------
    >>> look_alikes(label_array([2, 1, "1"])), look_alikes(label_array([7, "seven"]))
    ((1, 2), None)
    """
    if labels.dtype.kind != "O" or types_of(labels) <= {str}:
        return None
    texts = {label: place for place, label in enumerate(labels) if isinstance(label, str)}
    for place, label in enumerate(labels):
        if isinstance(label, int | float | np.number | date) and str(label) in texts:
            first, second = sorted((place, texts[str(label)]))
            return first, second
    return None


def in_order(labels: Labels) -> Labels:
    """Return the distinct labels, sorted; labels of several types are sorted within each type.

    Examples
    --------
    >>> in_order(label_array([3, 1, 3, 2])).tolist()
    [1, 2, 3]
    >>> in_order(label_array(["b", 10, "a", 9])).tolist()
    [9, 10, 'a', 'b']
    """
    if labels.dtype.kind != "O":
        return np.unique(labels)
    distinct = list(dict.fromkeys(labels.tolist()))
    try:
        distinct.sort()
    except TypeError:
        distinct.sort(key=lambda label: type(label).__name__)
        distinct = [
            label
            for name in dict.fromkeys(type(label).__name__ for label in distinct)
            for label in _sorted_if_possible(
                [each for each in distinct if type(each).__name__ == name]
            )
        ]
    return np.fromiter(distinct, dtype=object, count=len(distinct))


def _sorted_if_possible(labels: list[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=repr)


def joined(first: Labels, second: Labels) -> Labels:
    """Return two arrays of labels as one, of the form that belongs to their kind.

    Examples
    --------
    >>> joined(label_array([1, 2]), label_array([2.5])).tolist()
    [1.0, 2.0, 2.5]
    """
    if first.dtype.kind == second.dtype.kind:
        return zoned(np.concatenate([first, second]), zone_of(first))
    return label_array(np.concatenate([first.astype(object), second.astype(object)]))


class Lookup:
    """Finds the indices of labels; made once for the labels of a mode."""

    __slots__ = ("_labels", "_order", "_sorted", "_table")

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        if labels.dtype.kind == "O":
            self._table = {label: index for index, label in enumerate(labels.tolist())}
        else:
            self._order = np.argsort(labels, kind="stable")
            self._sorted = labels[self._order]

    def find(self, wanted: Labels) -> Indices:
        """Return the index of each label, found by value; `UNSEEN` for a label that is missing."""
        if self._labels.dtype.kind == "O":
            return self._find_objects(wanted)
        if wanted.dtype.kind == "O":
            return self._find_by_type(wanted)
        if _family(wanted) != _family(self._labels) or not len(self._labels):
            return np.full(len(wanted), UNSEEN, dtype=np.int32)
        return self._find_sorted(wanted)

    def _find_objects(self, wanted: Labels) -> Indices:
        items = wanted.tolist()
        try:
            found = map(self._table.get, items, repeat(UNSEEN))
            return np.fromiter(found, np.int32, len(items))
        except TypeError:  # lists, for example, which cannot be labels
            hashable = [item if _is_hashable(item) else None for item in items]
            return np.array([self._table.get(item, UNSEEN) for item in hashable], dtype=np.int32)

    def _find_by_type(self, wanted: Labels) -> Indices:
        found = np.full(len(wanted), UNSEEN, dtype=np.int32)
        types = [type(label) for label in wanted]
        for each in set(types):
            rows = np.flatnonzero([one is each for one in types])
            alike = label_array(wanted[rows])
            if alike.dtype.kind != "O":
                found[rows] = self.find(alike)
        return found

    def _find_sorted(self, wanted: Labels) -> Indices:
        try:
            with np.errstate(invalid="ignore"):
                cast = wanted.astype(self._sorted.dtype)
                exact = cast.astype(wanted.dtype) == wanted  # the cast did not change the value
        except OverflowError:  # of times that the labels' finer unit cannot hold, from NumPy 2.5 on
            first, last = self._sorted[[0, -1]].astype(wanted.dtype)
            near = (first <= wanted) & (wanted <= last)
            found = np.full(len(wanted), UNSEEN, dtype=np.int32)
            found[near] = self._find_sorted(wanted[near])
            return found
        if wanted.dtype.kind in "iu":
            exact &= (cast < 0) == (wanted < 0)
        at = np.searchsorted(self._sorted, cast).clip(max=len(self._sorted) - 1)
        hit = exact & (self._sorted[at] == cast)
        return np.where(hit, self._order[at], UNSEEN).astype(np.int32)


def _family(labels: Labels) -> str:
    kind = labels.dtype.kind
    return NUMBERS if kind in NUMBERS else kind


def _is_hashable(item: object) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def listed(labels: Labels) -> list[Any]:
    """Return labels as a list of Python's own objects; times of a time zone are local times of it.

    Python has no nanoseconds, and NumPy would turn such times into bare numbers: they stay NumPy's.

    Examples
    --------
    >>> [label.dtype for label in listed(np.array(["2024-01-05"], dtype="datetime64[ns]"))]
    [dtype('<M8[ns]')]
    >>> listed(np.array(["2024-01-05"], dtype="datetime64[D]")), listed(np.array([7]))
    ([datetime.date(2024, 1, 5)], [7])
    """
    if zone_of(labels) is not None:
        return local(labels)
    found: list[Any] = labels.tolist()
    bare = labels.dtype.kind in TIMES and any(isinstance(each, int) for each in found)
    return list(labels) if bare else found
