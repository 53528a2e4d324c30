"""Slices of the core over the components of two modes."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from drawn import constant_model, finished, labels, model_of, pyplot
from vest_tucker.reading.captions import amount


def test_slices_are_the_core(sparse: vt.TuckerModel) -> None:
    axes = finished(sparse.plot.core(style="slices", modes=("person", 0)))
    seen = sparse.oriented().core
    assert len(axes) == 2
    for week, ax in enumerate(axes):
        assert ax.get_title(loc="left") == f"week {week}"
        assert len(ax.collections[0].get_paths()) == np.count_nonzero(seen[:, :, week])
        written = {text.get_text() for text in ax.texts}
        assert written == {amount(value, 2) for value in seen[:, :, week][seen[:, :, week] != 0]}
    assert labels(axes[0].yaxis) == [f"person {j}" for j in range(4)]


def test_slices_of_a_constant_model_leave_the_mean_out() -> None:
    axes = finished(constant_model().plot.core(style="slices"))
    assert [ax.get_title(loc="left") for ax in axes] == ["any day"]
    assert labels(axes[0].yaxis) == ["any film", "film 1"]
    assert {text.get_text() for text in axes[0].texts} == {"+2", "-1", "+0.5"}


def test_few_slices_of_many(rng: np.random.Generator) -> None:
    model = model_of(rng.random((2, 2, 3, 3)), [rng.random((4, r)) for r in (2, 2, 3, 3)])
    axes = finished(model.plot.core(style="slices", n=3))
    assert len(axes) == 3
    assert "3 of 4 slices shown" in axes[0].get_title(loc="left")


def test_two_modes_have_one_slice() -> None:
    model = model_of([[2.0, 0.0]], [[[1.0], [3.0]], [[1.0, 0.5], [0.0, 1.0]]])
    (ax,) = finished(model.plot.core(style="slices"))
    assert ax.get_title(loc="left") == ""


def test_of_many_components_only_those_used_and_the_strongest_slices() -> None:
    core = np.zeros((2, 20, 20))
    core[0, 3, 5], core[1, 7, 5], core[1, 3, 19] = 1.0, -2.0, 0.5
    model = model_of(core, [np.eye(2), np.eye(20), np.eye(20)])
    axes = finished(model.plot.core(style="slices"))
    assert labels(axes[0].yaxis) == ["mode_1 3", "mode_1 7"]
    assert labels(axes[0].xaxis) == ["mode_2 5", "mode_2 19"]
    (strongest,) = finished(model.plot.core(style="slices", n=1))
    assert strongest.get_title(loc="left") == "mode_0 1\n1 of 2 slices shown"


def test_elements_that_meet_an_empty_component_are_no_relations() -> None:
    model = model_of([[2.0, 3.0]], [[[1.0], [3.0]], [[1.0, 0.0], [0.5, 0.0]]])
    (ax,) = finished(model.plot.core(style="slices"))
    assert [text.get_text() for text in ax.texts] == ["+2"]


def test_what_is_no_slice(sparse: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.OptionError, match="twice the same"):
        sparse.plot.core(style="slices", modes=(1, "person"))
    zero = model_of([[0.0]], [[[1.0]], [[1.0]]])
    with pytest.raises(vt.errors.OptionError, match="no relations"):
        zero.plot.core(style="slices")


def test_on_axes_given(sparse: vt.TuckerModel) -> None:
    axes = pyplot.figure().subplots(1, 2)
    assert list(sparse.plot.core(style="slices", modes=(0, 1), ax=axes)) == list(axes)
