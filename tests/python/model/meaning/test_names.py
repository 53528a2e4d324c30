"""Names of components: given, taken away, kept by all that makes a model from a model."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from pathlib import Path

import numpy as np
import pytest

import vest_tucker as vt
from small import made
from vest_tucker.model.meaning.names import checked_names


def test_a_name_is_given_in_place_and_taken_away(model: vt.TuckerModel) -> None:
    assert model.title(2, 1) == "mode_2 1"
    assert model.name("mode_2", 1, "breakfast") is model
    assert model.title(2, 1) == "breakfast"
    model.name(2, 1, None).name(2, 1, None)
    assert model.title(2, 1) == "mode_2 1"


@pytest.mark.parametrize("component", [-1, 3, True, "1", 1.5])
def test_a_component_that_is_none(model: vt.TuckerModel, component: object) -> None:
    with pytest.raises(vt.errors.OptionError, match="there are those from 0 to 2"):
        model.name(2, component, "x")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "  ", 7, "two\nlines"])
def test_a_name_that_is_none(model: vt.TuckerModel, name: object) -> None:
    with pytest.raises(vt.errors.OptionError, match="choose a text"):
        model.name(2, 0, name)  # type: ignore[arg-type]


def test_copies_have_names_of_their_own(model: vt.TuckerModel) -> None:
    model.name(0, 0, "clerks")
    for other in (dataclasses.replace(model, nnz=7), copy.copy(model), copy.deepcopy(model)):
        other.name(0, 0, "students")
        assert (model.title(0, 0), other.title(0, 0)) == ("clerks", "students")


def test_files_and_pickles_keep_names(model: vt.TuckerModel, tmp_path: Path) -> None:
    model.name(0, 1, "clerks").name(2, 2, "Früh<b>")
    model.save(tmp_path / "model.npz")
    for again in (vt.TuckerModel.load(tmp_path / "model.npz"), pickle.loads(pickle.dumps(model))):
        assert again.component_names == ({1: "clerks"}, {}, {2: "Früh<b>"})


def test_a_compact_model_names_what_is_left() -> None:
    core = np.array([[0.0, 0.0, 2.0]])
    model = made(core, [np.ones((2, 1)), np.ones((3, 3))])
    model.name(1, 0, "gone").name(1, 2, "kept")
    small = model.compact()
    assert small.component_names == ({}, {0: "kept"})
    assert model.component_names == ({}, {0: "gone", 2: "kept"})


def test_learning_keeps_names(prunable: vt.SparseTensor) -> None:
    old, new = vt.train_test_split(prunable, test=0.2, seed=0)
    model = vt.fit(old, 2, seed=0).name(0, 0, "clerks")
    assert model.update(new).title(0, 0) == "clerks"


def test_a_model_pickled_before_there_were_names(model: vt.TuckerModel) -> None:
    del model.__dict__["component_names"], model.__dict__["measured"]
    assert model.title(0, 0) == "mode_0 0"
    assert model.name(0, 0, "clerks").title(0, 0) == "clerks"
    assert vt.TuckerModel.component_names == ()
    assert model.measured is None


def test_names_for_too_few_modes() -> None:
    with pytest.raises(vt.errors.OptionError, match="each of the 2 modes"):
        checked_names([{}], (1, 1))


@pytest.mark.parametrize("key", ["a", "1.5", 1.5, None, True])
def test_a_name_for_what_is_no_number(key: object) -> None:
    with pytest.raises(vt.errors.OptionError, match="by their numbers"):
        checked_names([{key: "x"}, {}], (2, 2))


@pytest.mark.parametrize("given", [3, None, "ab", {0: "x", 1: "y"}])
def test_names_that_are_no_dicts(given: object) -> None:
    with pytest.raises(
        vt.errors.OptionError, match="a dict of names by component for each of the 2"
    ):
        checked_names(given, (2, 2))


def test_frames_have_names_where_there_are_some(model: vt.TuckerModel) -> None:
    pytest.importorskip("pandas")
    assert "name" not in model.core_frame()
    model.name(2, 1, "evening")
    frame = model.factor_frame(2, backend="pandas")
    assert dict(zip(frame["component"], frame["name"], strict=True)) == {
        0: "mode_2 0", 1: "evening", 2: "mode_2 2",
    }  # fmt: skip
    assert "name" not in model.factor_frame(0)
    core = model.core_frame(backend="pandas")
    assert core["name"].str.endswith(" × evening").tolist() == (core["mode_2"] == 1).tolist()
    called = dataclasses.replace(model, modes=("name", "b", "c"))
    assert list(called.core_frame().columns) == ["name", "b", "c", "value", "name_"]


def test_the_constant_column_has_no_name(rated: vt.TuckerModel) -> None:
    pytest.importorskip("pandas")
    named = dataclasses.replace(rated).name("film", 1, "good films")
    core = named.core_frame(nonzero=True, backend="pandas")
    effect = core[(core["film"] == 1) & (core["user"] == 0)]
    assert effect["name"].tolist() == ["good films"]
