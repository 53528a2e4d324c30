"""Mean, effects and pairs in one core."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker import _core
from vest_tucker.fitting.noise.interactions.effects import (
    effects_core,
    fit_effects,
    resume_effects,
    shares_by_order,
    start_effects,
)
from vest_tucker.fitting.noise.posterior import Posterior, Target

SHAPE = (30, 20, 10)


def planted(*, pairs: float) -> tuple[vt.SparseTensor, list[np.ndarray]]:
    rng = np.random.default_rng(5)
    cells = rng.choice(int(np.prod(SHAPE)), 4000, replace=False)
    coords = np.stack(np.unravel_index(cells, SHAPE), axis=1)
    effects = [rng.normal(size=dim) for dim in SHAPE]
    effects = [each - each.mean() for each in effects]
    values = 3.5 + sum(each[coords[:, n]] for n, each in enumerate(effects))
    a, b = (rng.normal(size=(dim, 2)) for dim in SHAPE[:2])
    values += pairs * np.sum(a[coords[:, 0]] * b[coords[:, 1]], axis=1)
    return vt.SparseTensor(coords, values + 0.1 * rng.normal(size=4000), SHAPE), effects


def fitted(X: vt.SparseTensor, columns: int) -> Posterior:
    target = Target(X, X.values, 1)
    start = start_effects(target, (columns,) * 3, np.random.default_rng(0))
    return fit_effects(start, lambda posterior: None)


def test_the_core_joins_columns_in_pairs() -> None:
    core = effects_core(3, (2, 1, 2), 4.0)
    assert core.shape == (4, 3, 4)
    assert core[0, 0, 0] == 4.0
    assert [core[1, 0, 0], core[0, 1, 0], core[0, 0, 1]] == [1.0] * 3
    assert [core[2, 2, 0], core[2, 0, 2], core[3, 0, 3], core[0, 2, 2]] == [1.0] * 4
    assert np.count_nonzero(core) == 8


def test_a_start_without_pairs_predicts_the_mean() -> None:
    X, _ = planted(pairs=0.0)
    parts = start_effects(Target(X, X.values, 1), (0, 0, 0), np.random.default_rng(0)).parts
    np.testing.assert_allclose(_core.predict(parts.core, parts.factors, X.coords), X.mean)


def test_mean_and_effects_are_recovered() -> None:
    X, effects = planted(pairs=0.0)
    parts = fitted(X, 0).parts
    rows = [factor[:, 1] for factor in parts.factors]
    mean = parts.core[0, 0, 0] + sum(float(each.mean()) for each in rows)
    assert mean == pytest.approx(3.5, abs=0.02)
    for got, want in zip(rows, effects, strict=True):
        np.testing.assert_allclose(got - got.mean(), want, atol=0.05)


def test_pairs_are_recovered() -> None:
    X, _ = planted(pairs=1.0)
    without, with_pairs = fitted(X, 0), fitted(X, 4)
    assert without.priors.noise > 1.0
    assert with_pairs.priors.noise == pytest.approx(0.01, rel=0.15)


def test_the_pattern_and_the_ones_stay() -> None:
    X, _ = planted(pairs=1.0)
    parts = fitted(X, 3).parts
    pattern = effects_core(3, (3, 3, 3), 1.0)
    np.testing.assert_array_equal(parts.core != 0.0, pattern != 0.0)
    assert all((factor[:, 0] == 1.0).all() for factor in parts.factors)


def test_shares_add_up_to_one() -> None:
    X, _ = planted(pairs=1.0)
    posterior = fitted(X, 4)
    shares = shares_by_order(posterior.parts, posterior.target)
    assert len(shares) == 2
    assert sum(shares) == pytest.approx(1.0)
    assert min(shares) > 0.2


def test_equal_values_leave_nothing_to_share() -> None:
    X, _ = planted(pairs=0.0)
    equal = vt.SparseTensor(X.coords, np.full(X.nnz, 0.1), SHAPE)
    posterior = fitted(equal, 0)
    np.testing.assert_allclose(posterior.parts.core[0, 0, 0], 0.1)
    assert posterior.error < 1e-10


def test_a_fit_goes_on_from_columns_of_any_scale() -> None:
    X, _ = planted(pairs=1.0)
    first = fitted(X, 4)
    core, *factors = (part.copy() for part in first.parts.values)
    core[2, 2, 0] /= 6.0  # as a model with columns of norm 1 has it
    factors[0][:, 2] *= 2.0
    factors[1][:, 2] *= 3.0
    core[2, 0, 2] /= 2.0
    core[0, 2, 2] /= 3.0
    again = resume_effects(Target(X, X.values, 1), core, factors)
    assert again.priors.noise == pytest.approx(first.priors.noise, rel=0.3)
    sweeps: list[float] = []
    done = fit_effects(again, lambda posterior: sweeps.append(posterior.error), again=True)
    assert len(sweeps) < 30
    assert done.error == pytest.approx(first.error, rel=0.01)
    np.testing.assert_array_equal(done.parts.core != 0.0, first.parts.core != 0.0)
