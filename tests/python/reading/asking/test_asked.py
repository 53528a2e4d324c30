"""Questions name modes by labels, of which some may be unknown."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from small import LABELS, MODES
from vest_tucker.data.labels import ModeLabels
from vest_tucker.reading.asking.asked import chosen_modes, read_asked

SHAPE = (4, 3, 5)
NAMED = ModeLabels(3, MODES, LABELS)


def test_single_labels_are_repeated_for_many() -> None:
    asked = read_asked({"film": [10, 20, 99], "user": "bob"}, NAMED, SHAPE)
    assert asked.n == 3
    assert asked.modes == (0, 1)
    assert asked.rows.tolist() == [[1, 1], [1, 2], [1, -1]]
    assert [each.tolist() for each in asked.labels] == [["bob"] * 3, [10, 20, 99]]


def test_all_labels_of_a_mode_with_and_without_labels() -> None:
    assert read_asked({"film": ..., "user": "ann"}, NAMED, SHAPE).labels[1].tolist() == [30, 10, 20]
    unnamed = read_asked({"mode_1": ...}, ModeLabels(3), SHAPE)
    assert unnamed.rows.tolist() == [[0], [1], [2]]


def test_a_frame_names_modes_by_its_columns() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [3, 4], "film": [20, 30], "user": ["eve", "ann"]})
    asked = read_asked(frame, NAMED, SHAPE)
    assert asked.rows.tolist() == [[-1, 2], [0, 0]]
    assert [each.tolist() for each in asked.labels] == [["eve", "ann"], [20, 30]]
    with pytest.raises(vt.errors.ModeError, match="no column called like a mode"):
        read_asked(frame[["age"]], NAMED, SHAPE)


def test_nothing_given_is_one_question() -> None:
    asked = read_asked({}, NAMED, SHAPE)
    assert (asked.n, asked.modes, asked.rows.shape) == (1, (), (1, 0))


def test_what_is_not_understood_is_refused() -> None:
    with pytest.raises(vt.errors.ModeError, match="'cook'"):
        read_asked({"cook": "ann"}, NAMED, SHAPE)
    with pytest.raises(vt.errors.ModeError, match="neither"):
        read_asked(["ann"], NAMED, SHAPE)
    with pytest.raises(vt.errors.ShapeError, match="different numbers of labels"):
        read_asked({"user": ["ann", "bob"], "film": ...}, NAMED, SHAPE)


def test_chosen_modes_keep_names_and_labels() -> None:
    chosen = chosen_modes(NAMED, (2, 0))
    assert chosen.names == ("day", "user")
    assert chosen.labels[0] is not None
    assert np.array_equal(chosen.labels[0], LABELS[2])
