"""Rows from V and b: the minimum, whatever the start, zeros and signs as asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import reference_update as slow
from vest_tucker.learning.row_solver import Penalty, settle, solved


def problem(rng: np.random.Generator, n: int = 40, rank: int = 4) -> tuple[Any, Any, Any]:
    deltas = rng.normal(size=(n, 9, rank)) + 1.0
    values = rng.normal(size=(n, 9))
    V = np.einsum("ier,ies->irs", deltas, deltas)
    return V, np.einsum("ier,ie->ir", deltas, values), (deltas, values)


@pytest.mark.parametrize("loss", ["lf", "l1"])
@pytest.mark.parametrize("nonnegative", [False, True])
def test_rows_are_those_of_single_steps(
    loss: str, nonnegative: bool, rng: np.random.Generator
) -> None:
    V, b, (deltas, values) = problem(rng)
    lam = np.array([0.5, 1.0, 4.0, 2.0])
    penalty = Penalty(loss, lam, nonnegative)
    free = np.ones(b.shape, dtype=bool)
    got = settle(V, b, np.zeros(b.shape), free, penalty)
    for i in range(len(b)):
        want = slow.learned_row(
            deltas[i], values[i], 0.0, np.zeros(4), np.zeros((4, 4)), loss, lam, nonnegative
        )
        np.testing.assert_allclose(got[i], want, rtol=1e-6, atol=1e-8)
    assert not nonnegative or got.min() == 0.0
    again = settle(V, b, rng.random(b.shape), free, penalty)
    np.testing.assert_allclose(again, got, rtol=1e-6, atol=1e-8)
    one_by_one = [
        settle(V[i : i + 1], b[i : i + 1], np.zeros((1, 4)), free[:1], penalty)[0]
        for i in range(len(b))
    ]
    np.testing.assert_array_equal(got, one_by_one)


def test_what_may_not_move_stays(rng: np.random.Generator) -> None:
    V, b, _ = problem(rng)
    V[:, 2] = V[:, :, 2] = b[:, 2] = 0.0  # of which no entry says anything
    free = rng.random(b.shape) < 0.7
    start = np.where(free, rng.random(b.shape), 0.0)
    got = settle(V, b, start, free, Penalty("lf", np.full(4, 0.5), nonnegative=False))
    np.testing.assert_array_equal(got[:, 2], start[:, 2])
    assert not got[~free].any()


def test_steps_crawl_but_rows_leap(rng: np.random.Generator) -> None:
    V, b, _ = problem(rng)
    V += 1e5  # deltas that are nearly alike
    lam = np.full(4, 0.1)
    got = settle(V, b, np.zeros(b.shape), np.ones(b.shape, bool), Penalty("lf", lam, False))
    for i in range(len(b)):
        want = np.linalg.solve(V[i] + np.diag(lam), b[i])
        np.testing.assert_allclose(got[i], want, rtol=1e-6, atol=1e-8)


def test_systems_are_solved_and_singular_ones_named(rng: np.random.Generator) -> None:
    V, b, _ = problem(rng)
    np.testing.assert_allclose(solved(V, b), np.linalg.solve(V, b[:, :, None])[:, :, 0], rtol=1e-9)
    assert not np.isfinite(solved(np.ones((1, 3, 3)), np.ones((1, 3)))).all()
