"""New entries of frames: the same as of the tensor that they would make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.data.labels import ModeLabels
from vest_tucker.learning.new_entries import InFrame, entries_of

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

MODES = ModeLabels(2, ["who", "dish"], [["ann", "bob"], ["soup", "rice"]])
COLUMNS: dict[str, Any] = {"dish": ["rice", "soup"], "stars": [8.0, 4.0], "who": ["eve", "eve"]}
LIBRARIES: list[Callable[[Any], Any]] = [pd.DataFrame, pl.DataFrame, pl.LazyFrame]


def model() -> vt.TuckerModel:
    factors = [np.array([[1.0], [3.0]]), np.array([[1.0], [0.5]])]
    return vt.TuckerModel(
        np.array([[2.0]]), factors, loss="lf", lam_used=0.0, modes=MODES.names,
        labels=MODES.labels, entries=[np.array([3, 3]), np.array([3, 3])],
    )  # fmt: skip


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_frame_is_as_good_as_a_tensor(library: Callable[[Any], Any]) -> None:
    X = vt.SparseTensor.from_frame(pd.DataFrame(COLUMNS), MODES.names, "stars")
    frame = library(COLUMNS)
    for got, wanted in (
        (model().fold_in("who", frame), model().fold_in("who", X)),
        (model().update(frame), model().update(X)),
        (model().update(frame, value="stars"), model().update(X)),
    ):
        assert [each.tolist() for each in got.factors] == [each.tolist() for each in wanted.factors]
        assert got.labels[0] is not None
        assert got.labels[0].tolist() == ["ann", "bob", "eve"]


def test_weights_are_a_column_too() -> None:
    frame = pd.DataFrame({**COLUMNS, "n": [2.0, 5.0]})
    X = entries_of(frame, MODES, InFrame(weight="n"), "update")
    assert X.weights is not None
    assert X.weights.tolist() == [2.0, 5.0]
    assert model().update(frame, weight="n").nnz == 2
    again = entries_of(X.to_frame(), MODES, InFrame(), "update")  # value and weight are known
    assert again.weights is not None
    assert again.weights.tolist() == [2.0, 5.0]


def test_which_column_has_the_values() -> None:
    frame = pd.DataFrame({**COLUMNS, "town": "Rome"})
    with pytest.raises(
        vt.errors.ColumnError, match=r'update cannot tell .*\'stars\', \'town\'.*value="'
    ):
        model().update(frame)
    with pytest.raises(vt.errors.ColumnError, match="no column is left"):
        model().update(frame[["who", "dish"]])
    with pytest.raises(vt.errors.ColumnError, match="no column 'who'; there are"):
        model().update(frame[["dish", "stars"]])
    named = frame.rename(columns={"stars": "value"})
    assert entries_of(named, MODES, InFrame(), "update").values.tolist() == [8.0, 4.0]


def test_a_tensor_has_no_columns() -> None:
    X = vt.SparseTensor([[0, 0]], [1.0])
    with pytest.raises(vt.errors.OptionError, match="are for frames"):
        model().update(X, value="stars")
    with pytest.raises(vt.errors.DtypeError, match="update needs a SparseTensor"):
        model().update(np.zeros((2, 2)))


def test_modes_without_labels_have_indices() -> None:
    modes = ModeLabels(2, ["who", "dish"], {"dish": ["soup"]})
    X = entries_of(pd.DataFrame({**COLUMNS, "who": [7, 2]}), modes, InFrame(), "update")
    assert (X.shape, X.labels[0], X.coords[:, 0].tolist()) == ((8, 2), None, [7, 2])
    with pytest.raises(vt.errors.LabelError, match="the column 'who' has 'eve', but that mode"):
        entries_of(pd.DataFrame(COLUMNS), modes, InFrame(), "update")
