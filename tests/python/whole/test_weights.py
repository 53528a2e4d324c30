"""Weights from end to end: a cell of weight w is w cells, and weights of one change nothing."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reference
import vest_tucker as vt
from helpers import assert_same, losses, orders, threads_
from repeated import FITS, assert_same_model, repeated, weighted_tensor
from vest_tucker.fitting.starts.random import random_start
from vest_tucker.model.measure import constant_error

FEW: dict[str, Any] = {"lam": 0.01, "max_iter": 12, "seed": 0, "threads": 1}


# --- A cell of weight w is w cells ---------------------------------------------------------------


@pytest.mark.parametrize("case", FITS)
def test_a_fit_is_that_of_repeated_entries(case: str, rng: np.random.Generator) -> None:
    X = weighted_tensor(rng)
    got = vt.fit(X, 2, **(FEW | FITS[case]), preset="paper")
    want = vt.fit(repeated(X), 2, **(FEW | FITS[case]), preset="paper")
    assert_same_model(got, want)
    assert got.nnz == X.nnz
    assert got.row_totals is not None
    assert want.row_counts is not None
    for mine, counts in zip(got.row_totals, want.row_counts, strict=True):
        np.testing.assert_array_equal(mine, counts)
    cells = [[3, 0, 0], [0, 1, 2]]  # row 3 had no entry, so that the others stand in for it
    np.testing.assert_allclose(got.predict(cells), want.predict(cells), rtol=1e-6)


@orders
@losses
@pytest.mark.parametrize("allocation", ["per_matrix", "global"])
def test_a_fit_is_that_of_the_reference(
    order: int, loss: str, allocation: Any, rng: np.random.Generator
) -> None:
    X = weighted_tensor(rng, order)
    many = repeated(X)
    core, factors = random_start(X.shape, (2,) * order, 4)
    options: dict[str, Any] = {
        "loss": loss,
        "lam": 0.7,
        "sparsity": 0.3,
        "max_iter": 6,
        "tol": None,
    }
    got = vt.fit(
        X, 2, init=(core, factors), scale_lam=False, allocation=allocation,
        standardize=False, threads=1, **options, preset="paper"
    )  # fmt: skip
    for coords, values, weights in (
        (X.coords, X.values, X.weights), (many.coords, many.values, None),
    ):  # fmt: skip
        p = reference.Problem(coords, values, core, factors, weights=weights)
        trace = reference.fit(p, loss, 0.7, 0.3, 6, allocation)
        for mine, want in zip((got.core, *got.factors), p.parts, strict=True):
            np.testing.assert_allclose(mine, want, rtol=1e-7, atol=1e-9)
        assert got.history[-1].error == pytest.approx(trace.error[-1], rel=1e-9)


def test_the_search_and_entries_held_back(rng: np.random.Generator) -> None:
    X = weighted_tensor(rng)
    train, held = vt.train_test_split(X, 0.2, seed=3)
    assert train.weights is not None
    assert held.weights is not None
    options = FEW | {"offset": "biases", "patience": 4}
    got = vt.fit(train, 2, validation=held, **options, preset="paper")
    assert_same_model(
        got, vt.fit(repeated(train), 2, validation=repeated(held), **options, preset="paper")
    )
    assert vt.fit(X, 2, **(FEW | {"lam": "auto"}), preset="paper").lam > 0.0


def test_a_path_is_that_of_repeated_entries(rng: np.random.Generator) -> None:
    X = weighted_tensor(rng)
    train, held = vt.train_test_split(X, 0.2, seed=3)
    options: dict[str, Any] = {"lam": 0.01, "seed": 0, "threads": 1, "basis": "plain", "loss": "lf"}
    got = vt.path(train, 2, validation=held, **options)
    want = vt.path(repeated(train), 2, validation=repeated(held), **options)
    for name in ("error", "validation_error", "validation_spread", "criterion"):
        mine, theirs = ([getattr(s, name) for s in p.steps] for p in (got, want))
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-9, err_msg=name)
    for rule in ("curve", "validation"):
        assert got.choose(rule) == want.choose(rule)


@losses
@pytest.mark.parametrize("offset", [None, "mean", "biases"])
def test_learning_is_that_of_repeated_entries(
    loss: str, offset: Any, rng: np.random.Generator
) -> None:
    X = weighted_tensor(rng)
    is_new = X.coords[:, 0] >= 10
    old, new = X.subset(~is_new & (np.arange(X.nnz) % 3 > 0)), X.subset(np.arange(X.nnz) % 3 == 0)
    options = FEW | {"loss": loss, "offset": offset, "lam_rows": "sqrt"}
    got, want = (
        vt.fit(old, 2, **options, preset="paper"),
        vt.fit(repeated(old), 2, **options, preset="paper"),
    )
    updated, wanted = got.update(new), want.update(repeated(new))
    assert_same_model(updated, wanted, 1e-6)
    assert updated.nnz == old.nnz + new.nnz
    assert wanted.entries is not None
    for mine, counts in zip(updated.row_totals or [], wanted.entries, strict=True):
        np.testing.assert_array_equal(mine, counts)

    small = vt.SparseTensor(old.coords, old.values, (10, 9, 7), weights=old.weights)
    got, want = (
        vt.fit(small, 2, **options, preset="paper"),
        vt.fit(repeated(small), 2, **options, preset="paper"),
    )
    rows = X.subset(is_new)
    folded, other = got.fold_in(0, rows), want.fold_in(0, repeated(rows))
    assert_same_model(folded, other, 1e-6)
    assert folded.row_totals is not None
    assert other.entries is not None
    np.testing.assert_array_equal(folded.row_totals[0], other.entries[0])


def test_a_model_without_weights_learns_from_entries_with_some(rng: np.random.Generator) -> None:
    X = weighted_tensor(rng)
    half = np.arange(X.nnz) % 2 == 0
    plain = vt.fit(X.subset(half).with_weights(None), 2, **FEW, preset="paper")
    assert plain.row_totals is None
    assert plain.entries is not None
    new = X.subset(~half)
    updated = plain.update(new)
    want = plain.update(repeated(new))
    assert_same_model(updated, want, 1e-6)
    assert updated.row_totals is not None
    total = sum(counts.sum() for counts in plain.entries[:1]) + new.total_weight
    assert updated.row_totals[0].sum() == total
    again = updated.update(X.subset(half).with_weights(None))
    assert again.row_totals is not None
    assert again.row_totals[0].sum() == total + half.sum()


# --- Weights that change nothing -----------------------------------------------------------------


@pytest.mark.parametrize("case", FITS)
def test_weights_of_one_change_not_a_bit_but_of_sums(case: str, rng: np.random.Generator) -> None:
    X = weighted_tensor(rng).with_weights(None)
    options = FEW | FITS[case]
    got, want = (
        vt.fit(X.with_weights(np.ones(X.nnz)), 2, **options, preset="paper"),
        vt.fit(X, 2, **options, preset="paper"),
    )
    assert_same_model(got, want, 1e-9)


@pytest.mark.parametrize("case", ["lf", "l1", "mean", "rows by entries", "pruned together"])
def test_the_scale_of_weights_is_that_of_lam(case: str, rng: np.random.Generator) -> None:
    X = weighted_tensor(rng)
    assert X.weights is not None
    options = FEW | FITS[case]
    want = vt.fit(X, 2, **options, preset="paper")
    got = vt.fit(X.with_weights(0.01 * X.weights), 2, **options, preset="paper")
    assert_same_model(dataclasses.replace(got, lam_used=100 * got.lam_used), want)
    unscaled = options | {"scale_lam": False, "lam": 0.01 * want.lam_used}
    again = vt.fit(X.with_weights(0.01 * X.weights), 2, **unscaled, preset="paper")
    for mine, theirs in zip(again.factors, want.factors, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-7)


@threads_
def test_any_number_of_threads_gives_the_same_bits(threads: int, rng: np.random.Generator) -> None:
    X, _ = vt.datasets.synthetic((60, 50, 40), 3, nnz=9000, seed=1)
    X = X.with_weights(rng.random(X.nnz) + 0.1)
    options: dict[str, Any] = {"lam": 0.1, "seed": 0, "max_iter": 4, "offset": "biases"}
    one, many = (
        vt.fit(X, 3, threads=1, **options, preset="paper"),
        vt.fit(X, 3, threads=threads, **options, preset="paper"),
    )
    for mine, other in zip((one.core, *one.factors), (many.core, *many.factors), strict=True):
        assert mine.tobytes() == other.tobytes()
    assert one.update(X).error == many.update(X, threads=threads).error


def test_weights_matter(rng: np.random.Generator) -> None:
    X = weighted_tensor(rng)
    weighed, plain = (
        vt.fit(X, 2, **FEW, preset="paper"),
        vt.fit(X.with_weights(None), 2, **FEW, preset="paper"),
    )
    assert abs(weighed.core - plain.core).max() > 1e-3
    assert weighed.error != plain.error


# --- Measures and what is kept -------------------------------------------------------------------


def test_errors_are_weighted(rng: np.random.Generator) -> None:
    X = weighted_tensor(rng)
    assert X.weights is not None
    model = vt.fit(X, 2, **FEW, preset="paper")
    r = X.values - model.predict(X)
    want = np.sqrt(np.sum(X.weights * r**2) / np.sum(X.weights * X.values**2))
    assert vt.relative_error(model, X) == pytest.approx(want, rel=1e-12)
    assert model.error == pytest.approx(want, rel=1e-9)
    many = repeated(X)
    assert constant_error(2.0, X) == pytest.approx(constant_error(2.0, many), rel=1e-12)
    assert X.mean == pytest.approx(many.mean, rel=1e-12)
    assert X.norm == pytest.approx(many.norm, rel=1e-12)
    assert X.total_weight == many.nnz == many.total_weight
    assert "that weigh" in str(model)
    assert "that weigh" not in str(vt.fit(X.with_weights(None), 2, **FEW, preset="paper"))


def test_selections_and_copies_keep_weights(rng: np.random.Generator) -> None:
    X = weighted_tensor(rng)
    assert X.weights is not None
    assert not X.weights.flags.writeable
    train, test = vt.train_test_split(X, 0.3, keep="all", seed=1)
    for part in (train, test, X.subset([5, 2, 9]), X.densest((5, 5, None)), X.subset(X.values > 0)):
        assert part.weights is not None
        found = {tuple(c): w for c, w in zip(X.coords.tolist(), X.weights, strict=True)}
        labels = [
            np.arange(d) if own is None else own
            for d, own in zip(part.shape, part.labels, strict=True)
        ]
        for cell, weight in zip(part.coords, part.weights, strict=True):
            assert found[tuple(int(own[i]) for own, i in zip(labels, cell, strict=True))] == weight
    for other in (copy.copy(X), copy.deepcopy(X), pickle.loads(pickle.dumps(X))):
        assert_same(other, X)
    assert repr(X).endswith(f"total_weight={X.total_weight:g})")
    assert "total_weight" not in repr(X.with_weights(None))
    about = X.describe()
    assert about.weights is not None
    assert about.weights.max == 6.0
    assert "weights     1 to 6" in str(about)
    plain = X.with_weights(None).describe()
    assert plain.weights is None
    assert "weights" not in str(plain)
    assert about.memory - plain.memory == X.nnz * 8 * 4


def test_models_keep_the_weights_of_rows(tmp_path: Path, rng: np.random.Generator) -> None:
    model = vt.fit(weighted_tensor(rng), 2, **FEW, preset="paper")
    model.save(tmp_path / "model.npz")
    loaded = vt.TuckerModel.load(tmp_path / "model.npz")
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        for mine, want in zip(other.row_totals or [], model.row_totals or [], strict=True):
            assert mine.tobytes() == want.tobytes()
    wrong: list[Any] = [[[1.0]], [np.ones(12), np.ones(9), -np.ones(7)], [np.ones(12)] * 3]
    for bad in wrong:
        with pytest.raises((vt.errors.OptionError, vt.errors.ShapeError)):
            dataclasses.replace(model, row_totals=bad)
    with pytest.raises(vt.errors.OptionError, match="entries per row"):
        dataclasses.replace(model, entries=None)


def test_a_changed_weight_is_noticed(rng: np.random.Generator) -> None:
    X = weighted_tensor(rng)
    weights = np.ones(X.nnz)
    X = X.with_weights(weights)
    weights[4] = 2.0
    with pytest.raises(vt.errors.ChangedArrayError, match="norm was"):
        vt.fit(X, 2, **FEW, preset="paper")
    weights[4] = np.nan
    with pytest.raises(vt.errors.ChangedArrayError, match="entry 4 has the weight nan"):
        vt.fit(X, 2, **FEW, preset="paper")
