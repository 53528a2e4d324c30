"""The least responsible elements, found without having all responsibilities in one place.

Places count how many of their free elements have which leading bits; a few rounds of that give the
value that divides those to be pruned from the rest. Equal ones are taken by position, the first
ones first, so places are numbered in the order of their elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Counts, Floats

DIGIT = 16  # bits that are counted at a time
BITS = 64
ALL = (1 << BITS) - 1
FREE = 0  # the mark of elements that may be pruned


@dataclass(frozen=True)
class Prefix:
    """Leading bits that are known, and which come next."""

    bits: int
    known: int
    shift: int


FIRST = Prefix(0, 0, BITS - DIGIT)  # nothing is known, and the leading digit comes next


@dataclass(frozen=True)
class Threshold:
    """All free elements below a key are chosen, and those that have this very key if it says so."""

    key: int
    inclusive: bool


class DigitCounts(NamedTuple):
    """How many elements have which digit next; digits that none has are left out."""

    digits: NDArray[np.uint16]
    counts: Counts


def keys_of(scores: Floats) -> NDArray[np.uint64]:
    """Return unsigned integers in the order of the numbers; -0 and 0 are the same.

    Examples
    --------
    >>> keys = keys_of(np.array([-2.0, -1.0, -0.0, 0.0, 3.0]))
    >>> bool((np.diff(keys.astype(object)) >= 0).all()), bool(keys[2] == keys[3])
    (True, True)
    """
    bits = (scores.ravel() + 0.0).view(np.uint64)
    sign = np.uint64(1 << (BITS - 1))
    return np.where(bits & sign, ~bits, bits | sign)


def count_digits(scores: Floats, marks: NDArray[np.uint8], prefix: Prefix) -> DigitCounts:
    """Count the free elements with these leading bits by the bits that come next."""
    keys = keys_of(scores)[marks.ravel() == FREE]
    keys = keys[(keys & np.uint64(prefix.known)) == np.uint64(prefix.bits)]
    digits = (keys >> np.uint64(prefix.shift)) & np.uint64((1 << DIGIT) - 1)
    counts = np.bincount(digits.astype(np.int64))
    found = np.flatnonzero(counts)
    return DigitCounts(found.astype(np.uint16), counts[found])


class Search:
    """The search for the least ``wanted`` elements of some places: a few rounds of counting.

    Attributes
    ----------
    threshold : Threshold or None
        None until it is found.
    taken : list of int
        Then, of each place, how many of the elements that have just this key are chosen.
    """

    def __init__(self, wanted: int) -> None:
        self.wanted, self.prefix = wanted, FIRST
        self.threshold: Threshold | None = None
        self.taken: list[int] = []

    def hear(self, places: Sequence[DigitCounts]) -> None:
        """Take in what all places have counted for the present prefix, in their order."""
        total = np.zeros(1 << DIGIT, dtype=np.int64)
        for digits, counts in places:
            total[digits] += counts
        reached = np.cumsum(total)
        digit = int(np.searchsorted(reached, self.wanted))
        self.wanted -= int(reached[digit] - total[digit])
        bits, known, shift = self.prefix.bits, self.prefix.known, self.prefix.shift
        bits |= digit << shift
        known |= ((1 << DIGIT) - 1) << shift
        if total[digit] == self.wanted:  # all that share these digits: no need to tell them apart
            self.threshold, self.taken = Threshold(bits | (ALL ^ known), True), [0] * len(places)
        elif known == ALL:
            self.threshold = Threshold(bits, False)
            for digits, counts in places:
                equal = int(counts[digits == digit].sum())
                self.taken.append(min(equal, self.wanted))
                self.wanted -= self.taken[-1]
        self.prefix = Prefix(bits, known, shift - DIGIT)


def choose(
    scores: Floats, marks: NDArray[np.uint8], threshold: Threshold, equal: int
) -> NDArray[np.bool_]:
    """Return a mask of those chosen, the first ``equal`` among those at the threshold."""
    keys, free = keys_of(scores), marks.ravel() == FREE
    key = np.uint64(threshold.key)
    chosen = free & (keys <= key if threshold.inclusive else keys < key)
    if equal:
        chosen[np.flatnonzero(free & (keys == key))[:equal]] = True
    found: NDArray[np.bool_] = chosen.reshape(scores.shape)
    return found
