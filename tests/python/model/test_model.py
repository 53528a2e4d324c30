"""The model: what it holds, what it predicts, what it tells a reader."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import LABELS, MODES, dense, everywhere, fitted, labelled, with_biases


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
    with pytest.raises(vt.errors.ShapeError, match="factor 2"):
        model.predict(cells)
    model.factors[2] = np.array([["a"]])
    with pytest.raises(vt.errors.DtypeError, match="factors"):
        model.predict(cells)


def test_repr_and_pickling(model: vt.TuckerModel) -> None:
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
    with pytest.raises(vt.errors.LabelError, match="'film' has 2 labels but the dimension 3"):
        dataclasses.replace(model, modes=MODES, labels=(None, np.arange(2), None))
    with pytest.raises(vt.errors.ModeError, match="both called 'user'"):
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
