"""What a caller asks for, and what that leaves to be found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from noise_search import wanted
from vest_tucker.base import memory
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.noise.wanted import AT_REST, require_memory


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


def test_ranks_that_take_too_long_are_cut_with_a_word() -> None:
    X, _ = vt.datasets.synthetic((50, 40, 30), 2, nnz=3000, noise=0.2, seed=0)
    with pytest.warns(RuntimeWarning, match="ranks=500 allows a core of 60,000 elements") as told:
        model = vt.fit(X, 500, seed=0, callback=lambda record: True)  # one iteration tells it
    assert told[0].filename == __file__
    assert max(model.ranks) <= 20


def test_all_fits_that_are_held_at_once_are_counted(
    prunable: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[float] = []
    monkeypatch.setattr(memory, "require_room", lambda bytes_, shape: counted.append(bytes_))
    held, working = memory.held_and_passing(
        prunable.shape, prunable.nnz, (10, 10, 10), 1, noise=True
    )
    require_memory(prunable, wanted(ranks=(10, 10, 10)), 3)
    require_memory(prunable, wanted(ranks=(10, 10, 10), offset=None), 3)
    free, told = counted
    # One of them works; the others rest, of four splits and as many structures.
    parts = 10**3 + 10 * sum(prunable.shape)
    assert held + working < told < free
    assert free - told > 4 * 3 * AT_REST * parts
    assert free < 2 * (held + working)
