"""Other packages' objects of the same model: they reconstruct what the model predicts."""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
import pytest

import vest_tucker as vt
from small import everywhere, with_biases
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
    with pytest.raises(vt.MissingPackageError, match=rf"to_{package}.*vest-tucker\[peers\]"):
        getattr(model, f"to_{package}")()
