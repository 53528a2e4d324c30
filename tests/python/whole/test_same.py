"""What counts as the same content of tensors, models and offsets."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.data.same import same

COORDS, VALUES = [[0, 0], [1, 2], [2, 1]], [1.0, 2.0, 3.0]
LABELS = {"dish": ["soup", "rice", "tea"]}


def tensor(**options: Any) -> vt.SparseTensor:
    given = {"modes": ["who", "dish"], "labels": LABELS, "weights": [1, 2, 3], **options}
    return vt.SparseTensor(
        given.pop("coords", COORDS), given.pop("values", VALUES), given.pop("shape", None), **given
    )


def model(**fields: Any) -> vt.TuckerModel:
    given: dict[str, Any] = {
        "core_variance": [[0.1]], "labels": LABELS, "modes": ("who", "dish"),
        "offset": vt.Offset("biases", 1.0, (np.zeros(2), np.ones(3))), "noise": float("nan"),
    }  # fmt: skip
    core = fields.pop("core", [[2.0]])
    return vt.TuckerModel(core, [[[1.0], [3.0]], [[1.0], [0.5], [0.0]]], **given | fields)


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), True),
        (np.array([1, 2]), np.array([1.0, 2.0]), True),
        (np.array(["a"]), np.array(["a"], dtype=object), True),
        (np.array([1.0]), [1.0], False),
        (np.zeros(2), None, False),
        (float("nan"), float("nan"), True),
        (float("nan"), 1.0, False),
        ((1, None), [1, None], True),
        ((1,), (1, 2), False),
    ],
)
def test_values(one: Any, other: Any, are: bool) -> None:
    assert same(one, other) is same(other, one) is are


def test_tensors_of_the_same_entries_in_any_order() -> None:
    order = [2, 0, 1]
    turned = tensor(
        coords=np.array(COORDS)[order], values=np.array(VALUES)[order], weights=[3, 1, 2]
    )
    assert tensor() == tensor() == turned == pickle.loads(pickle.dumps(turned))
    assert len({tensor(), turned}) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"values": [1.0, 2.0, 4.0]},
        {"coords": [[0, 0], [1, 2], [2, 2]]},
        {"weights": None},
        {"weights": [3, 2, 1]},
        {"labels": {"dish": ["soup", "rice", "beer"]}},
        {"labels": None},
        {"modes": ["person", "dish"]},
        {"shape": (4, 3)},
    ],
)
def test_tensors_that_differ(change: dict[str, Any]) -> None:
    assert tensor() != tensor(**change)


def test_models_are_the_same_however_they_came_about(tmp_path: Path) -> None:
    one = model(error=0.5, seconds=3.0, stopped="converged", nnz=7)
    assert one == model()
    assert hash(one) == hash(model())
    one.save(tmp_path / "model.npz")
    assert vt.TuckerModel.load(tmp_path / "model.npz") == one == pickle.loads(pickle.dumps(one))


@pytest.mark.parametrize(
    "change",
    [
        {"core": [[2.5]]},
        {"core_variance": None},
        {"core_variance": [[0.2]]},
        {"noise": 0.1},
        {"offset": None},
        {"offset": vt.Offset("biases", 1.0, (np.zeros(2), np.zeros(3)))},
        {"labels": {"dish": ["soup", "rice", "beer"]}},
        {"entries": [np.array([1, 2]), np.array([1, 1, 1])]},
        {"value_range": (0.0, 1.0)},
    ],
)
def test_models_that_differ(change: dict[str, Any]) -> None:
    assert model() != model(**change)


def test_a_model_that_is_written_into_keeps_its_place_in_a_dict() -> None:
    one = model()
    found = {one: "here"}
    one.core[:] = 7.0
    assert found[one] == "here"
    assert one != model()


def test_other_things_are_never_the_same() -> None:
    offset = vt.Offset("mean", 1.0)
    assert offset == dataclasses.replace(offset, error=0.3)
    assert hash(offset) == hash(vt.Offset("mean", 1.0))
    for thing in (tensor(), model(), offset):
        assert thing != "a text"
        assert thing != None  # noqa: E711
