"""Objects pickled by version 0.1.0 are read by this one, though their modules have moved."""

from __future__ import annotations

import dataclasses
import math
import pickle
from pathlib import Path
from typing import Any

import pytest

import vest_tucker as vt

FILE = Path(__file__).parents[2] / "data" / "objects-0.1.0.pickle"


@pytest.fixture(scope="module")
def objects() -> dict[str, Any]:
    found: dict[str, Any] = pickle.loads(FILE.read_bytes())
    return found


def test_every_kind_is_read(objects: dict[str, Any]) -> None:
    kinds = {
        "tensor": vt.SparseTensor, "model": vt.TuckerModel, "offset": vt.Offset,
        "record": vt.IterationRecord, "path": vt.Path, "stability": vt.Stability,
        "error": vt.errors.FileFormatError,
    }  # fmt: skip
    assert {name: type(each) for name, each in objects.items()} == kinds


def test_what_is_read_can_be_used(objects: dict[str, Any]) -> None:
    X, model = objects["tensor"], objects["model"]
    assert X.modes == model.modes == ("user", "dish", "hour")
    assert model.error == 0.37198418601047095
    assert vt.relative_error(model, X) == pytest.approx(model.error, rel=1e-12)
    assert objects["path"].at(0.5).sparsity >= 0.5
    assert objects["path"].elbow == objects["path"].knee  # the name since
    assert str(objects["stability"])
    asked = {"user": X.mode_labels.decode(0, [0])}
    for given in ({}, asked):
        (values,) = model.recommend(given, along="dish", k=2).values
        assert values[0] >= values[1]


def test_a_model_without_variances_has_none(objects: dict[str, Any]) -> None:
    model = objects["model"]
    assert (model.core_variance, model.factor_variances, model.value_range) == (None, None, None)
    assert math.isnan(model.noise)
    assert model.compact().ranks_before in (None, dataclasses.replace(model).ranks)
    with pytest.raises(vt.errors.VarianceError):
        model.predict([[0, 0, 0]], return_std=True)


def test_what_is_pickled_now_names_the_package_alone(objects: dict[str, Any]) -> None:
    for name in ("tensor", "model", "path", "stability"):
        again = pickle.loads(pickle.dumps(objects[name]))
        assert type(again) is type(objects[name])


def test_a_module_that_never_existed_is_an_error() -> None:
    with pytest.raises(ModuleNotFoundError):
        __import__("vest_tucker.no_such_module")
    with pytest.raises(AttributeError, match="Nobody"):
        _ = vt.model.Nobody
