"""The paper's start, and that of parts which must not be negative."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from helpers import problem_of
from vest_tucker.fitting.starts.random import random_start, scale_to_values, sized_start


def test_the_start_draws_factors_in_mode_order_then_the_core() -> None:
    core, factors = random_start((4, 3), (2, 1), 7)
    rng = np.random.default_rng(7)
    for factor, shape in zip(factors, [(4, 2), (3, 1)], strict=True):
        np.testing.assert_array_equal(factor, rng.random(shape))
    np.testing.assert_array_equal(core, rng.random((2, 1)))


def test_a_scaled_start_is_as_near_to_the_values_as_any_scale_can_bring_it() -> None:
    X, _ = vt.datasets.synthetic((9, 8, 7), 2, nnz=200, seed=0)
    positive = vt.SparseTensor(
        X.coords, np.abs(X.values), X.shape, weights=np.linspace(0.5, 2.0, X.nnz)
    )
    core, factors = random_start(X.shape, (2, 2, 2), 0)
    kept = factors[1].copy()
    scale_to_values(core, factors, positive, positive.values, fixed={2}, threads=1)
    np.testing.assert_array_equal(factors[1], kept)

    def error(scale: float) -> float:
        return vt.relative_error(vt.TuckerModel(scale * core, factors), positive)

    assert error(1.0) < min(error(0.99), error(1.01))


def test_values_that_are_nothing_like_a_start_leave_it_a_size_that_can_grow() -> None:
    coords = [[i, j] for i in range(4) for j in range(4)]
    negative = vt.SparseTensor(coords, -np.ones(16))
    core, factors = random_start((4, 4), (2, 2), 0)
    scale_to_values(core, factors, negative, negative.values)
    predicted = vt.TuckerModel(core, factors).predict(coords)
    assert np.sqrt(np.mean(predicted**2)) == pytest.approx(0.1)
    before = core.copy()
    scale_to_values(core, factors, negative, np.zeros(16))  # of no size at all
    np.testing.assert_array_equal(core, before)


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_a_start_is_scaled_in_any_unit(unit: float) -> None:
    X = vt.SparseTensor([[0, 0], [1, 1]], [unit, 2.0 * unit])
    core, factors = random_start((2, 2), (1, 1), 0)
    scale_to_values(core, factors, X, X.values)
    predicted = vt.TuckerModel(core, factors).predict(X)
    assert np.all((predicted > 1e-3 * unit) & (predicted < 1e3 * unit))


def test_only_starts_of_given_signs_are_scaled() -> None:
    X, _ = vt.datasets.synthetic((6, 5), 2, nnz=20, seed=0)
    problem = problem_of(X, 2, {})
    np.testing.assert_array_equal(
        sized_start(problem, np.random.default_rng(3))[0], random_start((6, 5), (2, 2), 3)[0]
    )
    signed = problem_of(X, 2, {}, nonnegative=True)
    assert not np.allclose(
        sized_start(signed, np.random.default_rng(3))[0], random_start((6, 5), (2, 2), 3)[0]
    )


def counts() -> vt.SparseTensor:
    """Log counts of which most are zero, from positive factors with many zeros."""
    rng, shape, ranks = np.random.default_rng(0), (10, 20, 12), (4, 4, 3)
    sizes = [*zip(shape, ranks, strict=True), ranks]
    *factors, core = (rng.exponential(size=each) * (rng.random(each) > 0.6) for each in sizes)
    means = np.einsum("abc,ia,jb,kc->ijk", core, *factors)
    drawn = rng.poisson(0.3 * means / means.mean())
    return vt.SparseTensor.from_dense(np.log1p(drawn.astype(float)))


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "lf", "lam": 1e-3},
        {"loss": "l1", "lam": 1e-3},
        {"loss": "lf", "lam": 1e-3, "init": "data"},
        {"loss": "lf", "lam": 1e-3, "nonnegative": [0]},
        {"holdout": 0.0},
    ],
)
def test_no_component_is_lost_to_a_start_that_predicts_too_much(options: dict[str, Any]) -> None:
    """From numbers of any size, two of the first four columns became zero in the first sweep."""
    X = counts()
    wanted: dict[str, Any] = {"nonnegative": True, "sparsity": 0.0, "seed": 0, "threads": 1}
    model = vt.fit(X, (4, 4, 3), **(wanted | options))
    assert model.ranks == (4, 4, 3)
    assert all(factor.any(axis=0).all() for factor in model.factors)
    assert all(np.moveaxis(model.core, n, 0).any(axis=(1, 2)).all() for n in range(3))
    assert vt.relative_error(model, X) < 0.485  # with two columns lost: 0.514
