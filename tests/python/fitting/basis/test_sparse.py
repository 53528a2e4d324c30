"""A sparse basis: found where one is planted, and predictions stay."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import reference_path as reference
from conftest import SmallProblem
from vest_tucker.fitting.basis import sparse


def planted(rows: int, rank: int, density: float, rng: np.random.Generator) -> reference.Floats:
    sparse = rng.normal(size=(rows, rank)) * (rng.random((rows, rank)) < density)
    return sparse.astype(np.float64)


def cosines(a: reference.Floats, b: reference.Floats) -> reference.Floats:
    products = a.T @ b
    norms = np.sqrt((a**2).sum(axis=0))[:, None] * np.sqrt((b**2).sum(axis=0))
    alike: reference.Floats = np.abs(products) / norms
    return alike


@pytest.mark.parametrize("rank", [2, 3, 5])
@pytest.mark.parametrize("density", [0.5, 0.2])
def test_a_planted_basis_is_found(rank: int, density: float, rng: np.random.Generator) -> None:
    rows = planted(150, rank, density, rng)
    mixing = np.eye(rank) + 0.7 * np.roll(np.eye(rank), 1, axis=1)
    mixed = rows @ mixing + 0.01 * rng.normal(size=(150, rank))
    found = mixed @ sparse.sparse_basis(mixed, np.full(150, 7), rng)
    alike = cosines(rows, found)
    assert sorted(alike.argmax(axis=1).tolist()) == list(range(rank))
    assert alike.max(axis=1).min() > 0.99 > 0.95 > cosines(rows, mixed).max(axis=1).min()


def test_rows_of_most_entries_speak_for_the_others(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sparse, "MOST_ROWS", 100)
    rows = planted(300, 3, 0.4, rng)
    entries = np.concatenate([np.zeros(100), np.ones(100), np.full(100, 9)]).astype(np.int64)
    mixed = rows @ rng.normal(size=(3, 3))
    mixed[:200] = rng.normal(size=(200, 3))  # of which nothing is sparse
    basis = sparse.sparse_basis(mixed, entries, rng)
    assert cosines(rows[200:], mixed[200:] @ basis).max(axis=1).min() > 0.99


def test_predictions_stay_and_columns_have_the_spread_asked_for(
    small_problem: SmallProblem, rng: np.random.Generator
) -> None:
    p = small_problem(3, rng)
    entries = [np.ones(dim, dtype=np.int64) for dim in p.shape]
    before = reference.every_prediction(p.core, p.factors)
    kept = [part.copy() for part in p.parts]
    core, factors = sparse.rotate(p.core, p.factors, entries, 0.5, [0, 2], rng)
    np.testing.assert_allclose(reference.every_prediction(core, factors), before, atol=1e-9)
    for mode in (0, 2):
        np.testing.assert_allclose(np.sqrt((factors[mode] ** 2).mean(axis=0)), 0.5)
        assert (factors[mode].sum(axis=0) >= 0.0).all()
    assert (factors[1] == p.factors[1]).all()
    assert all((part == old).all() for part, old in zip(p.parts, kept, strict=True))


@pytest.mark.parametrize("factor", [np.ones((9, 1)), np.ones((9, 3)), np.zeros((4, 2))])
def test_nothing_to_turn(factor: reference.Floats, rng: np.random.Generator) -> None:
    basis = sparse.sparse_basis(factor, np.ones(len(factor), dtype=np.int64), rng)
    assert (basis == np.eye(factor.shape[1])).all()


def test_fewer_rows_with_entries_than_components(rng: np.random.Generator) -> None:
    entries = np.array([1, 0, 0, 0, 0])
    assert (sparse.sparse_basis(rng.normal(size=(5, 2)), entries, rng) == np.eye(2)).all()


def test_directions_that_all_end_in_one_place_still_make_a_basis() -> None:
    columns = np.eye(3)
    same = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1e-6], [1.0, 0.0, 0.0]])
    found = sparse.most_sparse(columns, sparse.unit_rows(same))
    assert abs(np.linalg.det(found)) == pytest.approx(1.0)


@pytest.mark.parametrize("at_once", [2, 7, 1000])
def test_how_many_directions_are_walked_at_once_changes_no_bit(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mixed = planted(200, 4, 0.4, np.random.default_rng(0)) @ np.full((4, 4), 0.2)
    mixed += planted(200, 4, 0.4, np.random.default_rng(1))
    entries = np.full(200, 3)
    found = sparse.sparse_basis(mixed, entries, np.random.default_rng(2))
    monkeypatch.setattr(sparse, "AT_ONCE", at_once)
    again = sparse.sparse_basis(mixed, entries, np.random.default_rng(2))
    assert found.tobytes() == again.tobytes()


@pytest.mark.parametrize("rank", [2, 10, 20])
def test_the_memory_that_a_basis_takes_is_known(rank: int, rng: np.random.Generator) -> None:
    rows = 5000
    factor = planted(rows, rank, 0.5, rng)
    told = sparse.bytes_to_turn((100, rows), (2, rank))
    tracemalloc.start()
    try:
        sparse.sparse_basis(factor, np.full(rows, 3), rng)
        _, taken = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.8 < told / taken < 1.3
