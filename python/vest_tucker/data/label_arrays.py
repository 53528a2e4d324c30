"""What a label may be: anything hashable, held in one form of array per kind, compared by value.

Text is an object array of `str`, whole numbers are int64, other numbers float64, truth values bool,
dates and times datetime64 or timedelta64 in the unit given, and all else an object array. Months of
pandas become months of NumPy. Moments with a time zone become moments of UTC, for two of them may
share their local time.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta, timezone
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker.base.errors import LabelError
from vest_tucker.base.types import Flags, Indices, Labels

UNSEEN = -1
NUMBERS = "iuf"
TIMES = "mM"


def label_array(given: ArrayLike | Iterable[object]) -> Labels:
    """Labels as a one-dimensional array of the form that belongs to their kind.

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
    """Objects as the array that belongs to their type, if they share one."""
    types = types_of(array)

    def are(*kinds: type) -> bool:
        return bool(types) and all(issubclass(each, kinds) for each in types)

    if are(str):
        return array if types == {str} else np.fromiter(map(str, array), object, len(array))
    if are(bool, np.bool_):
        return array.astype(bool)
    if are(int, np.integer) and bool not in types:
        return _if_equal(array, np.int64)
    if are(int, float, np.integer, np.floating) and bool not in types:
        return _if_equal(array, np.float64)
    if are(datetime):
        return np.array([_moment(each) for each in array], dtype="datetime64")
    if are(date) and not any(issubclass(each, datetime) for each in types):
        return array.astype("datetime64[D]")
    if are(np.datetime64) or are(np.timedelta64):
        return np.array(array.tolist())
    if are(timedelta):
        return array.astype("timedelta64[us]")
    are_periods = bool(types) and all(hasattr(each, "freqstr") for each in types)
    return _periods(array) if are_periods else array


def types_of(array: NDArray[np.object_]) -> set[type]:
    """Return the types of the objects in an array."""
    return set(map(type, array.tolist()))


def _if_equal(array: NDArray[np.object_], dtype: type[np.generic]) -> Labels:
    """Numbers in a dtype, or as they are where it does not hold one of them exactly."""
    try:
        numbers = array.astype(dtype)
    except OverflowError:
        return array
    same = (numbers == array) | ((numbers != numbers) & (array != array))
    return numbers if same.all() else array


def _periods(array: NDArray[Any]) -> Labels:
    """Years, months and days of pandas as NumPy's; quarters, weeks and mixtures as they are."""
    if len({period.freqstr for period in array}) > 1:
        return array
    try:
        return np.array([str(period) for period in array], dtype="datetime64")
    except ValueError:
        return array


def _moment(moment: datetime) -> np.datetime64:
    if hasattr(moment, "to_datetime64"):  # of pandas: nanoseconds, and UTC already
        return np.datetime64(moment.to_datetime64())
    if moment.tzinfo is not None:
        moment = moment.astimezone(timezone.utc).replace(tzinfo=None)
    return np.datetime64(moment)


def storable(labels: Labels, what: str) -> Labels:
    """Return labels that a file of arrays can hold; raise if it cannot."""
    strange = [] if labels.dtype.kind != "O" else [x for x in labels if not isinstance(x, str)]
    if strange:
        raise LabelError(
            f"the {what} cannot be written, for {strange[0]!r} is a {type(strange[0]).__name__}; a "
            f"file holds text, numbers, dates and times: make the labels one of these"
        )
    return labels


def nulls(labels: Labels) -> Flags:
    """Mark what is no label: None, NaN, NaT and pandas' NA."""
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
    except TypeError:  # whether pandas' NA differs from itself is unknown
        return True
    except ValueError:  # an array, which is no label for another reason
        return False


def first_repeat(labels: Labels) -> tuple[int, int] | None:
    """Where the first label that was there before stands, and where it was; None if all differ."""
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


def in_order(labels: Labels) -> Labels:
    """Return distinct labels, sorted; those of several types type by type.

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
    """Return labels behind labels, as one array of the form that belongs to their kind.

    Examples
    --------
    >>> joined(label_array([1, 2]), label_array([2.5])).tolist()
    [1.0, 2.0, 2.5]
    """
    if first.dtype.kind == second.dtype.kind:
        return np.concatenate([first, second])
    return label_array(np.concatenate([first.astype(object), second.astype(object)]))


class Lookup:
    """The way from labels back to their indices, made once for the labels of a mode."""

    __slots__ = ("_labels", "_order", "_sorted", "_table")

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        if labels.dtype.kind == "O":
            self._table = {label: index for index, label in enumerate(labels.tolist())}
        else:
            self._order = np.argsort(labels, kind="stable")
            self._sorted = labels[self._order]

    def find(self, wanted: Labels) -> Indices:
        """Index of each label, `UNSEEN` where there is none: equal means equal in value."""
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
        except TypeError:  # lists and the like can be no label
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
        with np.errstate(invalid="ignore"):
            cast = wanted.astype(self._sorted.dtype)
            exact = cast.astype(wanted.dtype) == wanted  # there and back: no other value became it
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
