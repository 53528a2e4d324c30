"""A model that learns from new entries alone: what it gains, what it keeps, what cannot matter."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import MODES, labelled_tensor


def halves(X: vt.SparseTensor, first: Any) -> tuple[vt.SparseTensor, vt.SparseTensor]:
    old, new = (labelled_tensor(X.coords[m], X.values[m]) for m in (first, ~first))
    return old, new


def shuffled(X: vt.SparseTensor, order: Any) -> vt.SparseTensor:
    """Return the same entries in another order, with modes and labels back to front."""
    labels: Any = [each[::-1] for each in X.labels[::-1] if each is not None]
    coords = np.array(X.shape) - 1 - X.coords
    return vt.SparseTensor(
        coords[order][:, ::-1].copy(), X.values[order], modes=X.modes[::-1], labels=labels
    )


@pytest.mark.parametrize("loss", ["lf", "l1"])
@pytest.mark.parametrize(("offset", "missed"), [(None, 0.05), ("mean", 0.5), ("biases", 0.1)])
def test_an_update_gains_most_of_what_a_fit_to_all_entries_would(
    planted: vt.SparseTensor, loss: Any, offset: Any, missed: float
) -> None:
    """From the error of a fit to 15 % of the entries towards that of a fit to all of them."""
    train, test = vt.train_test_split(planted, 0.2, seed=0)
    few = np.random.default_rng(0).random(train.nnz) < 0.15
    old, new = halves(train, few)
    test = labelled_tensor(test.coords, test.values)
    known: Any = {"loss": loss, "offset": offset, "lam": 0.05, "sparsity": 0, "seed": 0}
    model = vt.fit(old, 2, threads=1, **known, preset="paper")
    full = vt.fit(
        labelled_tensor(train.coords, train.values), 2, threads=1, **known, preset="paper"
    )
    updated = model.update(new, threads=1)
    before, after, best = (vt.relative_error(m, test) for m in (model, updated, full))
    assert best < 0.8 * before  # there is something to learn
    assert after - best < missed * (before - best)
    assert updated.core is model.core
    assert (updated.nnz, updated.stopped, updated.n_iter) == (train.nnz, "updated", 0)
    assert updated.error == vt.relative_error(updated, new)
    assert updated.entries is not None
    assert [int(n.sum()) for n in updated.entries] == [train.nnz] * 3


@pytest.mark.parametrize("offset", [None, "mean", "biases"])
@pytest.mark.parametrize("loss", ["lf", "l1"])
def test_entries_that_are_predicted_exactly_change_nothing(
    planted: vt.SparseTensor, loss: Any, offset: Any
) -> None:
    X = labelled_tensor(planted.coords, planted.values)
    model = vt.fit(X, 3, loss=loss, offset=offset, lam=0.02, sparsity=0.4, seed=0, threads=1)
    exact = vt.SparseTensor(X.coords, model.predict(X), modes=MODES, labels=X.labels)
    updated = model.update(exact, threads=1)
    for mine, own in zip(updated.factors, model.factors, strict=True):
        np.testing.assert_allclose(mine, own, atol=1e-9 * np.abs(own).max())
        np.testing.assert_array_equal(mine == 0.0, own == 0.0)
    assert updated.error < 1e-9
    assert model.factors[0].flags.writeable


def test_zeros_and_rows_without_new_entries_stay(planted: vt.SparseTensor) -> None:
    X = labelled_tensor(planted.coords, planted.values)
    model = vt.fit(X, 3, lam=0.02, sparsity=0.5, seed=0, threads=1, preset="paper")
    before = [a.copy() for a in model.factors]
    updated = model.update(X.subset(X.coords[:, 0] < 5), threads=1)
    np.testing.assert_array_equal(updated.factors[0][5:], before[0][5:])
    assert not np.array_equal(updated.factors[0][:5], before[0][:5])
    for mine, own in zip(updated.factors, before, strict=True):
        assert not mine[own == 0.0].any()
    for own, was in zip(model.factors, before, strict=True):
        np.testing.assert_array_equal(own, was)


def test_signs_stay_where_there_are_no_others(planted: vt.SparseTensor) -> None:
    X = labelled_tensor(planted.coords, planted.values)
    model = vt.fit(X, 2, lam=0.02, sparsity=0, max_iter=3, seed=0, threads=1, preset="paper")
    positive = dataclasses.replace(model, factors=[np.abs(a) for a in model.factors])
    low = vt.SparseTensor(X.coords, -np.abs(X.values), modes=MODES, labels=X.labels)
    assert min(a.min() for a in positive.update(low, threads=1).factors) >= 0.0
    free = positive.update(low, nonnegative=False, threads=1)
    assert min(a.min() for a in free.factors) < 0.0


def test_a_row_moves_the_less_the_more_entries_it_had(planted: vt.SparseTensor) -> None:
    X = labelled_tensor(planted.coords, planted.values)
    model = vt.fit(X, 2, lam=0.02, sparsity=0, seed=0, threads=1, preset="paper")
    assert model.entries is not None
    one = vt.SparseTensor(X.coords[:1], X.values[:1] + 5.0, X.shape, modes=MODES, labels=X.labels)
    moves = []
    for times in (1, 10, 1000):
        entries = [n * times for n in model.entries]
        moved = dataclasses.replace(model, entries=entries).update(one, threads=1)
        change = zip(moved.factors, model.factors, strict=True)
        moves.append(max(float(np.abs(a - b).max()) for a, b in change))
    assert moves[0] > 3 * moves[1] > 30 * moves[2] > 0.0


@pytest.mark.parametrize("offset", [None, "biases"])
def test_the_order_of_entries_labels_and_modes_does_not_matter(
    planted: vt.SparseTensor, offset: Any
) -> None:
    first = (planted.coords[:, 0] < 30) & (planted.coords[:, 1] < 25)
    old, new = halves(planted, first)
    model = vt.fit(old, 2, offset=offset, lam=0.05, sparsity=0.2, seed=0, threads=1, preset="paper")
    order = np.random.default_rng(1).permutation(new.nnz)
    one, other = model.update(new), model.update(shuffled(new, order))
    everything = labelled_tensor(planted.coords, planted.values)
    np.testing.assert_allclose(one.predict(everything), other.predict(everything), rtol=1e-6)
    np.testing.assert_array_equal(model.update(new, threads=1).factors[0], one.factors[0])


@pytest.mark.parametrize("offset", [None, "mean", "biases"])
def test_new_labels_in_several_modes_at_once(planted: vt.SparseTensor, offset: Any) -> None:
    train, test = vt.train_test_split(planted, 0.2, seed=0)
    inside = (train.coords[:, 0] < 30) & (train.coords[:, 1] < 22) & (train.coords[:, 2] < 7)
    old, new = halves(train, inside)
    model = vt.fit(old, 2, offset=offset, lam=0.05, sparsity=0, seed=0, threads=1, preset="paper")
    updated = model.update(new, threads=1)
    assert model.shape == (30, 22, 7)
    assert updated.shape == (40, 30, 8)
    outside = (test.coords[:, 0] >= 30) & (test.coords[:, 1] >= 22)
    held_out = labelled_tensor(test.coords[outside], test.values[outside])
    assert vt.relative_error(updated, held_out) < 0.7 * vt.relative_error(model, held_out)
    if updated.offset is not None and offset == "biases":
        assert [len(b) for b in updated.offset.biases] == [40, 30, 8]
    assert updated.predict(held_out, unseen="error").shape == (held_out.nnz,)


def test_rows_that_had_no_entries_learn_like_new_ones(planted: vt.SparseTensor) -> None:
    known = planted.coords[:, 0] < 30
    labels: Any = [[f"user {i:02}" for i in range(40)], None, None]
    X = vt.SparseTensor(planted.coords, planted.values, planted.shape, labels=labels)
    few: Any = [labels[0][:30], None, None]
    small = vt.SparseTensor(planted.coords[known], planted.values[known], (30, 30, 8), labels=few)
    models = [vt.fit(x, 2, lam=0.05, scale_lam=False, sparsity=0, tol=None, max_iter=1, seed=0,
                     init=(np.ones((2, 2, 2)), [np.eye(d, 2) + 0.1 for d in x.shape]), threads=1,
                     preset="paper")
              for x in (X.subset(known), small)]  # fmt: skip
    one, two = (m.update(X.subset(~known), threads=1) for m in models)
    np.testing.assert_allclose(one.predict(X), two.predict(X), rtol=1e-6)


def test_what_update_needs(planted: vt.SparseTensor, tmp_path: Path) -> None:
    model = vt.fit(
        planted, 2, offset="biases", lam=0.05, max_iter=3, seed=0, threads=1, preset="paper"
    )
    with pytest.raises(vt.errors.OptionError, match="its entries are None"):
        dataclasses.replace(model, entries=None).update(planted)
    with pytest.raises(vt.errors.OptionError, match="needs the penalty"):
        dataclasses.replace(model, loss="").update(planted)
    zero = vt.SparseTensor([[0, 0, 0]], [0.0], planted.shape)
    updated = model.update(zero)
    assert np.isnan(updated.error)
    updated.save(tmp_path / "model.npz")
    again = vt.TuckerModel.load(tmp_path / "model.npz").update(planted)
    np.testing.assert_array_equal(again.factors[0], updated.update(planted).factors[0])


@pytest.mark.parametrize("offset", ["biases", "mean", None])
@pytest.mark.parametrize("by", ["random", "year"])
def test_on_ratings(vest_data: Path, offset: Any, by: str) -> None:
    table = np.loadtxt(vest_data / "ML_small.tns.gz")
    X = vt.SparseTensor(table[:, :-1].astype(np.int64) - 1, table[:, -1])
    train, held_out = vt.train_test_split(X, 0.1, seed=0)
    years = train.coords[:, 2]
    random = np.random.default_rng(0).random(train.nnz) < 0.5
    old, new = halves(train, random if by == "random" else years <= np.median(years))
    test = labelled_tensor(held_out.coords, held_out.values)
    known: Any = {"loss": "lf", "offset": offset, "seed": 0, "threads": 1}
    model = vt.fit(old, (6, 6, 2, 2), **known, preset="paper")
    full = vt.fit(
        labelled_tensor(train.coords, train.values), (6, 6, 2, 2), **known, preset="paper"
    )
    before, after, best = (
        vt.relative_error(m, test) for m in (model, model.update(new, threads=1), full)
    )
    assert after < before - 0.005
    assert after - best < 0.65 * (before - best)


def test_months_to_come_with_thousands_of_new_users_and_films(vest_data: Path) -> None:
    """All new entries are in new months: rows fitted to those, themselves new, would run away."""
    files = [vest_data / f"movietweetings_{part}.tns.gz" for part in ("train", "test")]
    if not all(file.is_file() for file in files):
        pytest.skip("VEST_DATA holds no MovieTweetings")
    train, held_out = (np.loadtxt(file) for file in files)
    first = train[:, 2] <= 6
    old, new, test = (
        labelled_tensor(table[:, :-1].astype(int), table[:, -1])
        for table in (train[first], train[~first], held_out)
    )
    known: Any = {"loss": "lf", "sparsity": 0.65, "allocation": "global", "seed": 0, "threads": 1}
    model = vt.fit(old, (6, 6, 2, 2), offset="biases", **known, preset="paper")
    updated = model.update(new, threads=1)
    assert min(now - then for now, then in zip(updated.shape, model.shape, strict=True)) >= 0
    assert updated.shape[0] > model.shape[0] + 1000
    assert vt.relative_error(updated, test) < vt.relative_error(model, test) - 0.005
