"""What comes back, as frames: which rows, in which order, with whose labels."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import LABELS, labelled, small_model
from vest_tucker.studies.stability.result import compare


@pytest.fixture
def result(rng: np.random.Generator) -> vt.Stability:
    """Three models: the reference, its copy with one label less, and another one.

    Component 2 of the last mode is pruned away in the reference.
    """
    model = labelled(small_model(rng))
    model.factors[2][:, 2] = 0.0
    copy = dataclasses.replace(model, factors=[factor.copy() for factor in model.factors])
    weakest = np.argmin(np.where(model.factors[2][:, 1] == 0.0, 9.0, model.factors[2][:, 1]))
    copy.factors[2][weakest, 1] = 0.0
    other = dataclasses.replace(model, factors=[np.eye(4)[:, [1, 3]], *model.factors[1:]])
    fits = [
        dataclasses.replace(each, error=error)
        for each, error in ((other, 0.3), (model, 0.1), (copy, 0.2))
    ]
    return compare(fits, [11, 12, 13], threshold=0.8)


def test_components(result: vt.Stability) -> None:
    frame = result.components_frame()
    assert frame.columns.tolist() == [
        "mode", "component", "returns", "share", "similarity", "chance",
    ]  # fmt: skip
    assert frame["mode"].tolist() == ["user", "user", "film", "day", "day"]
    assert frame["component"].tolist() == [0, 1, 0, 0, 1]
    assert frame["returns"].tolist()[2:] == [2, 2, 2]
    assert (frame["returns"][:2] < 2).all()
    np.testing.assert_array_equal(frame["share"], frame["returns"] / 2)
    want = [mode.similarity.mean(axis=0)[mode.exists] for mode in result.modes]
    np.testing.assert_array_equal(frame["similarity"], np.concatenate(want))
    assert frame["chance"].nunique() == 3


def test_labels(result: vt.Stability) -> None:
    frame = result.labels_frame("day")
    assert frame.columns.tolist() == [
        "day", "component", "loading", "share_nonzero", "mean", "spread",
    ]  # fmt: skip
    assert frame["component"].tolist() == [0] * 5 + [1] * 5
    for component, own in frame.groupby("component"):
        assert own["loading"].abs().is_monotonic_decreasing
        factor = result.reference.factors[2][:, component]
        column = factor / np.linalg.norm(factor)
        by_label = own.set_index("day").loc[LABELS[2]]
        np.testing.assert_allclose(by_label["loading"], column, rtol=1e-12)
        for name in ("mean", "spread"):
            got = getattr(result.modes[2], name)[:, component]
            np.testing.assert_array_equal(by_label[name], got)
    assert frame["share_nonzero"].tolist()[:4] == [1.0] * 4
    assert frame["share_nonzero"].tolist()[4] == 0.0  # a zero that stays one
    assert frame["share_nonzero"].tolist()[5:] == [1.0] * 4 + [0.5]  # the label that one fit lacks
    assert len(result.labels_frame(2, nonzero=True)) == 9


def test_interactions(result: vt.Stability) -> None:
    frame = result.core_frame()
    assert frame.columns.tolist() == [
        "user", "film", "day", "value", "returns", "share", "mean", "spread",
    ]  # fmt: skip
    assert len(frame) == np.count_nonzero(result.reference.core)
    assert frame["value"].abs().is_monotonic_decreasing
    for row in frame.itertuples():
        at = (row.user, row.film, row.day)
        assert row.value == result.core.value[at]
        returned = result.core.returned.reshape(2, *result.core.value.shape)
        assert row.returns == returned[(slice(None), *at)].sum() == 2 * row.share
    assert (frame["returns"][frame["day"] == 2] == 0).all()  # its component is pruned away


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_any_library(result: vt.Stability, backend: Any) -> None:
    for frame in (
        result.components_frame(backend=backend),
        result.labels_frame("user", backend=backend),
        result.core_frame(backend=backend),
    ):
        assert type(frame).__module__.partition(".")[0] == backend


def test_modes_called_like_columns_stay_apart(result: vt.Stability) -> None:
    names = ("loading", "share", "component")
    models = [dataclasses.replace(each, modes=names) for each in result.models]
    renamed = dataclasses.replace(result, models=models)
    assert renamed.labels_frame("loading").columns[0] == "loading_"
    assert renamed.labels_frame("component").columns[0] == "component_"
    assert renamed.core_frame().columns.tolist()[:3] == ["loading", "share_", "component"]


def test_unknown_modes_are_named(result: vt.Stability) -> None:
    with pytest.raises(vt.errors.ModeError, match="no mode 'colour'"):
        result.labels_frame("colour")
