"""Columns of norm 1, and the same predictions."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.base.types import Floats
from vest_tucker.model.standardize import unit_columns, unit_columns_of_both


def dense(core: Floats, factors: list[Floats]) -> Floats:
    for mode, factor in enumerate(factors):
        core = np.moveaxis(np.tensordot(factor, core, axes=(1, mode)), 0, mode)
    return core


@pytest.fixture
def parts(rng: np.random.Generator) -> tuple[Floats, list[Floats]]:
    core = rng.normal(size=(3, 2, 4))
    factors = [rng.normal(size=(dim, rank)) for dim, rank in zip((6, 5, 7), (3, 2, 4), strict=True)]
    factors[0][:, 1] = 0.0
    factors[2][3, :] = 0.0
    return core, factors


def test_every_column_has_norm_one_or_stays_zero(parts: tuple[Floats, list[Floats]]) -> None:
    _, factors = unit_columns(*parts)
    np.testing.assert_allclose(np.linalg.norm(factors[0], axis=0), [1, 0, 1], rtol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(factors[2], axis=0), 1, rtol=1e-15)


def test_predictions_and_zeros_do_not_change(parts: tuple[Floats, list[Floats]]) -> None:
    core, factors = unit_columns(*parts)
    np.testing.assert_allclose(dense(core, factors), dense(*parts), rtol=1e-12, atol=1e-14)
    for after, before in zip([core, *factors], [parts[0], *parts[1]], strict=True):
        np.testing.assert_array_equal(after == 0.0, before == 0.0)


def test_the_input_is_left_alone_unless_in_place(parts: tuple[Floats, list[Floats]]) -> None:
    before = [part.copy() for part in (parts[0], *parts[1])]
    want_core, want_factors = unit_columns(*parts)
    for part, old in zip((parts[0], *parts[1]), before, strict=True):
        np.testing.assert_array_equal(part, old)
    core, factors = unit_columns(*parts, in_place=True)
    assert core is parts[0]
    assert all(after is given for after, given in zip(factors, parts[1], strict=True))
    for got, want in zip([core, *factors], [want_core, *want_factors], strict=True):
        np.testing.assert_array_equal(got, want)


def test_signs_stay_also_where_all_are_negative() -> None:
    core, (factor, _) = unit_columns(np.ones((1, 1)), [np.array([[-3.0], [-4.0]]), np.ones((1, 1))])
    np.testing.assert_allclose(factor, [[-0.6], [-0.8]], rtol=1e-15)
    np.testing.assert_allclose(core, [[5.0]], rtol=1e-15)


def test_a_column_of_zeros_leaves_the_core_as_it_is() -> None:
    core, _ = unit_columns(np.array([[2.0, 3.0]]), [np.ones((1, 1)), np.array([[0.0, 1.0]])])
    np.testing.assert_array_equal(core, [[2.0, 3.0]])


def test_a_factor_without_rows_has_nothing_to_scale() -> None:
    core, _ = unit_columns(np.array([[2.0], [3.0]]), [np.ones((0, 2)), np.ones((1, 1))])
    np.testing.assert_array_equal(core, [[2.0], [3.0]])


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_values_whose_squares_overflow_or_underflow_are_scaled(scale: float) -> None:
    factors = [np.array([[3.0], [-4.0]]) * scale, np.ones((1, 1))]
    core, factors = unit_columns(np.ones((1, 1)), factors)
    np.testing.assert_allclose(factors[0], [[0.6], [-0.8]], rtol=1e-15)
    np.testing.assert_allclose(core, [[5.0 * scale]], rtol=1e-15)


def test_variances_scale_with_the_squares(
    parts: tuple[Floats, list[Floats]], rng: np.random.Generator
) -> None:
    core, factors = parts[0].copy(), [factor.copy() for factor in parts[1]]
    variance = rng.random(core.shape)
    variances = [rng.random(factor.shape) for factor in factors]
    model = vt.TuckerModel(
        parts[0], parts[1], core_variance=variance.copy(), noise=0.1,
        factor_variances=[each.copy() for each in variances],
    )  # fmt: skip
    unit_columns_of_both(core, factors, variance, variances)
    want_core, want_factors = unit_columns(*parts)
    for got, want in zip([core, *factors], [want_core, *want_factors], strict=True):
        np.testing.assert_array_equal(got, want)
    scaled = vt.TuckerModel(
        core, factors, core_variance=variance, noise=0.1, factor_variances=variances
    )
    cells = np.argwhere(np.ones(model.shape))
    for after, before in zip(
        scaled.predict(cells, return_std=True), model.predict(cells, return_std=True), strict=True
    ):
        np.testing.assert_allclose(after, before, rtol=1e-12, atol=1e-14)
