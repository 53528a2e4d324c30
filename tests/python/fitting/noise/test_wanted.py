"""What a caller asks for, and what that leaves to be found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from noise_search import wanted
from vest_tucker.fitting.constraints import Constraints


@pytest.mark.parametrize(
    ("changes", "free"),
    [
        ({}, True),
        ({"ranks": (3, 3, 3)}, True),
        ({"offset": None}, False),
        ({"constraints": Constraints(nonnegative=frozenset({1}))}, False),
        ({"start": [np.ones((1, 1, 1))]}, False),
    ],
)
def test_the_structure_is_free_unless_something_is_said_of_it(
    prunable: vt.SparseTensor, changes: dict[str, Any], free: bool
) -> None:
    asked = wanted(**changes)
    assert asked.free is free
    kinds = {each.kind for each in asked.candidates(prunable)}
    assert kinds == ({"effects", "tucker"} if free else {"tucker"})


def test_a_start_is_the_only_candidate(prunable: vt.SparseTensor) -> None:
    (only,) = wanted(start=[np.ones((2, 3, 4))]).candidates(prunable)
    assert (only.ranks, only.offset) == ((2, 3, 4), None)
