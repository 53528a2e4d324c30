"""Numbers at the edges of what can be: results are finite, or a named error says why not."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt

RNG = np.random.default_rng(5)
COORDS = np.stack(np.unravel_index(RNG.permutation(120)[:60], (6, 5, 4)), axis=1)
NORMAL = RNG.normal(size=60)
OURS = tuple(getattr(vt.errors, name) for name in vt.errors.__all__)

VALUES = {
    "1e300": 1e300 * NORMAL,
    "1e-300": 1e-300 * NORMAL,
    "subnormal": np.full(60, 5e-324),
    "all equal": np.full(60, 3.0),
    "all negative": -1.0 - np.abs(NORMAL),
    "1e138": 1e138 * NORMAL,
    "1e-138": 1e-138 * NORMAL,
    "one large": np.where(np.arange(60) == 7, 1e130, 1e-130),
    "far from zero": 1e15 + NORMAL,
    "of all sizes": 10.0 ** RNG.integers(-100, 100, 60),
}


def of_shape(*shape: int) -> vt.SparseTensor:
    """Make a tensor of a few entries, whatever the number of cells."""
    coords = np.unique(np.stack([RNG.integers(0, dim, 30) for dim in shape], axis=1), axis=0)
    return vt.SparseTensor(coords, RNG.normal(size=len(coords)), shape)


TENSORS: dict[str, Callable[[], vt.SparseTensor]] = {
    **{
        name: lambda values=values: vt.SparseTensor(COORDS, values, (6, 5, 4))  # type: ignore[misc]
        for name, values in VALUES.items()
    },
    **{
        f"weights {weight:g}": lambda weight=weight: vt.SparseTensor(  # type: ignore[misc]
            COORDS, NORMAL, (6, 5, 4), weights=np.full(60, weight)
        )
        for weight in (1e250, 1e-250)
    },
    "one entry": lambda: vt.SparseTensor([[5, 4, 3]], [2.0], (6, 5, 4)),
    "one row": lambda: of_shape(1, 8, 9),
    "rows of one": lambda: of_shape(1, 1, 9),
    "the longest mode": lambda: of_shape(2**31 - 1, 2**31 - 1, 2**31 - 1),
    "order 2": lambda: of_shape(5, 4),
    "order 8": lambda: of_shape(*(2,) * 8),
}


def small_ranks(X: vt.SparseTensor) -> tuple[int, ...]:
    """Return ranks of 2 where that is possible, and where the core stays small."""
    return tuple(min(2 if X.order < 8 else 1, dim) for dim in X.shape)


FITS: dict[str, Callable[[vt.SparseTensor], vt.TuckerModel]] = {
    "plain": lambda X: vt.fit(X, seed=0),
    "path": lambda X: vt.path(X, small_ranks(X), seed=0, preset="paper").best,
    "paper": lambda X: vt.fit(X, small_ranks(X), preset="paper", seed=0, max_iter=5),
    "lam 0": lambda X: vt.fit(X, small_ranks(X), preset="paper", lam=0, seed=0, max_iter=5),
    "lam 1e300": lambda X: vt.fit(X, 1, preset="paper", lam=1e300, seed=0, max_iter=5),
    "full ranks": lambda X: vt.fit(
        X, X.shape if np.prod(X.shape, dtype=float) < 500 else 1, penalty="l1", seed=0, max_iter=5
    ),
    "biases": lambda X: vt.fit(X, 1, preset="paper", offset="biases", seed=0, max_iter=5),
}


@contextlib.contextmanager
def named_errors() -> Iterator[None]:
    """Let errors that have a name pass, and none else."""
    with warnings.catch_warnings(), contextlib.suppress(*OURS):
        warnings.simplefilter("ignore")
        yield


def require_finite(*arrays: Any) -> None:
    for array in arrays:
        assert np.isfinite(array).all()


@pytest.mark.parametrize("how", FITS)
@pytest.mark.parametrize("name", TENSORS)
def test_everything_is_finite_or_a_named_error(name: str, how: str, tmp_path: Path) -> None:
    X = TENSORS[name]()
    found: list[vt.TuckerModel] = []
    with named_errors():
        found.append(FITS[how](X))
    if not found:
        return
    (model,) = found
    require_finite(model.core, *model.factors, model.error, *(model.factor_variances or []))
    require_finite(model.predict(X))
    if model.core_variance is not None:
        require_finite(*model.predict(X, return_std=True, interval=0.9))
    with named_errors():
        require_finite(model.to_dense())
    with named_errors():
        learned = model.update(X)
        require_finite(learned.core, *learned.factors)
    model.save(tmp_path / "model.npz")
    assert vt.TuckerModel.load(tmp_path / "model.npz") == model


def test_predictions_that_overflow_are_told_once_with_their_number() -> None:
    model = vt.TuckerModel(np.array([[1e103]]), [np.array([[1e103], [1.0]]), np.array([[1e103]])])
    with pytest.warns(vt.errors.ScaleWarning, match="1 of 2 predictions") as told:
        assert model.predict([[0, 0], [1, 0]])[0] == np.inf
    assert len(told) == 1


@pytest.mark.parametrize("read", ["describe", "report", "explain", "groups"])
def test_what_is_read_of_a_model_that_overflows_has_a_named_error(
    read: str, tmp_path: Path
) -> None:
    model = vt.TuckerModel(np.array([[1e103]]), [np.array([[1e103], [1.0]]), np.array([[1e103]])])
    calls: dict[str, Callable[[], object]] = {
        "describe": model.describe,
        "report": lambda: model.report(tmp_path / "report.html"),
        "explain": lambda: model.explain([[0, 0]]),
        "groups": lambda: model.groups_frame(0),
    }
    with pytest.raises(vt.errors.ScaleError, match="too large together"):
        calls[read]()


@pytest.mark.parametrize("preset", ["best", "paper"])
def test_update_speaks_of_values_that_are_too_large(preset: Any) -> None:
    X = vt.SparseTensor(COORDS, NORMAL, (6, 5, 4))
    model = vt.fit(X, 1, preset=preset, lam=0.01 if preset == "paper" else None, seed=0)
    large = vt.SparseTensor(COORDS, 1e200 * NORMAL, (6, 5, 4))
    with pytest.raises(vt.errors.ScaleError, match="the values have the norm"):
        model.update(large)
    assert np.isfinite(model.update(X).factors[0]).all()


def test_a_core_of_many_modes_is_spoken_of_beforehand() -> None:
    X = of_shape(*(2,) * 24)
    with (
        pytest.warns(vt.errors.RanksWarning, match="16,777,216 elements") as told,
        pytest.raises(vt.errors.InitError),  # checked after ranks, and before any work
    ):
        vt.fit(X, 2, preset="paper", init=(np.ones(1), []))
    assert len(told) == 1
