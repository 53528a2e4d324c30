"""Which learner goes with a model."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.learning.kinds import arrived, penalties_by_loss, stand_in_for_none


@pytest.mark.parametrize(("constant", "row"), [(False, [0.0, 0.0]), (True, [1.0, 0.0])])
def test_a_row_of_no_entry(constant: bool, row: list[float]) -> None:
    factors = [np.array([[1.0, 2.0], [1.0, 3.0]]), np.ones((2, 1))]
    model = vt.TuckerModel(np.array([[1.0], [2.0]]), factors, constant=constant)
    assert stand_in_for_none(model, 0).tolist() == row


def test_a_model_without_variances_pays_penalties() -> None:
    model = vt.TuckerModel(
        np.ones((1, 1)), [np.ones((2, 1)), np.ones((1, 1))], loss="l1", lam_used=0.5
    )
    assert penalties_by_loss(model, None)[0].loss == "l1"


def test_entries_arrive_at_a_model_that_can_learn() -> None:
    model = vt.TuckerModel(
        np.ones((1, 1)), [np.ones((2, 1)), np.ones((1, 1))], loss="l1", lam_used=0.5
    )
    X = vt.SparseTensor([[4, 0]], [1.0])
    assert arrived(model, X, "update").shape == (5, 1)
    for unfit, error in (("", vt.errors.OptionError), ("bayes", vt.errors.VarianceError)):
        with pytest.raises(error):
            arrived(dataclasses.replace(model, loss=unfit), X, "update")
