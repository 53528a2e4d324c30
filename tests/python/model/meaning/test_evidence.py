"""Frames of the history and of what elements carry."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import vest_tucker as vt
from small import everywhere, labelled, with_biases


@pytest.fixture
def entries(model: vt.TuckerModel, rng: np.random.Generator) -> vt.SparseTensor:
    """All cells of the labelled model, with noise and weights."""
    coords = everywhere(model)
    values = model.predict(coords) + rng.normal(size=len(coords))
    named = labelled(model)
    return vt.SparseTensor(
        coords, values, model.shape, modes=named.modes, labels=named.labels,
        weights=rng.uniform(0.5, 2.0, len(coords)),
    )  # fmt: skip


def squared_error(model: vt.TuckerModel, X: vt.SparseTensor) -> float:
    weights = np.ones(X.nnz) if X.weights is None else X.weights
    return float((weights * (X.values - model.predict(X, unseen="zero")) ** 2).sum())


def test_responsibilities_are_what_the_error_gains(
    model: vt.TuckerModel, entries: vt.SparseTensor, rng: np.random.Generator
) -> None:
    biased = dataclasses.replace(with_biases(labelled(model), rng))
    found = biased.responsibilities(entries)
    before = squared_error(biased, entries)
    for part, carried in enumerate(found):
        for at in np.ndindex(carried.shape):
            core, factors = biased.core.copy(), [each.copy() for each in biased.factors]
            [core, *factors][part][at] = 0.0
            without = dataclasses.replace(biased, core=core, factors=factors)
            assert carried[at] == pytest.approx(squared_error(without, entries) - before, abs=1e-9)


def test_columns_sum_up_to_components(model: vt.TuckerModel, entries: vt.SparseTensor) -> None:
    named = labelled(model)
    measured = named.measure_importance(entries).measured
    assert measured is not None
    for own, carried in zip(measured.components, named.responsibilities(entries)[1:], strict=True):
        np.testing.assert_allclose(carried.sum(axis=0), own)


def test_the_models_arrays_stay(model: vt.TuckerModel, entries: vt.SparseTensor) -> None:
    named = labelled(model)
    before = named.core.copy()
    named.responsibilities(entries)[0][...] = 7.0
    np.testing.assert_array_equal(named.core, before)


def test_responsibility_frame(model: vt.TuckerModel, entries: vt.SparseTensor) -> None:
    frame = labelled(model).responsibility_frame("user", entries, backend="pandas")
    assert list(frame.columns) == ["user", "component", "value", "responsibility"]
    assert len(frame) == np.count_nonzero(model.factors[0])
    assert frame["responsibility"].is_monotonic_decreasing
    carried = labelled(model).responsibilities(entries)[1]
    first = frame.iloc[0]
    row = ["ann", "bob", "Zoë", ""].index(first["user"])
    assert carried[row, first["component"]] == first["responsibility"] == carried.max()
    assert model.factors[0][row, first["component"]] == first["value"]


def test_history_frame(model: vt.TuckerModel) -> None:
    records = [vt.IterationRecord(t, 0.5 / t, 0.1, 0.1, 0.01, 0.5) for t in (1, 2)]
    frame = dataclasses.replace(model, history=records).history_frame(backend="pandas")
    assert list(frame.columns)[:3] == ["iteration", "error", "sparsity"]
    assert frame["error"].tolist() == [0.5, 0.25]
    assert len(model.history_frame(backend="pandas")) == 0


def test_plot_is_of_this_model(model: vt.TuckerModel) -> None:
    assert isinstance(model.plot, vt.ModelPlots)


def test_what_is_no_tensor(model: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.DtypeError, match="responsibilities needs a SparseTensor"):
        model.responsibilities([[0, 0, 0]])  # type: ignore[arg-type]
