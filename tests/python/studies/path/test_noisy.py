"""A path of fits with variances: what each stop says, what chooses among them, and on what."""

from __future__ import annotations

import logging
import math
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import threads_
from vest_tucker.base import memory
from vest_tucker.base.parts import part_sizes
from vest_tucker.fitting.noise.sparser import COSTS, SMALL
from vest_tucker.studies.path.prune_down import expected_stops
from vest_tucker.studies.path.result import NoisyStep
from vest_tucker.studies.path.walk import Walk

QUICK: dict[str, Any] = {"step": 0.1, "seed": 0, "threads": 1}


@pytest.fixture(scope="module")
def planted() -> tuple[vt.SparseTensor, vt.TuckerModel]:
    return vt.datasets.synthetic((40, 30, 20), 2, nnz=6000, sparsity=0.6, noise=0.2, seed=0)


@pytest.fixture(scope="module")
def ratings() -> vt.SparseTensor:
    """Mean, effects and one pair, in three modes; with weights."""
    rng = np.random.default_rng(0)
    cells = np.unique(rng.integers(0, (60, 40, 6), (3000, 3)), axis=0)
    user, film, _ = cells.T
    mild, good = rng.normal(0, 0.5, 60), rng.normal(0, 0.6, 40)
    pair = 0.7 * rng.normal(size=60)[user] * rng.normal(size=40)[film]
    values = 3.5 + mild[user] + good[film] + pair + rng.normal(0, 0.3, len(cells))
    weights = rng.choice([1.0, 2.0], len(cells))
    return vt.SparseTensor(cells, values, modes=("user", "film", "day"), weights=weights)


@pytest.fixture(scope="module")
def rated_path(ratings: vt.SparseTensor) -> vt.Path:
    """Return a path of these, which several tests look at."""
    return vt.path(ratings, **QUICK)


@pytest.fixture(scope="module")
def planted_path(planted: tuple[vt.SparseTensor, vt.TuckerModel]) -> vt.Path:
    """Return a path of planted values with given ranks, on one thread."""
    return vt.path(planted[0], 2, **QUICK)


def steps_of(path: vt.Path) -> Iterator[NoisyStep]:
    for step in path.steps:
        assert isinstance(step, NoisyStep)
        yield step


# --- What each stop says -------------------------------------------------------------------------


def test_every_step_tells_the_numbers_of_its_model(
    ratings: vt.SparseTensor, rated_path: vt.Path
) -> None:
    path = rated_path
    assert path.best.constant
    pruned = [step.pruned for step in steps_of(path)]
    assert pruned[0] < 0.01
    assert (np.diff(pruned) > 0.0).all()
    for model, step in zip(path, steps_of(path), strict=True):
        assert model.error == step.error
        assert vt.relative_error(model, ratings) == pytest.approx(step.error, rel=1e-9)
        assert (model.n_nonzero, model.n_parameters) == (step.n_nonzero, step.n_parameters)
        assert model.sparsity == pytest.approx(step.sparsity)
        assert model.validation_error == step.validation_error
        assert model.stopped == "path"
        _, std = model.predict(ratings, return_std=True)
        assert (std > 0.0).all()
        for factor in model.factors:
            norms = np.sqrt((factor[:, 1:] ** 2).sum(axis=0))
            np.testing.assert_allclose(norms[norms > 0.0], 1.0)
            assert (factor[:, 0] == 1.0).all()


def test_pruned_counts_what_the_sparsity_of_a_fit_counts(
    ratings: vt.SparseTensor, rated_path: vt.Path
) -> None:
    path = rated_path
    half = vt.fit(ratings, sparsity=0.5, seed=0, threads=1)
    number = int(np.argmin([abs(step.pruned - 0.5) for step in steps_of(path)]))
    assert abs(path.steps[number].share - 0.5) <= 0.05
    assert path.at(sparsity=0.5).error == path.steps[number].error
    assert path.at(sparsity=0.5).n_nonzero == pytest.approx(half.n_nonzero, rel=0.15)
    assert path.at(sparsity=0.5).sparsity > 0.6  # most of the core is zero by design


def test_priors_and_noise_stay(planted_path: vt.Path) -> None:
    assert len(planted_path) > 3
    assert {model.noise for model in planted_path} == {planted_path[0].noise}


