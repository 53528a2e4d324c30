"""The least of many numbers, found by counting leading bits: the same that a sort finds."""

from __future__ import annotations

import numpy as np
import pytest

from vest_tucker.fitting.shards.selection import FREE, Search, choose, count_digits, keys_of


def numbers(kind: str, rng: np.random.Generator) -> np.ndarray:
    if kind == "equal":
        return np.zeros((20, 3))
    if kind == "close":  # many of each, and only the last bits tell them apart
        return 1.0 + rng.integers(0, 6, size=(50, 4)) * np.finfo(np.float64).eps
    drawn = rng.normal(size=(50, 4)) * 10.0 ** rng.integers(-200, 200, size=(50, 4))
    return np.round(rng.normal(size=(50, 4)), 1) if kind == "ties" else drawn


@pytest.mark.parametrize("kind", ["any", "ties", "equal", "close"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_the_least_in_several_places(kind: str, share: float) -> None:
    rng = np.random.default_rng(0)
    scores = numbers(kind, rng)
    marks = rng.integers(0, 3, size=scores.shape).astype(np.uint8)
    free = np.flatnonzero(marks == FREE)
    wanted = max(1, round(share * free.size))
    order = free[np.argsort(scores.ravel()[free] + 0.0, kind="stable")]
    want = np.zeros(scores.size, dtype=bool)
    want[order[:wanted]] = True

    places = [slice(None, 7), slice(7, 8), slice(8, None)]

    search = Search(wanted)
    rounds = 0
    while search.threshold is None:
        search.hear([count_digits(scores[p], marks[p], search.prefix) for p in places])
        rounds += 1
    assert rounds <= 4
    got = [
        choose(scores[place], marks[place], search.threshold, equal)
        for place, equal in zip(places, search.taken, strict=True)
    ]
    np.testing.assert_array_equal(np.concatenate(got).ravel(), want)


def test_keys_are_in_the_order_of_numbers() -> None:
    some = np.array([-np.inf, -1e300, -1.0, -5e-324, -0.0, 0.0, 5e-324, 2.0, np.inf])
    keys = keys_of(some)
    assert (keys[:-1] <= keys[1:]).all()
    assert len(set(keys.tolist())) == some.size - 1
