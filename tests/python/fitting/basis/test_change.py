"""A change of basis: the factor turns, the core turns back, predictions stay."""

from __future__ import annotations

import numpy as np
import pytest

import reference_path as reference
from conftest import SmallProblem
from vest_tucker.fitting.basis import change


@pytest.mark.parametrize("order", [2, 3, 4])
def test_predictions_stay(
    order: int, small_problem: SmallProblem, rng: np.random.Generator
) -> None:
    p = small_problem(order, rng)
    before = reference.every_prediction(p.core, p.factors)
    for mode, rank in enumerate(p.core.shape):
        matrix = rng.normal(size=(rank, rank))
        turned = p.factors[mode] @ matrix
        inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
        change.change_basis(p.core, p.factors, mode, matrix, inverse)
        np.testing.assert_allclose(p.factors[mode], turned, atol=1e-12)
    np.testing.assert_allclose(reference.every_prediction(p.core, p.factors), before, atol=1e-9)


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_products_do_not_depend_on_chunks(
    rows: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    factor, weights, matrix = rng.normal(size=(7, 3)), rng.random(7), rng.normal(size=(3, 3))
    monkeypatch.setattr(change, "CHUNK", rows)
    np.testing.assert_allclose(
        change.gram(factor, weights), reference.weighted_products(factor, weights), rtol=1e-12
    )
    np.testing.assert_allclose(change.gram(factor), factor.T @ factor, rtol=1e-12)
    turned = factor @ matrix
    change.turn_rows(factor, matrix)
    np.testing.assert_allclose(factor, turned, rtol=1e-12)


def test_products_of_slices(rng: np.random.Generator) -> None:
    core = rng.normal(size=(3, 2, 4))
    for mode in range(3):
        want = reference.slice_products(core, mode)
        np.testing.assert_allclose(change.unfolded_gram(core, mode), want, atol=1e-12)
