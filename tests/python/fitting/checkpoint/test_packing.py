"""States become facts and arrays, and come back; nothing else is made of a file."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from vest_tucker.fitting.checkpoint.packing import from_bytes, pack, stored, to_bytes, unpack
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


def test_facts_and_arrays_come_back_from_bytes() -> None:
    arrays = {
        "a0": np.arange(6, dtype=np.int32).reshape(2, 3), "a1": np.array([True, False]),
        "a2": np.array(["ü", "tea"], dtype=object), "a3": np.zeros((0, 4)),
        "a4": np.array([[-0.0, math.nan]]), "a5": np.array(["x", "yy"]),
    }  # fmt: skip
    facts, again = from_bytes(to_bytes({"dict": [["here", 1.5]]}, arrays))
    assert facts == {"dict": [["here", 1.5]]}
    assert list(again) == list(arrays)
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype
        assert again[name].shape == array.shape
        assert again[name].tolist() == array.tolist() or name == "a4"
        again[name].flags.writeable = True  # what goes on changes it
    assert again["a4"].tobytes() == arrays["a4"].tobytes()


def test_bytes_that_are_cut_or_forged_are_refused() -> None:
    whole = to_bytes(*pack({"values": np.arange(4.0), "history": [1, 2]}))
    for end in range(len(whole)):
        with pytest.raises(ValueError):
            from_bytes(whole[:end])
    with pytest.raises(ValueError, match="other bytes"):
        from_bytes(whole + b"x")
    for kind in ("|O", "|V8"):
        text = json.dumps({"facts": 1, "arrays": [["a0", kind, [1]]]}).encode()
        with pytest.raises(ValueError, match="not a type"):
            from_bytes(len(text).to_bytes(8, "little") + text + bytes(8))
    deep = ("[" * 100_000).encode()
    with pytest.raises(ValueError):
        from_bytes(len(deep).to_bytes(8, "little") + deep)


def test_histories_are_one_array() -> None:
    history = [IterationRecord(k, 0.5 / k, 0.1, 0.1, 0.0, 0.01) for k in range(1, 50)]
    facts, arrays = pack({"history": history, "none": []})
    assert len(arrays) == 1
    assert len(json.dumps(facts)) < 200
    again = unpack(facts, arrays)
    assert again == {"history": history, "none": []}
    assert [type(each.iteration) for each in again["history"][:1]] == [int]
    with pytest.raises(ValueError, match="not a class that is stored in rows"):
        unpack({"rows": "Popen", "array": "a0"}, arrays)
