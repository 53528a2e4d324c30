"""Signs to be read: columns positive on balance, the same predictions, the model untouched."""

from __future__ import annotations

import dataclasses

import numpy as np

import vest_tucker as vt
from small import made
from vest_tucker.reading.orientation import oriented


def test_every_column_is_positive_on_balance(
    model: vt.TuckerModel, rng: np.random.Generator
) -> None:
    for factor in model.factors:
        factor[...] = rng.normal(size=factor.shape)
    before = [part.copy() for part in (model.core, *model.factors)]
    seen = oriented(model)
    assert all(((factor * np.abs(factor)).sum(axis=0) >= 0.0).all() for factor in seen.factors)
    assert all(set(signs.tolist()) <= {-1.0, 1.0} for signs in seen.signs)
    assert any((signs < 0.0).any() for signs in seen.signs)
    for one, other in zip(before, (model.core, *model.factors), strict=True):
        np.testing.assert_array_equal(one, other)
    full = [np.einsum("abc,ia,jb,kc->ijk", each.core, *each.factors) for each in (model, seen)]
    np.testing.assert_allclose(full[0], full[1], rtol=1e-12, atol=1e-15)


def test_rows_count_as_their_entries() -> None:
    model = made([[1.0]], [[[3.0], [-1.0]], [[1.0]]])
    assert oriented(model).core.tolist() == [[1.0]]
    many = dataclasses.replace(model, entries=[np.array([1, 10]), np.array([11])])
    assert oriented(many).core.tolist() == [[-1.0]]
    assert oriented(many).factors[0].tolist() == [[-3.0], [1.0]]


def test_a_column_of_rows_without_entries_is_judged_by_its_values() -> None:
    model = made([[1.0]], [[[-3.0], [0.0]], [[1.0]]], entries=[[0, 4], [4]])
    assert oriented(model).factors[0].tolist() == [[3.0], [0.0]]


def test_a_column_of_zeros_keeps_its_sign() -> None:
    model = made([[-1.0]], [[[0.0]], [[1.0]]])
    assert oriented(model).core.tolist() == [[-1.0]]
