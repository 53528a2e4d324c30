"""What was seen is matched with questions, in every form, also labels that are new."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import LABELS, MODES
from vest_tucker.data.labels import ModeLabels
from vest_tucker.reading.asking import excluded as module
from vest_tucker.reading.asking.asked import read_asked
from vest_tucker.reading.asking.excluded import Excluded, find_excluded, nothing_excluded

SHAPE = (4, 3, 5)
NAMED = ModeLabels(3, MODES, LABELS)
# Users ann, bob and Zoë have seen some of the films 30, 10, 20, which are rows 0, 1, 2.
SEEN = [("ann", 20), ("bob", 30), ("ann", 30), ("ann", 20), ("eve", 10), ("Zoë", 77)]


def lists(exclude: Any, given: Any, along: int = 1, named: ModeLabels = NAMED) -> list[list[int]]:
    asked = read_asked(given, named, SHAPE)
    bounds, rows = find_excluded(exclude, named, SHAPE, asked, along).lists(slice(None))
    assert len(bounds) == asked.n + 1
    return [rows[begin:end].tolist() for begin, end in itertools.pairwise(bounds)]


@pytest.fixture
def tensor() -> vt.SparseTensor:
    days = np.array(["2021-05-01", "2021-06-01"], "M8[D]")
    labels = [["eve", "bob", "ann"], [10, 20, 30], days]
    coords = [[2, 1, 0], [1, 2, 0], [2, 2, 1], [0, 0, 0]]
    return vt.SparseTensor(coords, np.ones(4), modes=MODES, labels=labels)


def test_pairs_are_matched_by_labels_also_unknown_ones() -> None:
    assert lists(SEEN, {"user": ["bob", "ann", "eve", "", "ann"]}) == [[0], [0, 2], [1], [], [0, 2]]


@pytest.mark.parametrize("form", ["dict", "frame", "tensor"])
def test_every_form_says_the_same(form: str, tensor: vt.SparseTensor) -> None:
    users, films = map(list, zip(*SEEN, strict=True))
    exclude: Any = {"film": films, "user": users}
    if form == "frame":
        exclude = pytest.importorskip("pandas").DataFrame(exclude | {"age": 1})
    elif form == "tensor":
        exclude = tensor
    assert lists(exclude, {"user": ["eve", "ann", "bob"]}) == [[1], [0, 2], [0]]


def test_a_mode_that_both_name_must_agree(tensor: vt.SparseTensor) -> None:
    day = np.datetime64("2021-05-01")
    assert lists(tensor, {"user": ["ann", "bob"], "day": day}) == [[2], [0]]
    # A day that the model does not know can be matched, too.
    assert lists(tensor, {"user": "ann", "day": np.datetime64("2021-06-01")}) == [[0]]
    # What does not name the day holds for every day.
    assert lists({"user": "ann", "film": 30}, {"user": "ann", "day": [day, day]}) == [[0], [0]]


def test_labels_alone_are_left_out_for_everyone() -> None:
    assert lists({"film": [20, 10]}, {"user": ["ann", "eve"]}) == [[1, 2], [1, 2]]
    assert lists({"film": 10}, {}) == [[1]]


def test_coordinates_and_modes_without_labels(tensor: vt.SparseTensor) -> None:
    plain = ModeLabels(3)
    pairs = np.array([[1, 2], [9, 0], [1, 7]])  # user 9 is beyond the model, film 7 too
    assert lists(pairs, {"mode_0": [1, 9, 0]}, named=plain) == [[2], [0], []]
    unnamed = vt.SparseTensor([[1, 2, 0], [3, 0, 4]], [1.0, 1.0])
    assert lists(unnamed, {"mode_0": [3, 1, 0]}, named=plain) == [[0], [2], []]
    assert lists(unnamed, {"mode_0": [3]}, along=2, named=plain) == [[4]]


def test_a_missing_label_matches_nothing() -> None:
    assert lists([(None, 10), ("ann", 10)], {"user": [None, "ann"]}) == [[], [1]]


def test_the_mode_along_must_be_named() -> None:
    with pytest.raises(vt.errors.ModeError, match="'film'"):
        lists({"user": ["ann"]}, {"user": "ann"})
    with pytest.raises(
        vt.errors.ShapeError, match=r"a label for each of 'user', 'film': row 0 has 3"
    ):
        lists([("ann", 10, "2021-05-01")], {"user": "ann"})


def test_keys_of_many_long_modes_do_not_overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 9, (300, 3)).astype(np.int32)
    plain = module._keys(codes, [9, 9, 9], 9**3)
    monkeypatch.setattr(module, "MOST_KEYS", 9 * 80)
    packed = module._keys(codes, [9, 9, 9], 300)
    assert plain.max() > packed.max()
    assert packed.max() < 300
    assert np.array_equal(plain[:, None] == plain, packed[:, None] == packed)


def test_lists_of_some_questions() -> None:
    rows = np.array([4, 7, 1], dtype=np.int32)
    excluded = Excluded(rows, np.array([2, 0, 0]), np.array([3, 2, 0]))
    bounds, found = excluded.lists(slice(0, 3))
    assert (bounds.tolist(), found.tolist()) == ([0, 1, 3, 3], [1, 4, 7])
    bounds, found = nothing_excluded(2).lists(slice(0, 2))
    assert (bounds.tolist(), found.tolist()) == ([0, 0, 0], [])
