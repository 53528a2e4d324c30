"""Ranks are found, in whatever unit the values are."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.noise.posterior import Parts, Posterior, Target
from vest_tucker.fitting.noise.tucker import (
    BURN_IN,
    LEARNING,
    fit_tucker,
    random_parts,
    reduce_ranks,
)


def fitted(X: vt.SparseTensor, scale: float = 1.0) -> tuple[Posterior, int]:
    Y = vt.SparseTensor(X.coords, X.values * scale, X.shape)
    told: list[Posterior] = []
    start = random_parts(Target(Y, Y.values, 1), (8, 8, 8), np.random.default_rng(0), 0.1)
    return fit_tucker(start, told.append), len(told)


@pytest.fixture(scope="module")
def planted() -> vt.SparseTensor:
    return vt.datasets.synthetic((30, 25, 20), 3, nnz=5000, noise=0.2, seed=1)[0]


def test_the_planted_ranks_are_found(planted: vt.SparseTensor) -> None:
    posterior, sweeps = fitted(planted)
    assert posterior.parts.ranks == (3, 3, 3)
    assert posterior.sweeps == sweeps
    left = posterior.error * planted.norm
    assert posterior.priors.noise == pytest.approx(left**2 / planted.nnz, rel=0.1)


@pytest.mark.parametrize("scale", [2.0**40, 2.0**-40])
def test_another_unit_gives_the_same_bits(planted: vt.SparseTensor, scale: float) -> None:
    """A fourth of the power falls on each of core and factors, which is no rounding."""
    posterior, scaled = fitted(planted)[0], fitted(planted, scale)[0]
    assert scaled.error == posterior.error
    assert scaled.priors.noise == posterior.priors.noise * scale**2
    np.testing.assert_array_equal(scaled.parts.core, posterior.parts.core * scale**0.25)


def test_a_start_predicts_values_of_the_right_size(planted: vt.SparseTensor) -> None:
    target = Target(planted, planted.values, 1)
    start = random_parts(target, (4, 4, 4), np.random.default_rng(0), 0.1)
    assert start.priors.noise == pytest.approx(0.1 * target.square)
    model = vt.TuckerModel(start.parts.core, start.parts.factors)
    assert np.mean(model.predict(planted) ** 2) == pytest.approx(target.square)


def test_components_of_noise_are_dropped_and_none_of_the_others(planted: vt.SparseTensor) -> None:
    target = Target(planted, planted.values, 1)
    start = random_parts(target, (7, 7, 7), np.random.default_rng(0), 1e-4)
    crowded = fit_tucker(start, lambda each: None)
    assert min(crowded.parts.ranks) > 3  # noise that was let in does not go by itself
    before, cost = crowded.priors.copy(), crowded.cost
    reduced = reduce_ranks(crowded, lambda each: None)
    assert reduced.parts.ranks == (3, 3, 3)
    assert reduced.cost < cost
    assert crowded.priors.noise == before.noise  # what was tried in vain changed nothing
    for now, was in zip(crowded.priors.precision, before.precision, strict=True):
        np.testing.assert_array_equal(now, was)


def test_a_veto_keeps_components(planted: vt.SparseTensor) -> None:
    target = Target(planted, planted.values, 1)
    start = random_parts(target, (7, 7, 7), np.random.default_rng(0), 1e-4)
    crowded = fit_tucker(start, lambda each: None)
    asked: list[tuple[int, ...]] = []

    def veto(before: Parts, after: Parts) -> bool:
        asked.append(after.ranks)
        return sum(before.ranks) > sum(after.ranks)

    assert reduce_ranks(crowded, lambda each: None, veto) is crowded
    assert 1 <= len(asked) <= 3


def test_another_basis_changes_neither_noise_nor_degrees_of_freedom(
    planted: vt.SparseTensor,
) -> None:
    posterior, _ = fitted(planted)
    before = posterior.priors.noise, posterior.priors.taken
    assert before[1] > 0.0
    for factor, variances in zip(
        posterior.parts.factors, posterior.parts.variances[1:], strict=True
    ):
        factor *= 3.0
        variances *= 9.0
    posterior.learn(noise=False)
    assert (posterior.priors.noise, posterior.priors.taken) == before


def test_without_negative_elements_a_start_is_near_the_values_and_sweeps_are_not_few() -> None:
    X, _ = vt.datasets.synthetic((20, 15, 10), 3, nnz=3000, noise=0.05, seed=0)
    positive = vt.SparseTensor(X.coords, np.abs(X.values), X.shape)
    signs = Constraints(nonnegative=frozenset(range(4)))
    target = Target(positive, positive.values, 1, signs)
    start = random_parts(target, (3, 3, 3), np.random.default_rng(0), 0.1)
    predicted = vt.TuckerModel(start.parts.core, start.parts.factors).predict(X)
    assert predicted @ predicted == pytest.approx(predicted @ positive.values)
    sweeps: list[Posterior] = []
    fitted = fit_tucker(start, sweeps.append)
    assert len(sweeps) > BURN_IN + LEARNING  # where nothing may be turned, it takes longer
    assert min(part.min() for part in fitted.parts.values) >= 0.0
