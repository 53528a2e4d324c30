"""The least responsible elements, found without having all responsibilities in one place.

Places count how many of their free elements have which leading bits; a few rounds of that give the
value that divides those to be pruned from the rest. Equal ones are taken by position, the first
ones first, so places are numbered in the order of their elements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Counts, Floats

DIGIT = 11  # bits that are counted at a time
BITS = 64
FREE = 0  # the mark of elements that may be pruned


@dataclass(frozen=True)
class Prefix:
    """Leading bits that are known, and which come next."""

    bits: int
    known: int
    shift: int


@dataclass(frozen=True)
class Threshold:
    """All free elements whose key is below ``key`` are chosen, and some that have this very key."""

    key: int


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


def count_digits(scores: Floats, marks: NDArray[np.uint8], prefix: Prefix) -> Counts:
    """Return how many free elements with these leading bits have which bits next."""
    keys = keys_of(scores)[marks.ravel() == FREE]
    keys = keys[(keys & np.uint64(prefix.known)) == np.uint64(prefix.bits)]
    digits = (keys >> np.uint64(prefix.shift)) & np.uint64((1 << DIGIT) - 1)
    return np.bincount(digits.astype(np.int64), minlength=1 << DIGIT)


def find_threshold(count: Callable[[Prefix], Counts], wanted: int) -> Threshold:
    """Return the key of rank ``wanted``; ``count`` answers for all places together."""
    bits = known = 0
    shift = BITS - DIGIT
    while True:
        counts = count(Prefix(bits, known, shift))
        reached = np.cumsum(counts)
        digit = int(np.searchsorted(reached, wanted))
        wanted -= int(reached[digit] - counts[digit])
        bits |= digit << shift
        known |= ((1 << DIGIT) - 1) << shift
        if known == (1 << BITS) - 1:
            return Threshold(bits)
        shift = max(0, shift - DIGIT)


def count_chosen(scores: Floats, marks: NDArray[np.uint8], threshold: Threshold) -> tuple[int, int]:
    """Return how many free elements are below the threshold, and how many at it."""
    keys = keys_of(scores)[marks.ravel() == FREE]
    key = np.uint64(threshold.key)
    return int(np.count_nonzero(keys < key)), int(np.count_nonzero(keys == key))


def choose(
    scores: Floats, marks: NDArray[np.uint8], threshold: Threshold, equal: int
) -> NDArray[np.bool_]:
    """Return a mask of those chosen: all below the threshold, and the first ``equal`` at it."""
    keys, free = keys_of(scores), marks.ravel() == FREE
    key = np.uint64(threshold.key)
    chosen = free & (keys < key)
    chosen[np.flatnonzero(free & (keys == key))[:equal]] = True
    found: NDArray[np.bool_] = chosen.reshape(scores.shape)
    return found
