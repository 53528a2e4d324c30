"""The canonical form: what it promises of factors and core, and that predictions stay."""

from __future__ import annotations

import numpy as np
import pytest

import reference_path as reference
from conftest import SmallProblem
from reference import Problem
from vest_tucker.fitting.basis.canonical import make_canonical


def shares_of(p: Problem) -> list[reference.Floats]:
    return [
        np.bincount(p.coords[:, mode], minlength=dim) / len(p.coords)
        for mode, dim in enumerate(p.shape)
    ]


@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize("spread", [0.3, 2.0])
def test_the_form(
    order: int, spread: float, small_problem: SmallProblem, rng: np.random.Generator
) -> None:
    ranks = {2: (3, 3), 3: (4, 2, 3), 4: (3, 2, 2, 3)}[order]
    p = small_problem(order, rng, ranks=ranks)
    before = reference.every_prediction(p.core, p.factors)
    shares = shares_of(p)
    make_canonical(p.core, p.factors, shares, spread)
    np.testing.assert_allclose(reference.every_prediction(p.core, p.factors), before, atol=1e-9)
    for mode, (factor, share) in enumerate(zip(p.factors, shares, strict=True)):
        products = reference.weighted_products(factor, share)
        np.testing.assert_allclose(products, spread**2 * np.eye(len(products)), atol=1e-9)
        slices = reference.slice_products(p.core, mode)
        np.testing.assert_allclose(slices, np.diag(np.diag(slices)), atol=1e-9 * slices.max())
        assert (np.diff(np.diag(slices)) <= 1e-9 * slices.max()).all()


def test_modes_that_are_not_named_stay(
    small_problem: SmallProblem, rng: np.random.Generator
) -> None:
    p = small_problem(3, rng)
    kept, before = p.factors[1].copy(), reference.every_prediction(p.core, p.factors)
    make_canonical(p.core, p.factors, shares_of(p), 1.0, modes=[0, 2])
    assert (p.factors[1] == kept).all()
    np.testing.assert_allclose(reference.every_prediction(p.core, p.factors), before, atol=1e-9)
    products = reference.weighted_products(p.factors[0], shares_of(p)[0])
    np.testing.assert_allclose(products, np.eye(4), atol=1e-9)


def test_a_column_of_zeros_or_nothing_else_does_no_harm(
    small_problem: SmallProblem, rng: np.random.Generator
) -> None:
    p = small_problem(3, rng)
    p.factors[0][:, 1] = 0.0
    p.factors[2][:] = 0.0
    before = reference.every_prediction(p.core, p.factors)
    make_canonical(p.core, p.factors, shares_of(p), 1.0)
    assert all(np.isfinite(part).all() for part in p.parts)
    np.testing.assert_allclose(reference.every_prediction(p.core, p.factors), before, atol=1e-9)
