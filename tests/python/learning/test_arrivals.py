"""New entries and the rows of a model: found by name and label, or new."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import LABELS, MODES
from vest_tucker.data.labels import ModeLabels
from vest_tucker.learning.arrivals import meet

NAMED = ModeLabels(3, MODES, LABELS)
SHAPE = (4, 3, 5)
DAYS = np.array(["2021-05-05", "2022-01-01"], "M8[s]")
NEW: Any = [["eve", "bob", "nobody"], [20, 77.5], DAYS]
CELLS = [[0, 0, 0], [1, 1, 1], [0, 1, 0]]


def test_labels_are_found_or_new_and_unused_ones_are_not_taken() -> None:
    met = meet(vt.SparseTensor(CELLS, [1, 2, 3], modes=MODES, labels=NEW), NAMED, SHAPE)
    assert met.coords.tolist() == [[4, 2, 4], [1, 3, 5], [4, 3, 4]]
    assert met.shape == (5, 4, 6)
    users, films, days = met.labels
    assert users is not None
    assert films is not None
    assert days is not None
    assert users.tolist() == [*LABELS[0], "eve"]
    assert films.tolist() == [30.0, 10.0, 20.0, 77.5]
    assert days[:5].tolist() == LABELS[2].astype("M8[s]").tolist()
    assert days[5] == DAYS[1]


def test_modes_are_found_by_name_in_any_order() -> None:
    X = vt.SparseTensor(CELLS, [1, 2, 3], modes=MODES, labels=NEW)
    swapped = vt.SparseTensor(
        X.coords[:, ::-1].copy(), X.values, modes=MODES[::-1], labels=NEW[::-1]
    )
    np.testing.assert_array_equal(meet(swapped, NAMED, SHAPE).coords, meet(X, NAMED, SHAPE).coords)


def test_numbers_beyond_the_rows_are_new() -> None:
    bare = ModeLabels(3)
    met = meet(vt.SparseTensor([[6, 0, 0], [1, 1, 1]], [1, 2]), bare, SHAPE)
    assert met.shape == (7, 3, 5)
    assert met.labels == (None, None, None)
    far = vt.SparseTensor([[2_000_000_000, 0, 0]], [1.0])
    with pytest.raises(vt.errors.LabelError, match=r"'mode_0' has no labels and 4 rows.*from 4 on"):
        meet(far, bare, SHAPE)


def test_what_does_not_belong_together_is_named() -> None:
    with pytest.raises(vt.errors.ShapeError, match="2 modes but the model has 3"):
        meet(vt.SparseTensor([[0, 0]], [1.0]), NAMED, SHAPE)
    with pytest.raises(
        vt.errors.LabelError, match="'user' the model has labels and the tensor has none"
    ):
        meet(vt.SparseTensor([[7, 0, 0]], [1.0], modes=MODES), NAMED, SHAPE)
    wrong: Any = [["eve"], ["text"], DAYS]
    X = vt.SparseTensor([[0, 0, 0]], [1.0], modes=MODES, labels=wrong)
    with pytest.raises(vt.errors.LabelError, match=r"'film' has numbers for labels.*have text"):
        meet(X, NAMED, SHAPE)
    with pytest.raises(vt.errors.ModeError, match="hour"):
        meet(vt.SparseTensor([[0, 0, 0]], [1.0], modes=("user", "film", "hour")), NAMED, SHAPE)
