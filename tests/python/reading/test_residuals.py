"""Where a model is wrong: sums by label and by value against plain ones, the worst cells."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from small import labelled, made

pytest.importorskip("pandas")


@pytest.fixture(params=[False, True], ids=["", "weighted"])
def found(
    request: pytest.FixtureRequest, model: vt.TuckerModel, rng: np.random.Generator
) -> vt.Residuals:
    model = labelled(model)
    cells = np.argwhere(rng.random(model.shape) < 0.7)
    X = vt.SparseTensor(
        cells, rng.normal(size=len(cells)), model.shape, modes=model.modes, labels=model.labels
    )
    if request.param:
        X = X.with_weights(rng.uniform(0.2, 4.0, X.nnz))
    return model.residuals(X)


def weights_of(found: vt.Residuals) -> np.ndarray:
    return np.ones(found.X.nnz) if found.X.weights is None else found.X.weights


def test_all_of_it(found: vt.Residuals) -> None:
    w, r = weights_of(found), found.errors
    np.testing.assert_array_equal(r, found.X.values - found.predicted)
    assert found.rmse == pytest.approx(np.sqrt((w * r**2).sum() / w.sum()))
    assert found.mean_error == pytest.approx((w * r).sum() / w.sum())


def test_by_label(found: vt.Residuals) -> None:
    frame = found.by_label("user", backend="pandas")
    assert list(frame.columns) == ["user", "entries", "mean_error", "rmse", "share"]
    assert frame["share"].sum() == pytest.approx(1.0)
    assert frame["share"].is_monotonic_decreasing
    w, r = weights_of(found), found.errors
    for _, row in frame.iterrows():
        own = found.X.coords[:, 0] == found.X.mode_labels.encode("user", [row["user"]])[0]
        assert row["entries"] == own.sum()
        assert row["mean_error"] == pytest.approx(np.average(r[own], weights=w[own]))
        assert row["rmse"] == pytest.approx(np.sqrt(np.average(r[own] ** 2, weights=w[own])))


@pytest.mark.parametrize("of", ["predicted", "observed"])
def test_by_value(found: vt.Residuals, of: str) -> None:
    frame = found.by_value(4, of=of, backend="pandas")  # type: ignore[arg-type]
    assert len(frame) == 4
    assert frame["entries"].sum() == found.X.nnz
    assert frame["entries"].max() - frame["entries"].min() <= 2
    assert (frame["low"].iloc[1:].to_numpy() > frame["high"].iloc[:-1].to_numpy()).all()
    gap = frame["mean_value"] - frame["mean_predicted"]
    np.testing.assert_allclose(frame["mean_error"], gap)
    assert (frame["rmse"] >= frame["mean_error"].abs() - 1e-12).all()


def test_by_values_that_are_few(model: vt.TuckerModel) -> None:
    X = vt.SparseTensor(np.argwhere(np.ones(model.shape)), np.repeat([1.0, 2.0, 3.0], 20))
    found = model.residuals(X)
    frame = found.by_value(10, of="observed", backend="pandas")
    assert frame[["low", "high", "entries"]].to_numpy().tolist() == [
        [1, 1, 20], [2, 2, 20], [3, 3, 20],
    ]  # fmt: skip
    same = made([[1.0]], [[[1.0]], [[1.0]]]).residuals(vt.SparseTensor([[0, 0]], [2.0]))
    frame = same.by_value(backend="pandas")
    assert frame[["low", "high", "entries", "mean_error"]].to_numpy().tolist() == [[1, 1, 1, 1]]


def test_the_worst_cells(found: vt.Residuals) -> None:
    frame = found.worst(5, backend="pandas")
    sizes = np.sqrt(weights_of(found)) * np.abs(found.errors)
    want = np.argsort(-sizes)[:5]
    np.testing.assert_array_equal(frame["error"], found.errors[want])
    np.testing.assert_array_equal(frame["value"] - frame["predicted"], frame["error"])
    assert len(found.worst(10**6)) == found.X.nnz
    assert len(found.worst(0)) == 0


def test_in_words(found: vt.Residuals) -> None:
    lines = str(found).splitlines()
    assert lines[0].startswith(f"{found.X.nnz} entries, root mean squared error {found.rmse:.4g}")
    assert lines[1].startswith("  most of it, by user: ")
    assert len(lines) == 1 + 3 + 3


def test_labels_that_the_model_does_not_have(model: vt.TuckerModel) -> None:
    model = labelled(model)
    X = vt.SparseTensor(
        [[0, 0, 0], [1, 0, 0]], [1.0, 2.0], modes=model.modes,
        labels=[["ann", "eve"], [30], [np.datetime64("2021-05-01")]],
    )  # fmt: skip
    found = model.residuals(X, unseen="nan")
    assert np.isnan(found.errors).tolist() == [False, True]
    assert found.by_value(backend="pandas")["entries"].sum() == 1
    assert (found.n_known, found.n_unknown) == (1, 1)
    assert found.rmse == abs(found.mean_error) == abs(found.errors[0])
    assert found.by_label("user", backend="pandas")["user"].tolist() == ["ann"]
    assert found.by_label("film", backend="pandas")["share"].tolist() == [1.0]
    assert found.worst(5, backend="pandas")["error"].tolist() == [found.errors[0]]
    assert str(found).startswith("1 entry, root mean squared error ")
    assert "; 1 without a prediction left out\n" in str(found)
    assert "nan" not in str(found) + repr(found)
    nothing = model.residuals(X.subset([1]), unseen="nan")
    assert str(nothing) == "no entry of 1 has a prediction"
    assert np.isnan(nothing.rmse)
    with pytest.raises(vt.errors.LabelError, match="eve"):
        model.residuals(X, unseen="error")


def test_values_that_differ_by_rounding_share_a_range() -> None:
    model = made([[1.0]], [[[1e-13], [-1e-13], [0.0], [1.0]], [[1.0]]])
    X = vt.SparseTensor([[0, 0], [1, 0], [2, 0], [3, 0]], [0.5, 0.5, 0.5, 1.0])
    assert model.residuals(X).by_value(4, backend="pandas")["entries"].tolist() == [3, 1]
