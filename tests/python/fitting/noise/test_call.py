"""The plain call: its options, what stops it, and how a model says how it was made."""

from __future__ import annotations

import dataclasses
import json
import math
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import assert_names
from vest_tucker.fitting.checkpoint.settings import fingerprint
from vest_tucker.fitting.noise.wanted import OF_THE_PAPER

GIVEN: dict[str, Any] = {
    "lam": 5.0, "lam_core": 1.0, "lam_rows": "sqrt", "scale_lam": False, "max_iter": 3, "tol": 0.1,
    "init_prune_rate": 0.5, "max_prune_rate": 0.5, "elbow": 0.5, "revive": False, "patience": 2,
    "n_starts": 2,
}  # fmt: skip


@pytest.fixture(scope="module", name="X")
def some_entries(prunable: vt.SparseTensor) -> vt.SparseTensor:
    chosen = np.arange(prunable.nnz) < 1500
    return prunable.subset(chosen)


@pytest.fixture(scope="module")
def model(X: vt.SparseTensor) -> vt.TuckerModel:
    return vt.fit(X, seed=0, threads=1)


@pytest.fixture(scope="module")
def quick(X: vt.SparseTensor) -> vt.TuckerModel:
    """Return what a call for small ranks gives, where only repeating it is in question."""
    return vt.fit(X, 2, seed=0)


def parts_of(model: vt.TuckerModel) -> list[np.ndarray]:
    assert model.core_variance is not None
    assert model.factor_variances is not None
    return [model.core, *model.factors, model.core_variance, *model.factor_variances]


def assert_same_bits(one: vt.TuckerModel, other: vt.TuckerModel) -> None:
    for mine, theirs in zip(parts_of(one), parts_of(other), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert (one.error, one.noise) == (other.error, other.noise)


@pytest.mark.parametrize("name", OF_THE_PAPER)
def test_options_of_the_paper_raise_with_their_name(X: vt.SparseTensor, name: str) -> None:
    with pytest.raises(vt.errors.OptionError) as caught:
        vt.fit(X, **{name: GIVEN[name]})
    assert_names(caught.value, name, "bayes", 'preset="paper"')


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"init": "pairs"}, ["init", "pairs"]),
        ({"holdout": 1.0}, ["holdout", "1.0"]),
        ({"holdout": -0.1}, ["holdout"]),
        ({"ranks": "many"}, ["ranks", "many"]),
        ({"ranks": 0}, ["ranks"]),
        ({"ranks": (2, 2)}, ["2 ranks"]),
        ({"ranks": (2, 2, 99)}, ["99"]),
        ({"offset": "median"}, ["offset", "median"]),
        ({"support": {0: [(0, 0)]}}, ["ranks="]),
        ({"callback": 3}, ["callback"]),
        ({"loss": "l2"}, ["l2"]),
        ({"preset": "fast"}, ["preset", "fast"]),
        ({"warm_start": 3}, ["warm_start"]),
        ({"init": 3}, ["init"]),
    ],
)
def test_what_options_may_not_be(
    X: vt.SparseTensor, options: dict[str, Any], names: list[str]
) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        vt.fit(X, **options)
    assert type(caught.value).__module__ == "vest_tucker.errors"
    assert_names(caught.value, *names)


@pytest.mark.parametrize("exponent", [-80, 80])
def test_values_beyond_the_range_of_powers(X: vt.SparseTensor, exponent: int) -> None:
    far = vt.SparseTensor(X.coords, X.values * 10.0**exponent, X.shape)
    with pytest.raises(vt.errors.ScaleError, match="divide the values by"):
        vt.fit(far)


def test_made_says_how(X: vt.SparseTensor, model: vt.TuckerModel) -> None:
    made = model.made
    assert made is not None
    assert json.loads(json.dumps(made)) == made
    assert made["seed"] == 0
    assert made["options"]["ranks"] == "auto"
    assert made["options"]["penalty"] == "bayes"
    assert made["versions"]["vest_tucker"] == vt.__version__
    assert made["data"] == {"shape": [30, 20, 10], "nnz": 1500, "sha256": fingerprint(X)}
    other = vt.SparseTensor(X.coords, X.values + 1e-9, X.shape)
    assert fingerprint(other) != fingerprint(X)


