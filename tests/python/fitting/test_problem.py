"""What a fit solves: the values that an offset leaves, and options that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import problem_of
from vest_tucker.fitting.problem import Problem

SHAPE, RANKS = (9, 8, 7), (3, 2, 2)


@pytest.fixture(scope="module")
def tensor() -> vt.SparseTensor:
    return vt.datasets.synthetic(SHAPE, RANKS, nnz=200, missing="skewed", seed=3)[0]


def problem_with(
    X: vt.SparseTensor, wanted: dict[str, Any] | None = None, **options: Any
) -> Problem:
    return problem_of(X, RANKS, options, **(wanted or {}))


def test_values_are_what_the_offset_leaves(tensor: vt.SparseTensor) -> None:
    problem = problem_with(tensor, offset="mean")
    assert problem.rms == pytest.approx(float(np.std(tensor.values)))
    assert problem_with(tensor).offset is None


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("lam_rows", "some", "lam_rows is 'some'"),
        ("lam_core", -1.0, "lam_core is -1.0"),
        ("patience", 0, "patience is 0"),
    ],
)
def test_bad_options_name_themselves(
    tensor: vt.SparseTensor, option: str, value: Any, words: str
) -> None:
    with pytest.raises(vt.errors.OptionError, match=words):
        vt.fit(tensor, RANKS, **{option: value}, preset="paper")
