"""Other bases predict the same."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.fitting.basis.change import gram, turn_rows, unfolded_gram
from vest_tucker.fitting.noise import bases
from vest_tucker.fitting.noise.posterior import Parts
from vest_tucker.fitting.noise.priors import Priors

SHAPE, RANKS = (9, 8, 7), (3, 2, 4)


@pytest.fixture
def parts() -> Parts:
    rng = np.random.default_rng(2)
    sizes = [RANKS, *zip(SHAPE, RANKS, strict=True)]
    values = [rng.normal(size=size) for size in sizes]
    return Parts(values, [rng.uniform(0.1, 0.5, size) for size in sizes])


@pytest.fixture
def amounts() -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.integers(1, 9, dim).astype(float) for dim in SHAPE]


def model_of(parts: Parts) -> vt.TuckerModel:
    core_variance, *factor_variances = (each.copy() for each in parts.variances)
    core, *factors = (each.copy() for each in parts.values)
    return vt.TuckerModel(
        core, factors, core_variance=core_variance, factor_variances=factor_variances, noise=0.1
    )


CELLS = np.argwhere(np.ones(SHAPE))


def test_a_diagonal_turn_keeps_predictions_and_their_variances(parts: Parts) -> None:
    before = model_of(parts).predict(CELLS, return_std=True)
    sizes = np.array([0.5, -2.0, 3.0])
    bases.turn(parts, 0, np.diag(sizes), np.diag(1.0 / sizes))
    for was, now in zip(before, model_of(parts).predict(CELLS, return_std=True), strict=True):
        np.testing.assert_allclose(now, was, rtol=1e-10, atol=1e-12)


def test_an_interrupt_does_not_leave_half_a_turn(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = model_of(parts).predict(CELLS)

    def interrupted(factor: np.ndarray, matrix: np.ndarray) -> None:
        turn_rows(factor, matrix)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(bases, "turn_rows", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bases.turn(parts, 0, np.diag([2.0, 3.0, 4.0]), np.diag(1.0 / np.array([2.0, 3.0, 4.0])))
    np.testing.assert_allclose(model_of(parts).predict(CELLS), before, atol=1e-12)


def test_canonical_is_uncorrelated_and_ordered(parts: Parts, amounts: list[np.ndarray]) -> None:
    before = model_of(parts).predict(CELLS)
    bases.make_canonical(parts, amounts, 1.5, range(3))
    np.testing.assert_allclose(model_of(parts).predict(CELLS), before, atol=1e-10)
    for mode, rank in enumerate(RANKS):
        weights = amounts[mode] / amounts[mode].sum()
        np.testing.assert_allclose(
            gram(parts.factors[mode], weights), 1.5**2 * np.eye(rank), atol=1e-9
        )
        slices = unfolded_gram(parts.core, mode)
        np.testing.assert_allclose(slices, np.diag(np.diag(slices)), atol=1e-8)
        assert (np.diff(np.diag(slices)) <= 1e-9).all()
    assert min(each.min() for each in parts.variances) > 0.0


def test_only_the_modes_named_are_turned(parts: Parts, amounts: list[np.ndarray]) -> None:
    untouched = parts.factors[1].copy()
    bases.make_canonical(parts, amounts, 1.0, [0, 2])
    np.testing.assert_array_equal(parts.factors[1], untouched)


def test_a_factor_of_zeros_stays(parts: Parts, amounts: list[np.ndarray]) -> None:
    parts.factors[0][:] = 0.0
    bases.make_canonical(parts, amounts, 1.0, range(3))
    assert not parts.factors[0].any()
    assert all(np.isfinite(each).all() for each in (*parts.values, *parts.variances))


def test_sparse_keeps_predictions_and_gives_columns_one_size(
    parts: Parts, amounts: list[np.ndarray]
) -> None:
    before = model_of(parts).predict(CELLS)
    bases.make_sparse(parts, amounts, 1.5, range(3), np.random.default_rng(0))
    np.testing.assert_allclose(model_of(parts).predict(CELLS), before, atol=1e-9)
    for factor in parts.factors:
        np.testing.assert_allclose((factor**2).mean(axis=0), 1.5**2, rtol=1e-9)
        assert (factor.sum(axis=0) >= 0.0).all()


def test_what_components_explain_is_in_the_unit_of_the_values(
    parts: Parts, amounts: list[np.ndarray]
) -> None:
    """In a canonical basis the shares of a mode add up to the mean square, rows unrelated."""
    bases.make_canonical(parts, amounts, 1.5, range(3))
    weights = [each / each.sum() for each in amounts]
    values = np.einsum("abc,ia,jb,kc->ijk", *parts.values)
    total = float(np.einsum("ijk,i,j,k->", values**2, *weights))
    for each in bases.explained(parts, amounts):
        assert each.sum() == pytest.approx(total, rel=1e-9)


def test_without_dead_drops_what_explains_nothing(parts: Parts, amounts: list[np.ndarray]) -> None:
    assert bases.without_dead(parts, priors(1e-9), amounts, range(3)) is None
    parts.factors[0][:, 1] *= 1e-9
    parts.factors[2][:, 0] *= 1e-9
    before = model_of(parts).predict(CELLS)
    found = bases.without_dead(parts, priors(1e-9), amounts, [0, 1])
    assert found is not None
    smaller, left = found
    assert smaller.ranks == (2, 2, 4)  # the last mode is not to be turned
    assert left.precision[1].tolist() == [0.0, 2.0]
    np.testing.assert_allclose(model_of(smaller).predict(CELLS), before, atol=1e-7)


def test_one_component_is_left_in_a_mode(parts: Parts, amounts: list[np.ndarray]) -> None:
    found = bases.without_dead(parts, priors(1e12), amounts, range(3))
    assert found is not None
    assert found[0].ranks == (1, 1, 1)


def priors(noise: float) -> Priors:
    return Priors([np.ones(1), *(np.arange(float(rank)) for rank in RANKS)], noise)


def test_balanced_slices_have_elements_of_one_size(parts: Parts) -> None:
    parts.core[1] *= 1e-3  # a weak component
    parts.variances[0][1] *= 1e-6
    before = model_of(parts).predict(CELLS, return_std=True)
    for _ in range(10):
        bases.balance(parts, range(3))
    for was, now in zip(before, model_of(parts).predict(CELLS, return_std=True), strict=True):
        np.testing.assert_allclose(now, was, rtol=1e-10, atol=1e-12)
    expected = parts.core**2 + parts.variances[0]
    for mode in range(3):
        means = expected.mean(axis=tuple(n for n in range(3) if n != mode))
        np.testing.assert_allclose(means, means[0], rtol=1e-3)


def test_balancing_leaves_the_constant_modes_alone_and_stands_zeros(parts: Parts) -> None:
    parts.core[2], parts.variances[0][2] = 0.0, 0.0
    first, before = parts.factors[1].copy(), model_of(parts).predict(CELLS)
    bases.balance(parts, [0, 2])
    np.testing.assert_array_equal(parts.factors[1], first)
    np.testing.assert_allclose(model_of(parts).predict(CELLS), before, atol=1e-10)


@pytest.mark.parametrize("constant", [True, False])
def test_core_elements_that_meet_a_dead_column_of_effects_die(parts: Parts, constant: bool) -> None:
    made = Parts(parts.values, parts.variances, constant=constant)
    made.factors[2][:, 1] = made.variances[3][:, 1] = 0.0
    bases.clear_dead_columns(made)
    assert made.core[:, :, 1].any() == (not constant)
    assert made.variances[0][:, :, 1].any() == (not constant)
    assert made.core[:, :, [0, 2, 3]].all()
