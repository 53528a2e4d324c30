"""Rows by what they do: the metric against all cells, dense rows, similar labels."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import vest_tucker as vt
from small import dense, made, small_model
from vest_tucker.reading.rows import metric

pytest.importorskip("pandas")


def test_the_metric_is_the_mean_square_of_what_rows_add(rng: np.random.Generator) -> None:
    model = small_model(rng)
    counts = [rng.integers(1, 9, dim) for dim in model.shape]
    model = dataclasses.replace(model, entries=counts)
    cells = dense(model)
    for mode, factor in enumerate(model.factors):
        others = [counts[n] / counts[n].sum() for n in range(3) if n != mode]
        weights = np.multiply.outer(*others)
        want = [(np.take(cells, i, axis=mode) ** 2 * weights).sum() for i in range(len(factor))]
        got = np.einsum("ij,jk,ik->i", factor, metric(model, mode), factor)
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-15)


def test_a_constant_column_is_left_out(rated: vt.TuckerModel) -> None:
    found = metric(rated, 1)
    assert not found[0].any()
    assert not found[:, 0].any()
    assert found[1:, 1:].any()


def test_dense_rows_are_those_of_most_elements(town: vt.TuckerModel) -> None:
    core, factors = np.ones((2, 2)), [[[1.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 0.0]], np.eye(2)]
    model = made(
        core, factors, modes=("film", "who"), labels=[["a", "b", "c", "d"], None],
        entries=[[9, 5, 5, 1], [10, 10]],
    )  # fmt: skip
    frame = model.dense_rows("film", backend="pandas")
    assert list(frame.columns) == ["film", "n_nonzero", "importance", "entries"]
    assert frame["film"].tolist() == ["c", "b", "a"]
    assert frame["n_nonzero"].tolist() == [2, 2, 1]
    assert frame["entries"].tolist() == [5, 5, 9]
    assert len(model.dense_rows(0, k=1)) == 1
    rows = town.dense_rows("dish", k=24, backend="pandas")
    kept = np.count_nonzero(town.factors[1], axis=1)
    assert rows["n_nonzero"].tolist() == sorted(kept.tolist(), reverse=True)


def test_the_constant_column_is_not_counted(rated: vt.TuckerModel) -> None:
    frame = rated.dense_rows("film", k=80, backend="pandas")
    most = np.count_nonzero(rated.factors[1][:, 1:], axis=1).max()
    assert frame["n_nonzero"].iloc[0] == most


def test_labels_of_the_same_group_are_alike(town: vt.TuckerModel) -> None:
    frame = town.similar("dish", "muesli", k=5, backend="pandas")
    assert set(frame["dish"]) == {"scrambled eggs", "porridge", "croissant", "bagel", "espresso"}
    np.testing.assert_allclose(frame["similarity"], 1.0)
    assert (frame["entries"] > 0).all()
    everybody = town.similar("person", "Leo (clerk)", k=200, backend="pandas")
    clerks = everybody["person"].str.contains("clerk")
    assert everybody["similarity"][clerks].min() > 0.99
    assert everybody["similarity"][~clerks].max() < 0.5


def test_similarity_is_the_cosine_of_what_labels_predict(rng: np.random.Generator) -> None:
    model = small_model(rng)
    cells = dense(model).reshape(4, -1)
    frame = model.similar(0, 0, backend="pandas")
    want = cells @ cells[0] / np.linalg.norm(cells, axis=1).clip(1e-300) / np.linalg.norm(cells[0])
    # Rows that a model without counts has not seen do not count in moments: all of them have.
    np.testing.assert_allclose(
        frame.set_index("mode_0")["similarity"].loc[[2, 3]], want[[2, 3]], rtol=1e-10
    )
    assert 1 not in frame["mode_0"].tolist()  # all zero


def test_what_nothing_is_like(model: vt.TuckerModel) -> None:
    with pytest.raises(vt.errors.LabelError, match="adds nothing"):
        model.similar(0, 1)
    for nobody in (9, "eve"):
        with pytest.raises(vt.errors.LabelError, match="there is no"):
            model.similar(0, nobody)


def test_a_slip_is_answered_with_what_may_be_meant(model: vt.TuckerModel) -> None:
    people = np.array(["anna", "bert", "carl", "dora"], dtype=object)
    named = dataclasses.replace(model, labels=(people, None, None))
    with pytest.raises(vt.errors.LabelError, match=r"no 'Berd' in .* \(did you mean 'bert'\?\)$"):
        named.similar(0, "Berd")


def test_a_label_that_is_not_there_may_be_a_slip(town: vt.TuckerModel) -> None:
    with pytest.raises(
        vt.errors.LabelError, match=r"no 'Leo' in .* \(did you mean 'Leo \(student\)'\?\)$"
    ):
        town.similar("person", "Leo")
    with pytest.raises(vt.errors.LabelError, match=r"no 'xyz' in mode 'person' of the model$"):
        town.similar("person", "xyz")
