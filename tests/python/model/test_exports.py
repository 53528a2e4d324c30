"""Other packages' objects of the same model: they reconstruct what the model predicts."""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
import pytest

import vest_tucker as vt
from small import everywhere, with_biases
from vest_tucker.model import exports
from vest_tucker.model.offset import Offset


def test_tensorly_reconstructs_what_the_model_predicts(model: vt.TuckerModel) -> None:
    tensorly = pytest.importorskip("tensorly")
    tucker = model.to_tensorly()
    assert tucker.shape == model.shape
    assert tucker.rank == model.ranks
    got = tensorly.to_numpy(tensorly.tucker_to_tensor(tucker))
    np.testing.assert_allclose(got.ravel(), model.predict(everywhere(model)), rtol=1e-12)
    core, factors = tucker
    assert not any(
        np.shares_memory(own, other)
        for own, other in zip([model.core, *model.factors], [core, *factors], strict=True)
    )


def test_pyttb_reconstructs_what_the_model_predicts(model: vt.TuckerModel) -> None:
    pytest.importorskip("pyttb")
    tucker = model.to_pyttb()
    assert tucker.shape == model.shape
    got = tucker.full().double()
    np.testing.assert_allclose(got.ravel(), model.predict(everywhere(model)), rtol=1e-12)
    tucker.factor_matrices[0][...] = 0.0
    assert model.factors[0].any()


@pytest.mark.parametrize("kind", ["mean", "biases"])
def test_an_offset_becomes_components(
    model: vt.TuckerModel, rng: np.random.Generator, kind: str
) -> None:
    tensorly = pytest.importorskip("tensorly")
    pytest.importorskip("pyttb")
    if kind == "biases":
        model = with_biases(model, rng)
    else:
        model = dataclasses.replace(model, offset=Offset("mean", 3.5))
    want = model.predict(everywhere(model))
    tucker = model.to_tensorly()
    more = 1 if kind == "mean" else 2
    assert tucker.rank == tuple(rank + more for rank in model.ranks)
    got = tensorly.to_numpy(tensorly.tucker_to_tensor(tucker))
    np.testing.assert_allclose(got.ravel(), want, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(
        model.to_pyttb().full().double().ravel(), want, rtol=1e-12, atol=1e-14
    )


@pytest.mark.parametrize("package", ["tensorly", "pyttb"])
def test_a_missing_package_is_named(
    model: vt.TuckerModel, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(vt.errors.MissingPackageError, match=rf"to_{package}.*vest-tucker\[peers\]"):
        getattr(model, f"to_{package}")()


def test_all_cells_as_an_array(model: vt.TuckerModel, rng: np.random.Generator) -> None:
    for each in (model, with_biases(model, rng)):
        array = each.to_dense()
        assert array.shape == model.shape
        np.testing.assert_array_equal(array.ravel(), each.predict(everywhere(model)))
    counts = [np.ones(dim, dtype=np.int64) for dim in model.shape]
    counts[0][2] = 0  # a row that had no entry
    known = dataclasses.replace(model, entries=counts)
    assert np.isnan(known.to_dense(unseen="nan")[2]).all()
    np.testing.assert_array_equal(known.to_dense()[2].ravel(), known.predict(
        everywhere(model)[everywhere(model)[:, 0] == 2]
    ))  # fmt: skip


def test_more_cells_than_are_predicted_at_once(
    model: vt.TuckerModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = model.to_dense()
    monkeypatch.setattr(exports, "AT_A_TIME", 7)
    monkeypatch.setattr("vest_tucker.data.per_row.CHUNK", 7)
    np.testing.assert_array_equal(model.to_dense(), whole)


def test_too_many_cells_are_refused_with_a_figure() -> None:
    long = np.zeros((2_000_000, 1))
    model = vt.TuckerModel(np.ones((1, 1, 1)), [long, long, long])
    with pytest.raises(
        vt.errors.NotEnoughMemoryError, match=r"8,000,000,000,000,000,000 cells.*GiB"
    ):
        model.to_dense()


def test_all_predictions_with_their_labels() -> None:
    pytest.importorskip("xarray")
    labels = (np.array(["ann", "bob"], object), np.array(["2024-01-01", "2024-01-02"], "M8[D]"))
    factors = [np.array([[1.0], [3.0]]), np.array([[1.0], [0.5]])]
    model = vt.TuckerModel(np.array([[2.0]]), factors, modes=("who", "day"), labels=labels)
    array = model.to_xarray()
    np.testing.assert_array_equal(array.values, model.to_dense())
    cell = [("bob", np.datetime64("2024-01-02"))]
    assert float(array.sel(who="bob", day="2024-01-02")) == float(model.predict(cell)[0])
