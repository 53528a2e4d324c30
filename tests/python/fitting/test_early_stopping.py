"""Early stopping on entries that the fit does not see."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import problem_of
from vest_tucker.fitting.early_stopping import HeldOut, also_in, cells_held_out
from vest_tucker.fitting.starts.random import random_start


@pytest.fixture(scope="module")
def parts() -> tuple[vt.SparseTensor, vt.SparseTensor]:
    """Few noisy entries for many elements: a fit to the end overfits."""
    X, _ = vt.datasets.synthetic((40, 30, 10), 3, nnz=700, noise=0.7, seed=2)
    return vt.train_test_split(X, test=0.3, seed=0)


OVERFIT = {"loss": "lf", "lam": 1e-3, "sparsity": 0.0, "tol": None, "max_iter": 80, "seed": 0}


def test_it_stops_when_the_error_held_back_rises_and_goes_back(
    parts: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    train, held = parts
    full = vt.fit(train, 3, **OVERFIT, preset="paper")  # type: ignore[arg-type]
    model = vt.fit(train, 3, validation=held, patience=4, **OVERFIT, preset="paper")  # type: ignore[arg-type]
    assert model.stopped == "validation"
    errors = [record.validation_error for record in model.history]
    best = int(np.argmin(errors))
    assert len(errors) == best + 1 + 4
    assert vt.relative_error(model, held) == pytest.approx(errors[best], rel=1e-9)
    assert model.error == model.history[best].error
    assert model.validation_error == errors[best]
    assert model.error == pytest.approx(vt.relative_error(model, train), rel=1e-9)
    assert vt.relative_error(model, held) < vt.relative_error(full, held)
    assert math.isnan(full.history[0].validation_error)


@pytest.mark.parametrize(
    ("offset", "told"),
    [
        (None, "held back   error 0.7889, the baseline alone 0.8689"),
        ("mean", "held back   error 0.9080, WORSE than the baseline alone, 0.8689"),
    ],
)
def test_the_error_held_back_is_told_beside_that_of_the_baseline(
    parts: tuple[vt.SparseTensor, vt.SparseTensor], offset: str | None, told: str
) -> None:
    train, held = parts
    settings = OVERFIT | {"offset": offset}
    model = vt.fit(train, 3, validation=held, patience=4, **settings, preset="paper")  # type: ignore[arg-type]
    alone = float(np.linalg.norm(held.values - train.mean)) / held.norm
    assert model.validation_baseline == pytest.approx(alone, rel=1e-12)
    assert told in str(model)
    assert "held back" not in str(vt.fit(train, 3, **settings, preset="paper"))  # type: ignore[arg-type]


@pytest.mark.parametrize("offset", [None, "mean", "biases"])
def test_only_states_as_sparse_as_wanted_count(
    parts: tuple[vt.SparseTensor, vt.SparseTensor], offset: str | None
) -> None:
    train, held = parts
    settings = OVERFIT | {"sparsity": 0.6, "allocation": "global", "offset": offset}
    model = vt.fit(train, 3, validation=held, patience=2, **settings, preset="paper")  # type: ignore[arg-type]
    assert model.sparsity >= 0.6
    refined = [r.validation_error for r in model.history if r.prune_rate == 0.0]
    assert vt.relative_error(model, held) == pytest.approx(min(refined), rel=1e-9)


def test_labels_that_training_lacks_are_predicted_as_ever(
    parts: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    train, held = parts
    names = [f"u{i}" for i in range(40)]
    known = vt.SparseTensor(train.coords, train.values, train.shape, labels=[names, None, None])
    other = [f"u{i}" for i in range(1, 41)]
    asked = vt.SparseTensor(held.coords, held.values, held.shape, labels=[other, None, None])
    asked = asked.subset(~also_in(known, cells_held_out(asked, known)))
    model = vt.fit(known, 3, validation=asked, **(OVERFIT | {"max_iter": 5}), preset="paper")  # type: ignore[arg-type]
    best = min(record.validation_error for record in model.history)
    assert vt.relative_error(model, asked) == pytest.approx(best, rel=1e-9)


def test_what_is_held_back_must_be_a_tensor(
    parts: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    with pytest.raises(TypeError, match="validation"):
        vt.fit(parts[0], 3, validation=0.1, preset="paper")  # type: ignore[arg-type]


def test_the_spread_of_the_error_held_back(
    parts: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    train, held = parts
    problem = problem_of(train, 3)
    start = random_start(train.shape, (3, 3, 3), 0)
    error, spread = HeldOut.over(problem, held).judge(*start)
    squares = (held.values - vt.TuckerModel(*start).predict(held)) ** 2
    unit = float((held.values**2).mean())
    assert error**2 == pytest.approx(squares.mean() / unit)
    assert spread == pytest.approx(squares.std(ddof=1) / math.sqrt(held.nnz) / unit)


def test_entries_held_back_that_do_not_fit_are_named() -> None:
    X = vt.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], modes=["who", "dish"])
    other = vt.SparseTensor([[0, 0, 1]], [1.0])
    with pytest.raises(vt.errors.ShapeError, match=r"^validation does not fit to X: "):
        cells_held_out(other, X)


def test_cells_that_are_fitted_are_not_measured_on(
    parts: tuple[vt.SparseTensor, vt.SparseTensor],
) -> None:
    train, held = parts
    both = vt.SparseTensor(
        np.concatenate([held.coords, train.coords[:80]]),
        np.concatenate([held.values, train.values[:80]]), train.shape,
    )  # fmt: skip
    ways: list[dict[str, Any]] = [{}, {**OVERFIT, "max_iter": 5, "preset": "paper"}]
    for how in ways:
        options: dict[str, Any] = {"ranks": 2, "seed": 0, "threads": 1, **how}
        wanted = vt.fit(train, validation=held, **options)
        told = "80 of the 290 entries of validation are of cells of X; these are fitted, and not"
        with pytest.warns(vt.errors.OverlapWarning, match=told):
            model = vt.fit(train, validation=both, **options)
        assert model.validation_error == wanted.validation_error
        with pytest.raises(vt.errors.OptionError, match=r"none is left to measure.*leave valid"):
            vt.fit(train, validation=train, **options)
    options = {"preset": "paper", "step": 0.3, "seed": 0, "refit": 1}
    with pytest.warns(vt.errors.OverlapWarning, match="80 of the 290"):
        path = vt.path(train, 2, validation=both, **options)
    wanted_path = vt.path(train, 2, validation=held, **options)
    assert path.best.validation_error == wanted_path.best.validation_error


def test_cells_in_common_are_found_by_label() -> None:
    X = vt.SparseTensor([[0, 0], [1, 0], [1, 1]], [1.0, 2, 3], labels=[["a", "b"], ["x", "y"]])
    there = [["b", "c", "a"], ["y", "x"]]
    other = vt.SparseTensor([[0, 0], [1, 0], [2, 1]], [1.0, 2, 3], labels=there)
    cells = cells_held_out(other, X)
    assert also_in(X, cells).tolist() == [True, False, True]
