"""States become facts and arrays, and come back; nothing else is made of a file."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from vest_tucker.fitting.checkpoint.packing import pack, stored, unpack
from vest_tucker.fitting.state import Best, FitState, Phase
from vest_tucker.model.history import IterationRecord


def there_and_back(value: Any) -> Any:
    facts, arrays = pack(value)
    return unpack(json.loads(json.dumps(facts)), arrays)


@pytest.mark.parametrize(
    "value",
    [None, True, 3, -0.0, 1e-320, math.inf, "ü\udc80", [1, (2.5, None)], {3, 1}, {(1, 2): [{}]}],
)
def test_plain_values_come_back_as_they_were(value: Any) -> None:
    again = there_and_back(value)
    assert repr(again) == repr(value)


def test_arrays_keep_their_bits() -> None:
    for array in (np.array([-0.0, np.nan, 1e-320]), np.array([[True], [False]]), np.zeros((0, 2))):
        again = there_and_back({"here": [array]})["here"][0]
        assert again.dtype == array.dtype
        assert again.shape == array.shape
        assert again.tobytes() == array.tobytes()


def test_states_come_back_whole() -> None:
    record = IterationRecord(1, 0.5, 0.1, 0.1, 0.0, 0.01)
    best = Best(0.4, 0.3, [np.ones(2)], 3)
    state = FitState(np.ones((1, 1)), [np.ones((2, 1))], [], Phase.PRUNING, [record], best)
    again = there_and_back(state)
    assert (again.phase, again.history, again.best.waited) == (Phase.PRUNING, [record], 3)
    assert again.best.parts[0].tolist() == [1.0, 1.0]


def test_nothing_is_made_of_a_class_that_is_not_stored() -> None:
    strange: list[Any] = [
        {"is": "Popen", "fields": {"args": "true"}},
        {"generator": {"dict": [["bit_generator", "seed"]]}},
        {"generator": {"dict": [["bit_generator", "default_rng"]]}},
        {"call": []},
        {},
        [1],
    ]
    for facts in strange:
        with pytest.raises(ValueError, match="not a"):
            unpack(facts, {})


def test_a_class_is_stored_under_a_name_of_its_own() -> None:
    with pytest.raises(AssertionError, match="two classes are stored as Phase"):
        stored(type("Phase", (), {}))
    with pytest.raises(AssertionError, match="a complex is not stored"):
        pack(1j)
