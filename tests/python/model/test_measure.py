"""The relative error of a model, and of a single number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import weighted_
from small import LABELS, MODES, dense, everywhere, labelled
from vest_tucker.model.measure import Errors, constant_error


def test_relative_error_is_that_of_the_paper(
    model: vt.TuckerModel, rng: np.random.Generator
) -> None:
    cells = everywhere(model)[::2]
    values = rng.normal(size=len(cells))
    want = np.linalg.norm(values - model.predict(cells)) / np.linalg.norm(values)
    assert vt.relative_error(model, vt.SparseTensor(cells, values)) == pytest.approx(want)


def test_relative_error_refuses_entries_outside_the_model(model: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.CoordinateError):
        vt.relative_error(model, vt.SparseTensor([[4, 0, 0]], [1.0]))
    with pytest.raises(vt.errors.ShapeError, match="2 columns but the model has 3 modes"):
        vt.relative_error(model, vt.SparseTensor([[0, 0]], [1.0]))


def test_constant_error() -> None:
    X = vt.SparseTensor([[0, 0], [0, 1]], [3.0, 4.0])
    assert constant_error(3.0, X) == pytest.approx(0.2)
    assert constant_error(X.mean, X) == pytest.approx(math.sqrt(0.5) / 5)


def test_relative_error_matches_rows_by_their_labels(
    model: vt.TuckerModel, rng: np.random.Generator
) -> None:
    named = labelled(model)
    cells = everywhere(model)[::2]
    values = rng.normal(size=len(cells))
    want = vt.relative_error(named, vt.SparseTensor(cells, values, model.shape))
    X = vt.SparseTensor(cells, values, model.shape, modes=MODES, labels=LABELS)
    assert vt.relative_error(named, X) == want
    orders = [rng.permutation(dim) for dim in model.shape]
    shuffled = np.stack([np.argsort(o)[c] for o, c in zip(orders, cells.T, strict=True)], axis=1)
    labels = [own[order] for own, order in zip(LABELS, orders, strict=True)]
    other = vt.SparseTensor(shuffled, values, modes=MODES, labels=labels)
    assert vt.relative_error(named, other) == want
    swapped = vt.SparseTensor(
        shuffled[:, ::-1].copy(), values, modes=MODES[::-1], labels=labels[::-1]
    )
    assert vt.relative_error(named, swapped) == want


def test_relative_error_of_entries_the_model_has_not_seen(model: vt.TuckerModel) -> None:
    named = labelled(model)
    films = [30, 10, 20, 77]
    labels = {"user": LABELS[0], "film": films, "day": LABELS[2]}
    X = vt.SparseTensor([[0, 3, 0], [2, 1, 1]], [3.0, 4.0], modes=MODES, labels=labels)
    seen = vt.SparseTensor([[2, 1, 1]], [4.0], model.shape)
    known = 4.0 * vt.relative_error(named, seen)
    assert vt.relative_error(named, X, unseen="zero") == pytest.approx(math.hypot(3, known) / 5)
    mean = np.mean(dense(model)[0, :, 0])
    want = math.hypot(3 - mean, known) / 5
    assert vt.relative_error(named, X) == pytest.approx(want)
    with pytest.raises(vt.errors.LabelError, match="77 in mode 'film'"):
        vt.relative_error(named, X, unseen="error")


def test_relative_error_names_what_differs(model: vt.TuckerModel) -> None:
    named = labelled(model)
    X = vt.SparseTensor([[0, 0, 0]], [1.0], modes=("user", "film", "hour"))
    with pytest.raises(vt.errors.ModeError, match=r"hour.*but the model has.*day"):
        vt.relative_error(named, X)
    X = vt.SparseTensor([[0, 0, 0]], [1.0], (4, 9, 5), modes=MODES)
    with pytest.raises(
        vt.errors.LabelError, match="'film' the model has labels and the tensor has none"
    ):
        vt.relative_error(named, X)
    X = vt.SparseTensor([[0, 0, 0]], [1.0], labels={"mode_0": ["ann", "bob"]})
    with pytest.raises(vt.errors.LabelError, match="the tensor has labels and the model has none"):
        vt.relative_error(model, X)


@weighted_
def test_rmse_and_mae_are_those_of_repeated_entries(
    model: vt.TuckerModel, rng: np.random.Generator, weighted: bool
) -> None:
    cells = everywhere(model)[::2]
    values = rng.normal(size=len(cells))
    weights = rng.integers(1, 4, len(cells)) if weighted else np.ones(len(cells), dtype=int)
    X = vt.SparseTensor(cells, values, weights=weights if weighted else None)
    left = np.repeat(values - model.predict(cells), weights)
    assert vt.rmse(model, X) == pytest.approx(np.sqrt((left**2).mean()))
    assert vt.mae(model, X) == pytest.approx(np.abs(left).mean())
    size = np.sqrt(np.average(values**2, weights=weights))
    assert vt.relative_error(model, X) == pytest.approx(vt.rmse(model, X) / size)


def test_errors_on_zeros_alone_are_not_relative(model: vt.TuckerModel) -> None:
    zero = vt.SparseTensor([[0, 0, 0]], [0.0])
    errors = Errors.of(2.0, zero)
    assert math.isnan(errors.relative_error)
    assert (errors.rmse, errors.mae) == (2.0, 2.0)
    with pytest.raises(vt.errors.AllZeroError):
        vt.relative_error(model, zero)
    assert vt.rmse(model, zero) == pytest.approx(abs(dense(model)[0, 0, 0]))


@pytest.mark.parametrize("measure", [vt.rmse, vt.mae])
def test_only_tensors_are_measured_on(model: vt.TuckerModel, measure: Any) -> None:
    with pytest.raises(vt.errors.DtypeError, match=f"{measure.__name__} needs a SparseTensor"):
        measure(model, [[1.0]])
    named = labelled(model)
    X = vt.SparseTensor([[0, 0, 0]], [1.0], modes=MODES, labels=[["nobody"], [30], LABELS[2][:1]])
    assert np.isnan(measure(named, X, unseen="nan"))