def test_it_ends_at_the_least(planted: tuple[vt.SparseTensor, vt.TuckerModel]) -> None:
    X, _ = planted
    path = vt.path(X, 2, least=0.5, **QUICK)
    total = 8 + 2 * sum(X.shape)
    assert path.steps[-1].n_nonzero == math.floor(0.5 * total)


@threads_
def test_the_same_bits_on_any_number_of_threads(
    planted: tuple[vt.SparseTensor, vt.TuckerModel], planted_path: vt.Path, threads: int
) -> None:
    X, _ = planted
    assert vt.path(X, 2, **(QUICK | {"threads": threads})).steps == planted_path.steps


# --- The knee ------------------------------------------------------------------------------------


def test_the_knee_is_where_it_was_planted(
    planted: tuple[vt.SparseTensor, vt.TuckerModel],
) -> None:
    X, truth = planted
    path = vt.path(X, seed=0, threads=1)
    assert path.best.ranks == truth.ranks
    assert path.basis == "rotated"
    assert abs(path.best.sparsity - truth.sparsity) < 0.08
    fitted = vt.fit(X, seed=0, threads=1)
    assert path.best.validation_error == pytest.approx(fitted.validation_error, rel=0.01)


def test_rules_choose_as_by_hand(ratings: vt.SparseTensor, rated_path: vt.Path) -> None:
    path = rated_path
    unseen = [step.validation_error for step in path.steps]
    cheap = [k for k, error in enumerate(unseen) if error <= (1.0 + COSTS) * min(unseen)]
    assert path.knee == "holdout"
    assert path.best_index == path.choose("holdout") == cheap[-1]
    worth = [k for k, step in enumerate(steps_of(path)) if step.worthless <= SMALL]
    assert path.choose("worth") == (worth[0] if worth else len(path) - 1)
    sparser = vt.path(ratings, knee="validation", **QUICK)
    assert sparser.best_index == path.choose("validation") >= path.best_index
    best = path.best
    assert best.validation_error < best.validation_baseline < best.validation_mean


def test_without_entries_held_out_the_worth_chooses(ratings: vt.SparseTensor) -> None:
    path = vt.path(ratings, holdout=0.0, **QUICK)
    assert path.knee == "worth"
    assert not path.has_validation
    assert 0.0 < path.steps[path.best_index].share < 1.0
    with pytest.raises(vt.errors.OptionError, match="no entries were held back"):
        path.choose("holdout")


def test_worth_is_for_variances_alone(prunable: vt.SparseTensor) -> None:
    path = vt.path(prunable, 2, preset="paper", step=0.3, n_starts=1, seed=0)
    with pytest.raises(vt.errors.OptionError, match="worth"):
        path.choose("worth")


# --- Entries held out ----------------------------------------------------------------------------


def test_entries_given_are_those_measured(ratings: vt.SparseTensor) -> None:
    train, held = vt.train_test_split(ratings, test=0.2, seed=0)
    path = vt.path(train, validation=held, **QUICK)
    assert path.best.validation_entries == held.nnz
    assert path.best.nnz == train.nnz
    for model, step in zip(path, path.steps, strict=True):
        assert vt.relative_error(model, held) == pytest.approx(step.validation_error, rel=1e-9)
    model, step = path[0], path.steps[0]
    assert held.weights is not None
    copies = held.weights.astype(int)
    squares = np.repeat((held.values - model.predict(held)) ** 2, copies)
    spread = squares.std(ddof=1) * math.sqrt(len(squares)) / held.norm**2
    assert step.validation_spread == pytest.approx(spread, rel=1e-9)


def test_few_entries_are_split_several_times() -> None:
    X = vt.datasets.synthetic((10, 8, 6), 1, nnz=300, noise=0.3, seed=0)[0]
    path = vt.path(X, **QUICK)
    assert 30 < path.best.validation_entries < 5 * 30  # splits overlap
    assert path.best.nnz == 300


# --- Starts and constraints ----------------------------------------------------------------------


