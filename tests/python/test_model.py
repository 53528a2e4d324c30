"""The model: what it holds, what it predicts, what it tells a reader."""

from __future__ import annotations

import dataclasses
import math
import pickle
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.model import constant_error


@pytest.fixture
def model(rng: np.random.Generator) -> vt.TuckerModel:
    factors = [rng.random((dim, rank)) for dim, rank in zip((4, 3, 5), (2, 1, 3), strict=True)]
    factors[0][1] = 0.0  # an empty row
    factors[2][0, 0] = 0.0
    return vt.TuckerModel(rng.random((2, 1, 3)), factors)


def fitted(model: vt.TuckerModel, **facts: Any) -> vt.TuckerModel:
    record = vt.IterationRecord(1, 0.2, 0.1, 0.1, 0.01, 0.5)
    known: dict[str, Any] = {
        "error": 0.2, "baseline_error": 0.25, "history": [record], "stopped": "max_iter",
        "loss": "l1", "lam": 5.0, "lam_used": 12.5, "nnz": 12345, "seconds": 0.5,
    }  # fmt: skip
    return dataclasses.replace(model, **(known | facts))


def test_a_record_is_a_value() -> None:
    record = vt.IterationRecord(1, 0.2, 0.1, 0.1, 0.01, 0.5)
    assert record == vt.IterationRecord(1, 0.2, 0.1, 0.1, 0.01, 0.5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.error = 0.0  # type: ignore[misc]


def test_sizes_and_counts(model: vt.TuckerModel) -> None:
    assert (model.shape, model.ranks, model.order) == ((4, 3, 5), (2, 1, 3), 3)
    assert model.n_parameters == 6 + 8 + 3 + 15 - 3
    assert model.sparsity == pytest.approx(3 / 32)
    assert (model.n_iter, fitted(model).n_iter) == (0, 1)
    assert isinstance(model.factors, list)


def test_parts_given_as_lists_become_arrays() -> None:
    model = vt.TuckerModel([[2]], [[[1], [3]], [[5]]])  # type: ignore[arg-type,list-item]
    assert model.core.dtype == np.float64
    assert model.predict([[1, 0]]).tolist() == [30.0]


def test_predict_is_the_tucker_sum(model: vt.TuckerModel) -> None:
    dense = np.einsum("abc,ia,jb,kc->ijk", model.core, *model.factors)
    cells = np.argwhere(np.ones(model.shape))
    for threads in (0, 1, 3):
        got = model.predict(cells, threads=threads)
        np.testing.assert_allclose(got, dense.ravel(), rtol=1e-13)


def test_predict_takes_any_integers_and_no_cells_at_all(model: vt.TuckerModel) -> None:
    assert model.predict(np.array([[3, 2, 4]], dtype=np.uint8)).shape == (1,)
    assert model.predict(np.empty((0, 3), dtype=int)).shape == (0,)


def test_parts_replaced_by_hand_are_converted_or_refused(model: vt.TuckerModel) -> None:
    cells = np.argwhere(np.ones(model.shape))
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
    cells = np.argwhere(np.ones(model.shape))[::2]
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


def test_the_summary_tells_all(model: vt.TuckerModel) -> None:
    lines = str(fitted(model)).splitlines()
    assert lines == [
        "Tucker model of a 4 x 3 x 5 tensor, ranks 2 x 1 x 3",
        "  fitted to   12,345 entries, L1 loss, lam 5 (12.5 after scaling)",
        "  stopped     reached max_iter after 1 iteration, 0.5 s",
        "  error       0.2000, always predicting the mean 0.2500",
        "              20 % lower error than always predicting the mean",
        "  sparsity    0.094 (29 elements are not zero)",
        "                    zeros          of    share  empty rows",
        "    core                0           6    0.0 %",
        "    factor 0            2           8   25.0 %           1",
        "    factor 1            0           3    0.0 %           0",
        "    factor 2            1          15    6.7 %           0",
    ]


@pytest.mark.parametrize(
    ("error", "baseline", "words"),
    [
        (0.3, 0.25, "WORSE than always predicting the mean"),
        (0.25, 0.25, "0 % lower error"),
        (1e-9, 1e-17, "all values are the same"),
        (math.nan, 0.25, "interrupted before the error"),
    ],
)
def test_the_verdict(model: vt.TuckerModel, error: float, baseline: float, words: str) -> None:
    assert words in str(fitted(model, error=error, baseline_error=baseline))


def test_a_model_of_zeros_says_so(model: vt.TuckerModel) -> None:
    zeros = dataclasses.replace(model, core=np.zeros(model.ranks))
    assert "predicts 0 everywhere" in str(fitted(zeros, error=1.0))


def test_a_model_made_by_hand_claims_no_fit(model: vt.TuckerModel) -> None:
    assert "fitted" not in str(model)
    assert "error" not in str(model)
    assert "after scaling" not in str(fitted(model, lam_used=5.0))