def test_refit_gives_the_same_bits(X: vt.SparseTensor, model: vt.TuckerModel) -> None:
    assert_same_bits(model.refit(X), model)
    assert model.refit(X, sparsity=0.0).sparsity < model.sparsity


def test_models_made_when_the_penalty_was_called_loss_are_refitted(
    X: vt.SparseTensor, quick: vt.TuckerModel, tmp_path: Path
) -> None:
    model = quick
    assert model.made is not None
    options = dict(model.made["options"])
    assert options["penalty"] == model.penalty == model.loss == "bayes"
    assert "loss" not in options
    options["loss"] = options.pop("penalty")
    former = dataclasses.replace(model, made={**model.made, "options": options})
    former.save(tmp_path / "former.npz")
    again = vt.TuckerModel.load(tmp_path / "former.npz")
    assert_same_bits(again.refit(X), model)
    for name in ("penalty", "loss"):
        with pytest.raises(vt.errors.RankError, match="penalty='lf' needs numbers"):
            again.refit(X, ranks="auto", **{name: "lf"})


def test_a_seed_that_was_drawn_is_told(X: vt.SparseTensor) -> None:
    first = vt.fit(X, ranks=2, offset=None, holdout=0)
    assert first.made is not None
    assert isinstance(first.made["seed"], int)
    assert_same_bits(first.refit(X), first)


def test_refit_asks_for_what_is_not_kept(X: vt.SparseTensor) -> None:
    train, test = vt.train_test_split(X, seed=0)
    first = vt.fit(train, ranks=2, offset=None, validation=test, seed=0)
    with pytest.raises(vt.errors.OptionError, match="validation"):
        first.refit(train)
    assert_same_bits(first.refit(train, validation=test), first)


@pytest.mark.parametrize("threads", [2, 4])
def test_any_number_of_threads_gives_the_same_bits(
    X: vt.SparseTensor, model: vt.TuckerModel, threads: int
) -> None:
    assert_same_bits(vt.fit(X, seed=0, threads=threads), model)


@pytest.mark.parametrize("after", [1, 30, 200])
def test_an_interrupt_leaves_a_usable_model(X: vt.SparseTensor, after: int) -> None:
    seen = []

    def interrupt(record: vt.IterationRecord) -> None:
        seen.append(record)
        if len(seen) == after:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(RuntimeWarning, match="interrupted after"):
        model = vt.fit(X, seed=0, callback=interrupt)
    assert model.stopped == "interrupted"
    assert np.isfinite(model.predict(X)).all()
    assert math.isnan(model.validation_error)
    assert "held out    nothing" in str(model)