def test_constraints_hold_at_every_stop(
    planted: tuple[vt.SparseTensor, vt.TuckerModel],
) -> None:
    X, _ = planted
    kept = np.ones((20, 2), dtype=bool)
    path = vt.path(X, 2, nonnegative=[0], keep={2: kept}, **QUICK)
    for model in path:
        assert model.factors[0].min() >= 0.0
    assert path.at(sparsity=0.5).factors[2].all()
    days = np.abs(np.random.default_rng(0).normal(size=(20, 2)))
    path = vt.path(X, 2, fixed={2: days}, **QUICK)
    assert all((model.factors[2] == days).all() for model in path)


def test_what_is_all_kept_ends_the_path(planted: tuple[vt.SparseTensor, vt.TuckerModel]) -> None:
    X, _ = planted
    masks: dict[str | int, Any] = {
        mode: np.ones((dim, 2), dtype=bool) for mode, dim in enumerate(X.shape)
    }
    path = vt.path(X, 2, keep={**masks, "core": np.ones((2, 2, 2), dtype=bool)}, **QUICK)
    assert len(path) == 1


def test_arrays_to_start_from(planted: tuple[vt.SparseTensor, vt.TuckerModel]) -> None:
    X, _ = planted
    dense = vt.fit(X, 2, sparsity=0.0, offset=None, seed=0, threads=1)
    path = vt.path(X, init=(dense.core, dense.factors), basis="plain", **QUICK)
    assert path.basis == "plain"
    assert path.steps[0].error == pytest.approx(dense.error, rel=0.02)


# --- Interrupts, progress, memory ----------------------------------------------------------------


@pytest.fixture
def interrupt_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ctrl-C at the end of the stop whose number is in the list."""
    at, calls, record = [0], [0], Walk._record

    def disturbed(self: Walk, *args: Any) -> vt.IterationRecord:
        calls[0] += 1
        if calls == at:
            signal.raise_signal(signal.SIGINT)
        return record(self, *args)

    monkeypatch.setattr(Walk, "_record", disturbed)
    return at


def test_an_interrupt_returns_the_path_so_far(
    planted: tuple[vt.SparseTensor, vt.TuckerModel], interrupt_at: list[int]
) -> None:
    X, _ = planted
    whole = vt.path(X, 2, holdout=0.0, **QUICK)
    interrupt_at[0] = len(expected_stops(0.1, 0.03)) + 4
    with pytest.warns(RuntimeWarning, match="interrupted after 3 stops") as caught:
        part = vt.path(X, 2, holdout=0.0, **QUICK)
    assert caught[0].filename == __file__
    assert [step.criterion for step in part.steps] == [s.criterion for s in whole.steps[:3]]


@pytest.mark.parametrize(("number", "holdout"), [(5, 0.1), (1, 0.0)])
def test_an_interrupt_before_the_first_model_loses_all(
    planted: tuple[vt.SparseTensor, vt.TuckerModel],
    interrupt_at: list[int],
    number: int,
    holdout: float,
) -> None:
    X, _ = planted
    interrupt_at[0] = number
    with pytest.raises(KeyboardInterrupt):
        vt.path(X, 2, holdout=holdout, **QUICK)


def test_progress(
    prunable: vt.SparseTensor,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "vest_tucker")
    vt.path(prunable, 2, progress=True, **QUICK)
    assert "] path" in capsys.readouterr().err
    for step in ("choosing > comparing structures: ", "pruning, split 1 of ", "pruning, all entr"):
        assert any(each.startswith(f"path > {step}") for each in caplog.messages), step
    stops = [each for each in caplog.messages if " > stop 2: 2 of 2" in each]
    assert stops[-1].startswith("path > pruning, all entries: 1 of ")
    vt.path(prunable, 2, offset="mean", **QUICK)
    assert not capsys.readouterr().err


def test_memory_is_asked_for_all_stops(
    prunable: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    monkeypatch.setattr(memory, "require_room", lambda bytes_, _: asked.append(bytes_))
    around: dict[str, Any] = {"offset": "mean"}  # so that no structures are compared
    vt.path(prunable, 2, **around, **{**QUICK, "step": 0.05})
    vt.path(prunable, 2, **around, **QUICK)
    vt.path(prunable, 2, check_memory=False, **around, **QUICK)
    numbers = sum(part_sizes(prunable.shape, (2, 2, 2)))
    models = [2 * sum(expected_stops(step, 0.03)) for step in (0.05, 0.1)]
    assert asked[0] - asked[1] == pytest.approx(8 * numbers * (models[0] - models[1]))
    assert len(asked) == 2
