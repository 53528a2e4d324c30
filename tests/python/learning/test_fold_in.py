"""New rows without a refit: the paper's row update to its end, and what is done with labels."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import MODES, labelled_tensor
from vest_tucker import _core
from vest_tucker.base.options import penalty_kind
from vest_tucker.learning.column_penalties import column_penalties


def split(X: vt.SparseTensor, first_new: int = 30) -> Any:
    """Return old users' entries, half of the new users', and the other half."""
    new = X.coords[:, 0] >= first_new
    given = np.random.default_rng(0).random(X.nnz) < 0.5
    return tuple(
        labelled_tensor(X.coords[m], X.values[m]) for m in (~new, new & given, new & ~given)
    )


@pytest.mark.parametrize("loss", ["lf", "l1"])
@pytest.mark.parametrize(("offset", "rows_pay"), [(None, "equal"), ("mean", "sqrt")])
def test_rows_are_where_the_solver_ends(
    planted: vt.SparseTensor, loss: Any, offset: Any, rows_pay: Any
) -> None:
    old, given, _ = split(planted)
    model = vt.fit(
        old, 2, loss=loss, offset=offset, lam=0.05, lam_rows=rows_pay, sparsity=0, seed=0, threads=1
    )
    folded = model.fold_in("user", given, nonnegative=False, threads=1)
    scale = column_penalties(model.core, model.factors, loss, 1.0)[0]
    scale **= 0.5 if loss == "lf" else 1.0
    rows = np.zeros((given.shape[0], 2))
    mean = 0.0 if model.offset is None else model.offset.mean
    core = model.core / scale[:, None, None]
    factors = [rows, *(a.copy() for a in model.factors[1:])]
    tensor = _core.SparseTensor(given.coords, given.values - mean, given.shape)
    solver = _core.Solver(
        tensor, core, factors, kind=penalty_kind(loss).penalty, lam=model.lam_used, threads=1
    )
    if rows_pay == "sqrt":  # as much beside the rows of the fit as their entries say
        usual = np.sqrt(np.bincount(old.coords[:, 0])).mean()
        weights = np.sqrt(np.bincount(given.coords[:, 0], minlength=len(rows))) / usual
        solver.set_penalty(1, lam=model.lam_used, row_weight=weights)
    for _ in range(500):
        solver.update_factor(0)
    want = rows / scale
    np.testing.assert_allclose(folded.factors[0][-len(rows) :], want, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("offset", [None, "mean", "biases"])
def test_new_users_are_predicted_and_all_else_is_shared(
    planted: vt.SparseTensor, offset: Any
) -> None:
    old, given, test = split(planted)
    model = vt.fit(old, 2, offset=offset, lam=0.05, sparsity=0, seed=0, threads=1, preset="paper")
    folded = model.fold_in(0, given, threads=1)
    assert folded.shape == (40, 30, 8)
    assert folded.labels[0] is not None
    assert folded.labels[0].tolist()[30:] == [f"user {i:02}" for i in range(30, 40)]
    assert vt.relative_error(folded, test) < 0.6 * vt.relative_error(model, test)
    assert folded.core is model.core
    assert all(a is b for a, b in zip(folded.factors[1:], model.factors[1:], strict=True))
    np.testing.assert_array_equal(folded.factors[0][:30], model.factors[0])
    assert folded.entries is not None
    assert folded.entries[0][30:].sum() == given.nnz
    assert (folded.nnz, folded.stopped, folded.history) == (old.nnz + given.nnz, "folded in", [])
    assert folded.error == vt.relative_error(folded, given)
    assert "folded in" in str(folded)
    assert "on the new entries" in str(folded)


def test_biases_of_new_rows_are_shrunken_means(planted: vt.SparseTensor) -> None:
    old, given, _ = split(planted)
    model = vt.fit(old, 2, offset="biases", lam=0.05, seed=0, threads=1, preset="paper")
    folded = model.fold_in("user", given, threads=1)
    assert model.offset is not None
    assert folded.offset is not None
    _, films, days = model.offset.biases
    for row in range(30, 40):
        left = [
            x - model.offset.mean - films[c[1]] - days[c[2]]
            for c, x in zip(given.coords, given.values, strict=True)
            if c[0] == row - 30
        ]
        want = sum(left) / (len(left) + model.offset.shrinkage[0])
        assert folded.offset.biases[0][row] == pytest.approx(want, rel=1e-9)
    unknown = dataclasses.replace(model.offset, shrinkage=())
    again = dataclasses.replace(model, offset=unknown).fold_in("user", given, threads=1)
    assert again.shape == folded.shape


def test_a_standardized_model_takes_the_same_rows(planted: vt.SparseTensor) -> None:
    old, given, test = split(planted)
    one, two = (
        vt.fit(old, 2, lam=0.05, sparsity=0, seed=0, threads=1, standardize=how, preset="paper")
        .fold_in("user", given, threads=1)
        .predict(test)
        for how in (True, False)
    )
    np.testing.assert_allclose(one, two, rtol=1e-6)


def test_what_the_model_does_not_know_counts_as_in_predictions(planted: vt.SparseTensor) -> None:
    old, given, _ = split(planted)
    model = vt.fit(old, 2, lam=0.05, sparsity=0, seed=0, threads=1, preset="paper")
    films = list(given.labels[1])
    films[3] = "nowhere"
    labels: Any = [given.labels[0], films, given.labels[2]]
    X = vt.SparseTensor(given.coords, given.values, modes=MODES, labels=labels)
    n = int((given.coords[:, 1] == 3).sum())
    with pytest.warns(
        vt.errors.UnseenLabelsWarning, match=f"{n} of {X.nnz}.*'nowhere' in mode 'film'"
    ):
        folded = model.fold_in("user", X, threads=1)
    assert folded.shape == (40, 30, 8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fold_in("user", given, threads=1)


def test_rows_that_the_model_has_are_for_update(planted: vt.SparseTensor) -> None:
    old, given, _ = split(planted)
    model = vt.fit(old, 2, lam=0.05, max_iter=3, seed=0, threads=1, preset="paper")
    with pytest.raises(
        vt.errors.LabelError, match=r"'user 00' in mode 'user'.*update takes entries"
    ):
        model.fold_in("user", old.subset(old.coords[:, 0] == 0))
    with pytest.raises(vt.errors.ModeError, match="no mode 'movie'"):
        model.fold_in("movie", given)


def test_numbers_where_there_are_no_labels(planted: vt.SparseTensor) -> None:
    model = vt.fit(planted, 2, lam=0.05, max_iter=5, seed=0, threads=1, preset="paper")
    folded = model.fold_in(0, vt.SparseTensor([[42, 0, 0], [42, 1, 1]], [1.0, 2.0]), threads=1)
    assert folded.shape == (43, 30, 8)
    assert not folded.factors[0][40:42].any()
    assert folded.factors[0][42].any()
    assert folded.entries is not None
    assert folded.entries[0][40:].tolist() == [0, 0, 2]
    bare = dataclasses.replace(model, entries=None)
    assert bare.fold_in(0, vt.SparseTensor([[40, 0, 0]], [1.0])).entries is None


@pytest.mark.parametrize("options", [{"preset": "paper", "lam": 0.05}, {"offset": "mean"}])
def test_numbers_of_other_modes_that_the_model_does_not_have(
    planted: vt.SparseTensor, options: dict[str, Any]
) -> None:
    old, given, _ = split(planted)
    bare = vt.SparseTensor(old.coords, old.values)
    model = vt.fit(bare, 2, seed=0, threads=1, **options)
    coords = given.coords.copy()
    coords[:, 0] += bare.shape[0]
    known = model.fold_in(0, vt.SparseTensor(coords, given.values), threads=1)
    coords[0, 1] = 31  # a film that nobody has rated
    X = vt.SparseTensor(coords, given.values)
    with pytest.warns(vt.errors.UnseenLabelsWarning, match=f"1 of {X.nnz}.* 31 in mode 'mode_1'"):
        folded = model.fold_in(0, X, threads=1)
    assert folded.shape == known.shape
    assert folded.error == pytest.approx(known.error, rel=0.2)
    rows = {"mode_0": coords[:, 0], "mode_1": coords[:, 1], "mode_2": coords[:, 2]}
    left = X.values - folded.predict(rows)
    assert folded.error == pytest.approx(float(np.linalg.norm(left)) / X.norm)