def test_an_interrupted_trial_is_told_as_one(
    X: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vest_tucker.fitting.noise.best.MANY", 1000)
    monkeypatch.setattr("vest_tucker.fitting.noise.held.SAMPLE", 700)

    def interrupt(record: vt.IterationRecord) -> None:
        if record.iteration == 2:
            signal.raise_signal(signal.SIGINT)

    told = f"the model is a trial, fitted to 700 of {X.nnz:,} entries, with nothing measured"
    with pytest.warns(vt.errors.InterruptedWarning, match=told):
        model = vt.fit(X, seed=0, callback=interrupt)
    assert f"fitted to   700 of {X.nnz:,} entries, a trial, error" in str(model)


def test_a_callback_stops_it(X: vt.SparseTensor) -> None:
    seen: list[vt.TuckerModel] = []

    def look(record: vt.IterationRecord, running: vt.RunningFit) -> bool:
        seen.append(running.model())
        return len(seen) == 5

    model = vt.fit(X, seed=0, callback=look)
    assert model.stopped == "callback"
    assert [each.n_iter for each in seen] == [1, 2, 3, 4, 5]
    assert_same_bits(model, seen[-1])


def test_looking_changes_nothing(X: vt.SparseTensor, quick: vt.TuckerModel) -> None:
    looked = vt.fit(X, 2, seed=0, callback=lambda record, running: running.model() is None)
    assert_same_bits(looked, quick)


def test_validation_is_what_is_reported(X: vt.SparseTensor) -> None:
    train, test = vt.train_test_split(X, seed=0)
    model = vt.fit(train, seed=0, validation=test)
    assert model.validation_entries == test.nnz
    assert model.nnz == train.nnz
    assert model.validation_error == pytest.approx(vt.relative_error(model, test), rel=0.05)
    assert model.validation_mean == pytest.approx(
        np.linalg.norm(test.values - train.mean) / test.norm
    )


def test_without_a_holdout_the_structure_is_still_chosen(
    X: vt.SparseTensor, model: vt.TuckerModel
) -> None:
    alone = vt.fit(X, seed=0, holdout=0)
    assert math.isnan(alone.validation_error)
    assert alone.validation_entries == 0
    assert alone.error <= 1.1 * model.error
    assert alone.chosen.startswith("Tucker;")


def test_a_start_given(X: vt.SparseTensor, model: vt.TuckerModel) -> None:
    rng = np.random.default_rng(0)
    init = (rng.random((2, 2, 2)), [rng.random((dim, 2)) for dim in X.shape])
    kept = [each.copy() for each in (init[0], *init[1])]
    started = vt.fit(X, init=init, seed=0)
    assert started.ranks == (2, 2, 2)
    assert started.error <= 1.1 * model.error
    for now, was in zip((init[0], *init[1]), kept, strict=True):
        np.testing.assert_array_equal(now, was)  # the caller's arrays are not touched


def test_a_start_must_meet_the_constraints(X: vt.SparseTensor) -> None:
    init = (np.ones((2, 2, 2)), [np.full((dim, 2), -1.0) for dim in X.shape])
    with pytest.raises(vt.errors.InitError, match="nonnegative="):
        vt.fit(X, init=init, nonnegative=True)


@pytest.mark.parametrize("offset", [None, "mean"])
def test_a_warm_start(X: vt.SparseTensor, offset: Any) -> None:
    first = vt.fit(X, offset=offset, seed=0)
    again = vt.fit(X, warm_start=first, seed=0)
    assert (again.offset is None) == (offset is None)
    assert again.error == pytest.approx(first.error, rel=0.02)
    with pytest.raises(vt.errors.OptionError, match="both"):
        vt.fit(X, warm_start=first, init=(first.core, first.factors))


def rated() -> vt.SparseTensor:
    """Mean, effects and a pair of users and films; user u0 is the strictest."""
    rng = np.random.default_rng(0)
    coords = np.argwhere(rng.random((40, 30)) < 0.7)
    user, film = coords.T
    mild = rng.normal(size=40)
    mild[0] = -3.0
    pair = rng.normal(size=40)[user] * rng.normal(size=30)[film]
    values = 3.0 + mild[user] + pair + 0.3 * rng.normal(size=len(coords))
    labels = [[f"u{k}" for k in range(40)], [f"f{k}" for k in range(30)]]
    return vt.SparseTensor(coords, values, modes=("user", "film"), labels=labels)


def test_a_warm_start_with_a_constant_column_goes_on() -> None:
    X = rated()
    model = vt.fit(X, seed=0)
    assert model.constant
    again = vt.fit(X, warm_start=model, seed=0)
    assert again.constant
    assert again.ranks == model.ranks
    assert again.error == pytest.approx(model.error, rel=0.05)
    assert again.n_iter < model.n_iter
    assert again.chosen == "mean, effects and pairs"
    some = vt.fit(X.subset(X.coords[:, 0] != 0), seed=0)  # u0 is a label without entries
    assert abs(some.predict([("u0", "f0")])[0] - vt.fit(X, seed=0).predict([("u0", "f0")])[0]) > 1
    new = vt.fit(X, warm_start=some, seed=0)
    assert vt.relative_error(new, X) == pytest.approx(model.error, rel=0.1)


@pytest.mark.parametrize("options", [{"offset": "mean"}, {"nonnegative": True}])
def test_what_a_warm_start_with_a_constant_column_has_already(options: dict[str, Any]) -> None:
    X = rated()
    model = vt.fit(X, seed=0)
    with pytest.raises(vt.errors.OptionError, match="warm_start"):
        vt.fit(X, warm_start=model, seed=0, **options)


def test_nonnegative(X: vt.SparseTensor) -> None:
    model = vt.fit(X, nonnegative=True, seed=0)
    assert min(part.min() for part in parts_of(model)) >= 0.0
    assert model.error < 0.9
    assert model.offset is None


def test_support_keep_and_fixed(X: vt.SparseTensor) -> None:
    given = np.random.default_rng(0).random((10, 2))
    model = vt.fit(
        X, ranks=2, support={0: [(np.arange(15), [0]), (np.arange(15, 30), [1])]},
        keep={1: [([0, 1], [0, 1])]}, fixed={2: given}, standardize=False, sparsity=0.5, seed=0,
    )  # fmt: skip
    assert not model.factors[0][:15, 1].any()
    assert not model.factors[0][15:, 0].any()
    assert model.factors[1][:2].all()
    np.testing.assert_array_equal(model.factors[2], given)


@pytest.mark.parametrize(
    ("ranks", "most"),
    [(12, (12, 12, 10)), ({0: 2}, (2, 10, 10)), ((3, 2, 4), (3, 2, 4)), (1, (1, 1, 1))],
)
def test_ranks_are_upper_bounds(X: vt.SparseTensor, ranks: Any, most: tuple[int, ...]) -> None:
    model = vt.fit(X, ranks, offset=None, seed=0)
    assert all(rank <= bound for rank, bound in zip(model.ranks, most, strict=True))
    assert model.made is not None
    assert model.made["options"]["ranks"] == list(most)


@pytest.mark.parametrize("allocation", ["global", "per_matrix"])
@pytest.mark.parametrize("sparsity", [0.0, 0.5])
def test_a_sparsity_given(X: vt.SparseTensor, sparsity: float, allocation: Any) -> None:
    model = vt.fit(X, 2, offset=None, sparsity=sparsity, allocation=allocation, seed=0)
    assert sparsity <= model.sparsity <= sparsity + 0.05
    assert model.error < 0.9


@pytest.mark.parametrize("offset", [None, "mean", "biases"])
def test_an_offset_given(X: vt.SparseTensor, offset: Any) -> None:
    model = vt.fit(X, offset=offset, seed=0)
    assert (None if model.offset is None else model.offset.kind) == offset
    assert not model.constant
    assert model.error == pytest.approx(vt.relative_error(model, X), rel=1e-9)


def test_the_error_is_that_of_the_model(X: vt.SparseTensor, model: vt.TuckerModel) -> None:
    assert model.error == pytest.approx(vt.relative_error(model, X), rel=1e-9)


def test_weights_count_relative_to_each_other(X: vt.SparseTensor) -> None:
    """Noise is that of an entry of weight 1, so that the unit of weights does not matter."""
    weights = np.random.default_rng(0).uniform(1.0, 5.0, X.nnz)
    one, other = (
        vt.fit(X.with_weights(scale * weights), seed=0, offset=None) for scale in (1.0, 64.0)
    )
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-7, atol=1e-9)
    assert other.noise == pytest.approx(64.0 * one.noise)


