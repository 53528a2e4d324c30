"""The offset of a model: what it adds to cells, and which offsets are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.model.offset import Offset


def test_unknown_rows_have_no_effect() -> None:
    offset = Offset("biases", 1.0, (np.array([2.0, 3.0]), np.array([5.0])))
    coords = np.array([[0, 0], [1, 0], [0, 0]], dtype=np.int32)
    unknown = np.array([[False, True], [False, False], [True, True]])
    assert offset.values_at(coords, unknown).tolist() == [3.0, 9.0, 1.0]
    assert offset.values_at(coords).tolist() == [8.0, 9.0, 8.0]


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        (("median", 1.0), vt.errors.OptionError, '\'median\'; choose one of "mean", "biases"'),
        (("mean", math.nan), vt.errors.NonFiniteError, "the mean of an offset is nan"),
        (("mean", 1.0, ([1.0],)), vt.errors.ShapeError, 'kind "mean" has biases for 1 modes'),
        (("biases", 1.0), vt.errors.ShapeError, 'kind "biases" has biases for 0 modes'),
        (("biases", 1.0, ([1.0], [math.inf])), vt.errors.NonFiniteError, "biases of mode 1"),
        (("biases", 1.0, ([[1.0]], [1.0])), vt.errors.ShapeError, r"\(1, 1\)"),
        (("biases", 1.0, (["a"], [1.0])), vt.errors.DtypeError, "real numbers"),
        (
            ("biases", 1.0, ([1.0], [1.0]), 0.1, (2.0,)),
            vt.errors.ShapeError,
            r"is \(2.0,\); give one",
        ),
        (("biases", 1.0, ([1.0], [1.0]), 0.1, (2.0, -1.0)), vt.errors.ShapeError, "at least 0"),
    ],
)
def test_bad_offsets_are_refused(arguments: Any, error: type[Exception], named: str) -> None:
    with pytest.raises(error, match=named):
        Offset(*arguments)


def test_an_offset_of_another_shape_is_refused() -> None:
    offset = Offset("biases", 1.0, (np.zeros(2), np.zeros(3)))
    with pytest.raises(
        vt.errors.ShapeError, match=r"\(2, 3\) biases, but the factors have \(2, 2\) rows"
    ):
        vt.TuckerModel(np.ones((1, 1)), [np.ones((2, 1))] * 2, offset=offset)
    model = vt.TuckerModel(np.ones((1, 1)), [np.ones((2, 1)), np.ones((3, 1))], offset=offset)
    model.factors[1] = np.ones((9, 1))
    with pytest.raises(vt.errors.ShapeError, match=r"\(2, 3\) biases"):
        model.predict([[0, 8]])
