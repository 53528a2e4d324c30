"""The baseline against its slow twin, and what a fit does with one."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import vest_tucker as vt
from conftest import SmallProblem
from helpers import weighted_
from reference_offset import fit_biases
from vest_tucker.base.options import OffsetKind
from vest_tucker.data import per_row
from vest_tucker.fitting import offset as module
from vest_tucker.fitting.offset import fit_offset
from vest_tucker.model.measure import constant_error
from vest_tucker.model.offset import residuals

KINDS: tuple[OffsetKind, ...] = ("mean", "biases")


def rated(rng: np.random.Generator, shape: tuple[int, ...] = (30, 20, 5)) -> vt.SparseTensor:
    """Make values of a mean and effects, none in the last mode, with noise; row 0 has no entry."""
    coords = np.argwhere(rng.random(shape) < 0.4)
    coords = coords[coords[:, 0] > 0]
    effects = [rng.normal(0.0, s, dim) for s, dim in zip((1.0, 0.5, 0.0), shape, strict=True)]
    values = 7.0 + sum(b[coords[:, n]] for n, b in enumerate(effects))
    return vt.SparseTensor(coords, values + rng.normal(0.0, 0.3, len(coords)), shape)


@pytest.fixture
def tensor(rng: np.random.Generator) -> vt.SparseTensor:
    return rated(rng)


# --- The baseline --------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize("chunk", [7, 1 << 20])
@weighted_
def test_biases_are_those_of_the_slow_twin(
    order: int,
    chunk: int,
    weighted: bool,
    rng: np.random.Generator,
    small_problem: SmallProblem,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(per_row, "CHUNK", chunk)
    p = small_problem(order, rng, weighted=weighted)
    X = vt.SparseTensor(p.coords, p.values, p.shape, weights=p.weights)
    got = fit_offset(X, "biases")
    mean, biases, shrinkage = fit_biases(
        p.coords, p.values, p.shape, most=module.MAX_SWEEPS, settled=module.SETTLED,
        weights=p.weights,
    )  # fmt: skip
    assert got.mean == pytest.approx(mean, rel=1e-13)
    for mine, want in zip(got.biases, biases, strict=True):
        np.testing.assert_allclose(mine, want, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(got.shrinkage, shrinkage, rtol=1e-9)


def test_effects_are_found_and_modes_without_any_stay_still(tensor: vt.SparseTensor) -> None:
    mean, biases = (fit_offset(tensor, kind) for kind in KINDS)
    assert mean.biases == ()
    assert mean.mean == biases.mean == tensor.mean
    assert biases.error < 0.3 * mean.error
    assert np.abs(biases.biases[2]).max() < 0.02 < 0.3 < np.abs(biases.biases[1]).max()
    assert biases.biases[0][0] == 0.0  # no entry, no effect
    assert mean.n_parameters == 1
    assert biases.n_parameters == 1 + 29 + 20 + 5


def test_rows_with_few_entries_are_drawn_to_the_mean(rng: np.random.Generator) -> None:
    full = rated(rng)
    own = full.coords[:, 0] == 5
    few = fit_offset(full.subset(~own | (np.cumsum(own) <= 1)), "biases")
    one = full.values[own][0] - few.values_at(full.coords[own][:1])[0] + few.biases[0][5]
    assert 0.0 < few.biases[0][5] / one < 0.98  # what the only entry says, but less of it


def test_errors_are_relative_to_the_values(tensor: vt.SparseTensor) -> None:
    for kind in KINDS:
        offset = fit_offset(tensor, kind)
        rest = tensor.values - offset.values_at(tensor.coords)
        np.testing.assert_array_equal(residuals(tensor, offset), rest)
        assert offset.error == pytest.approx(np.linalg.norm(rest) / tensor.norm, rel=1e-14)


# --- A fit with one ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sparsity", ["auto", 0.5])
def test_a_fit_factors_what_the_offset_leaves(
    tensor: vt.SparseTensor, kind: OffsetKind, sparsity: float | Literal["auto"]
) -> None:
    model = vt.fit(
        tensor, 2, offset=kind, sparsity=sparsity, lam=0.01, seed=0, threads=1, preset="paper"
    )
    assert model.offset is not None
    assert model.error == pytest.approx(vt.relative_error(model, tensor), rel=1e-9)
    assert model.error < model.offset.error <= model.baseline_error * (1 + 1e-12)
    rest = residuals(tensor, model.offset)
    ratio = float(np.linalg.norm(rest)) / tensor.norm
    assert model.history[0].error < 1.0
    if sparsity != "auto":  # the elbow looks at the errors, all else does not
        bare = vt.fit(
            vt.SparseTensor(tensor.coords, rest, tensor.shape), 2, sparsity=sparsity, lam=0.01,
            seed=0, threads=1, tol=None, max_iter=model.n_iter, preset="paper"
        )  # fmt: skip
        np.testing.assert_array_equal(model.core, bare.core)
        for mine, other in zip(model.history, bare.history, strict=True):
            assert mine.error == pytest.approx(other.error * ratio, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_do_not_matter(tensor: vt.SparseTensor, kind: OffsetKind) -> None:
    one, seven = (
        vt.fit(tensor, 2, offset=kind, lam=0.01, seed=0, threads=threads, preset="paper")
        for threads in (1, 7)
    )
    np.testing.assert_array_equal(one.core, seven.core)
    cells = np.argwhere(np.ones(tensor.shape))
    np.testing.assert_array_equal(one.predict(cells), seven.predict(cells, threads=7))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", ["l1", "lf"])
@pytest.mark.parametrize("sparsity", ["auto", 0.0, 0.5])
def test_constant_values_are_the_offset_alone(kind: OffsetKind, loss: Any, sparsity: Any) -> None:
    coords = np.argwhere(np.ones((6, 5, 4)))[::3]
    X = vt.SparseTensor(coords, np.full(len(coords), 0.1), (6, 5, 4))
    model = vt.fit(X, 2, offset=kind, loss=loss, sparsity=sparsity, seed=0, threads=1)
    assert model.error == 0.0
    assert model.n_parameters == 1
    np.testing.assert_array_equal(model.predict(np.argwhere(np.ones(X.shape))), 0.1)
    assert "0 everywhere" not in str(model)


@pytest.mark.parametrize(("kind", "words"), [("mean", "the mean"), ("biases", "its biases alone")])
def test_a_fit_that_adds_nothing_to_its_offset_says_what_to_try(
    tensor: vt.SparseTensor, kind: OffsetKind, words: str
) -> None:
    with pytest.warns(
        vt.errors.EmptyModelWarning, match=f"predicts {words}.*too large for deviations"
    ):
        model = vt.fit(
            tensor, 2, offset=kind, lam=1e4, sparsity=0.0, seed=0, threads=1, preset="paper"
        )
    assert model.is_zero
    assert model.offset is not None
    assert model.error == pytest.approx(model.offset.error, rel=1e-12)
    assert f"predicts {words} everywhere" in str(model)
    with pytest.warns(RuntimeWarning, match="the factorization will predict 0 everywhere"):
        vt.fit(tensor, 2, offset=kind, sparsity=0.9, max_iter=1, seed=0, threads=1, preset="paper")


def test_values_without_noise_need_hardly_more_than_biases() -> None:
    coords = np.argwhere(np.ones((8, 7)))
    X = vt.SparseTensor(coords, 5.0 + coords[:, 0] - 2.0 * coords[:, 1])
    model = vt.fit(X, 1, offset="biases", lam=1e-3, seed=0, threads=1, preset="paper")
    assert model.offset is not None
    assert model.offset.error < 1e-3


def test_a_row_pruned_empty_predicts_the_baseline(tensor: vt.SparseTensor) -> None:
    for kind in KINDS:
        model = vt.fit(
            tensor, 2, offset=kind, lam=0.01, max_iter=3, seed=0, threads=1, preset="paper"
        )
        model.factors[0][4] = 0.0
        assert model.offset is not None
        cells = np.array([[4, 3, 2]], dtype=np.int32)
        assert model.predict(cells) == model.offset.values_at(cells)


def test_what_was_never_seen(tensor: vt.SparseTensor) -> None:
    labels = [np.array([f"row {i}" for i in range(dim)], dtype=object) for dim in tensor.shape]
    X = vt.SparseTensor(tensor.coords, tensor.values, tensor.shape, labels=labels)
    cells = [("row 0", "row 3", "row 1"), ("nobody", "row 3", "row 1"), ("row 4", "new", "row 1")]
    mean, biases = (
        vt.fit(X, 2, offset=kind, lam=0.01, seed=0, threads=1, preset="paper") for kind in KINDS
    )
    assert mean.offset is not None
    assert biases.offset is not None
    _, films, days = biases.offset.biases
    row = biases.offset.mean + films[3] + days[1]
    want = [row, row, biases.offset.mean + biases.offset.biases[0][4] + days[1]]
    for how in ("mean", "zero"):  # with biases no deviation is the average one
        np.testing.assert_allclose(biases.predict(cells, unseen=how), want, rtol=1e-14)
    np.testing.assert_array_equal(mean.predict(cells, unseen="zero"), mean.offset.mean)
    bare = dataclasses.replace(mean, offset=None)
    np.testing.assert_allclose(
        mean.predict(cells), mean.offset.mean + bare.predict(cells), rtol=1e-14
    )
    assert np.isnan(biases.predict(cells, unseen="nan")).all()
    with pytest.raises(vt.errors.LabelError, match="nobody"):
        biases.predict(cells[1:], unseen="error")


def test_much_pruning_falls_back_on_the_baseline(rng: np.random.Generator) -> None:
    train, test = vt.train_test_split(rated(rng), test=0.2, seed=0)
    errors = [
        vt.relative_error(
            vt.fit(
                train, 4, offset=kind, sparsity=0.8, lam=0.01, seed=0, threads=1, preset="paper"
            ),
            test,
        )
        for kind in (None, *KINDS)
    ]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 0.5
    assert errors[2] < 0.4 * constant_error(train.mean, test)


@pytest.mark.parametrize("given", ["median", "", 1, True, ["mean"]])
def test_other_offsets_are_refused(tensor: vt.SparseTensor, given: Any) -> None:
    with pytest.raises(vt.errors.OptionError, match='choose "auto", None, "mean" or'):
        vt.fit(tensor, 2, offset=given, preset="paper")


def test_no_offset_is_the_default(tensor: vt.SparseTensor) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = vt.fit(tensor, 2, lam=0.01, max_iter=2, seed=0, threads=1, preset="paper")
    assert model.offset is None
    assert model.n_parameters == model.n_nonzero


# --- A model of it alone -------------------------------------------------------------------------


@weighted_
@pytest.mark.parametrize("kind", KINDS)
def test_a_baseline_predicts_its_offset(
    kind: OffsetKind, weighted: bool, rng: np.random.Generator
) -> None:
    X = rated(rng)
    if weighted:
        X = X.with_weights(rng.integers(1, 4, X.nnz))
    model = vt.baseline(X, kind)
    offset = fit_offset(X, kind)
    np.testing.assert_array_equal(model.predict(X), offset.values_at(X.coords))
    assert model.error == pytest.approx(vt.relative_error(model, X))
    assert model.n_parameters == offset.n_parameters
    assert model.baseline_error == pytest.approx(constant_error(X.mean, X))
    unknown = model.predict(np.array([[0, 1, 1]]))  # row 0 has no entry
    assert unknown == offset.values_at(np.array([[0, 1, 1]]))
    lines = str(model).splitlines()
    assert lines[1] == f"  fitted to   {X.nnz:,} entries: a baseline, the offset alone"
    assert lines[-1].startswith("  offset ")


def test_a_baseline_is_kept_by_files(rng: np.random.Generator, tmp_path: Path) -> None:
    model = vt.baseline(rated(rng))
    model.save(tmp_path / "baseline.npz")
    read = vt.TuckerModel.load(tmp_path / "baseline.npz")
    assert str(read) == str(model)
    np.testing.assert_array_equal(read.to_dense(), model.to_dense())


def test_bad_baselines(rng: np.random.Generator) -> None:
    with pytest.raises(vt.errors.OptionError, match="kind is 'median'"):
        vt.baseline(rated(rng), "median")  # type: ignore[arg-type]
    with pytest.raises(vt.errors.DtypeError, match="baseline needs a SparseTensor"):
        vt.baseline([[1.0]])  # type: ignore[arg-type]