def test_entries_of_little_weight_are_believed_less(X: vt.SparseTensor) -> None:
    rng = np.random.default_rng(1)
    bad = rng.random(X.nnz) < 0.3
    values = np.where(bad, X.values + 3.0 * rng.normal(size=X.nnz), X.values)
    spoilt = vt.SparseTensor(X.coords, values, X.shape)
    weighted = spoilt.with_weights(np.where(bad, 1e-3, 1.0))
    errors = [
        np.linalg.norm(vt.fit(each, 2, offset=None, seed=0).predict(X) - X.values)
        for each in (weighted, spoilt)
    ]
    assert errors[0] < 0.8 * errors[1]


def test_a_weight_is_how_many_values_an_entry_is_the_mean_of() -> None:
    """Means of w values with noise of variance 1 each: that is the noise which is found."""
    rng = np.random.default_rng(0)
    X, truth = vt.datasets.synthetic((30, 20, 10), 2, nnz=3000, sparsity=0.5, noise=0.0, seed=0)
    weights = rng.integers(1, 50, X.nnz).astype(float)
    values = 10.0 * truth.predict(X.coords) + rng.normal(size=X.nnz) / np.sqrt(weights)
    weighted = vt.SparseTensor(X.coords, values, X.shape, weights=weights)
    model = vt.fit(weighted, 2, seed=0)
    assert model.noise == pytest.approx(1.0, rel=0.1)
    fourfold = vt.fit(weighted.with_weights(4.0 * weights), 2, seed=0)
    assert fourfold.noise == pytest.approx(4.0 * model.noise)
    np.testing.assert_allclose(fourfold.predict(X.coords), model.predict(X.coords), rtol=1e-6)
