"""The model: what it holds, what it predicts, what it tells a reader."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from models import LABELS, MODES, dense, everywhere, fitted, labelled, small_model, with_biases
from vest_tucker.model import constant_error


@pytest.fixture
def model(rng: np.random.Generator) -> vt.TuckerModel:
    return small_model(rng)


def test_sizes_and_counts(model: vt.TuckerModel) -> None:
    assert (model.shape, model.ranks, model.order) == ((4, 3, 5), (2, 1, 3), 3)
    assert model.n_parameters == 6 + 8 + 3 + 15 - 3
    assert model.sparsity == pytest.approx(3 / 32)
    assert (model.n_iter, fitted(model).n_iter) == (0, 1)
    assert isinstance(model.factors, list)


def test_offsets_count_as_parameters_but_not_in_the_sparsity(
    model: vt.TuckerModel, rng: np.random.Generator
) -> None:
    biased = with_biases(model, rng)
    assert biased.n_nonzero == model.n_nonzero == model.n_parameters
    assert biased.n_parameters == model.n_nonzero + 1 + 3 + 2 + 4
    assert biased.sparsity == model.sparsity


def test_predictions_add_the_offset(model: vt.TuckerModel, rng: np.random.Generator) -> None:
    biased = with_biases(model, rng)
    assert biased.offset is not None
    users, films, days = biased.offset.biases
    want = dense(model) + 3.5 + users[:, None, None] + films[:, None] + days
    np.testing.assert_allclose(biased.predict(everywhere(model)), want.ravel(), rtol=1e-12)
    np.testing.assert_allclose(labelled(biased).predict([("", 20, LABELS[2][1])]), want[3, 2, 1])


def test_parts_given_as_lists_become_arrays() -> None:
    model = vt.TuckerModel([[2]], [[[1], [3]], [[5]]])  # type: ignore[arg-type,list-item]
    assert model.core.dtype == np.float64
    assert model.predict([[1, 0]]).tolist() == [30.0]


def test_predict_is_the_tucker_sum(model: vt.TuckerModel) -> None:
    for threads in (0, 1, 3):
        got = model.predict(everywhere(model), threads=threads)
        np.testing.assert_allclose(got, dense(model).ravel(), rtol=1e-13)


def test_predict_takes_any_integers_and_no_cells_at_all(model: vt.TuckerModel) -> None:
    assert model.predict(np.array([[3, 2, 4]], dtype=np.uint8)).shape == (1,)
    assert model.predict(np.empty((0, 3), dtype=int)).shape == (0,)


def test_parts_replaced_by_hand_are_converted_or_refused(model: vt.TuckerModel) -> None:
    cells = everywhere(model)
    want = model.predict(cells)
    model.factors[0] = np.asfortranarray(model.factors[0])
    model.factors[2] = model.factors[2].astype(np.float32)
    np.testing.assert_allclose(model.predict(cells), want, rtol=1e-6)
    model.factors[2] = model.factors[2][:, :2]
    with pytest.raises(vt.ShapeError, match="factor 2"):
        model.predict(cells)
    model.factors[2] = np.array([["a"]])
    with pytest.raises(vt.DtypeError, match="factors"):
        model.predict(cells)


def test_relative_error_is_the_papers(model: vt.TuckerModel, rng: np.random.Generator) -> None:
    cells = everywhere(model)[::2]
    values = rng.normal(size=len(cells))
    want = np.linalg.norm(values - model.predict(cells)) / np.linalg.norm(values)
    assert vt.relative_error(model, vt.SparseTensor(cells, values)) == pytest.approx(want)


def test_relative_error_refuses_entries_outside_the_model(model: vt.TuckerModel) -> None:
    with pytest.raises(vt.CoordinateError):
        vt.relative_error(model, vt.SparseTensor([[4, 0, 0]], [1.0]))
    with pytest.raises(vt.ShapeError, match="2 columns but the model has 3 modes"):
        vt.relative_error(model, vt.SparseTensor([[0, 0]], [1.0]))


def test_constant_error() -> None:
    X = vt.SparseTensor([[0, 0], [0, 1]], [3.0, 4.0])
    assert constant_error(3.0, X) == pytest.approx(0.2)
    assert constant_error(X.mean, X) == pytest.approx(math.sqrt(0.5) / 5)


def test_one_line_and_pickles(model: vt.TuckerModel) -> None:
    shown = "TuckerModel(shape=(4, 3, 5), ranks=(2, 1, 3), sparsity=0.094, error=0.2000)"
    assert repr(fitted(model)) == shown
    assert repr(pickle.loads(pickle.dumps(fitted(model)))) == shown


def test_names_and_labels_are_checked_and_kept(model: vt.TuckerModel) -> None:
    assert model.modes == ("mode_0", "mode_1", "mode_2")
    assert model.labels == (None, None, None)
    named = labelled(model)
    assert named.modes == MODES
    for got, want in zip(named.labels, LABELS, strict=True):
        np.testing.assert_array_equal(got, want)
    with pytest.raises(vt.LabelError, match="'film' has 2 labels but the dimension 3"):
        dataclasses.replace(model, modes=MODES, labels=(None, np.arange(2), None))
    with pytest.raises(vt.ModeError, match="both called 'user'"):
        dataclasses.replace(model, modes=("user", "film", "user"))


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_keep_names_labels_and_counts(model: vt.TuckerModel, copied: Any) -> None:
    entries = [np.arange(dim) for dim in model.shape]
    named = dataclasses.replace(labelled(model), entries=entries)
    same = copied(named)
    assert same.modes == MODES
    assert [each.tolist() for each in same.labels] == [each.tolist() for each in LABELS]
    assert [each.tolist() for each in same.entries] == [each.tolist() for each in entries]
    cells = [("Zoë", 20, np.datetime64("2021-05-01"))]
    assert same.predict(cells) == named.predict([[2, 2, 1]])


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
    with pytest.raises(vt.LabelError, match="77 in mode 'film'"):
        vt.relative_error(named, X, unseen="error")


def test_relative_error_names_what_differs(model: vt.TuckerModel) -> None:
    named = labelled(model)
    X = vt.SparseTensor([[0, 0, 0]], [1.0], modes=("user", "film", "hour"))
    with pytest.raises(vt.ModeError, match=r"hour.*but the model has.*day"):
        vt.relative_error(named, X)
    X = vt.SparseTensor([[0, 0, 0]], [1.0], (4, 9, 5), modes=MODES)
    with pytest.raises(vt.LabelError, match="'film' the model has labels and the tensor has none"):
        vt.relative_error(named, X)
    X = vt.SparseTensor([[0, 0, 0]], [1.0], labels={"mode_0": ["ann", "bob"]})
    with pytest.raises(vt.LabelError, match="the tensor has labels and the model has none"):
        vt.relative_error(model, X)


def test_top_is_the_strongest_first_and_never_zero(model: vt.TuckerModel) -> None:
    named = labelled(model)
    users = named.top("user", component=1)
    column = named.factors[0][:, 1]
    assert users == sorted(users, key=lambda pair: -abs(pair[1]))
    assert {user for user, _ in users} == {"ann", "Zoë", ""}
    assert users[0] == (LABELS[0][column.argmax()], column.max())
    assert named.top(0, 1, n=1) == users[:1]
    assert named.top("user", 1, n=0) == []
    with pytest.raises(vt.OptionError, match="component is 2; there are those from 0 to 1"):
        named.top("user", 2)
    with pytest.raises(vt.ModeError, match="no mode 'movie'"):
        named.top("movie", 0)
