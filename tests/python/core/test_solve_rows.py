"""Rows from V and b: the minimum, whatever the start, zeros and signs as asked for."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import reference_update as slow
from helpers import losses, threads_
from vest_tucker import _core
from vest_tucker.base.options import penalty_kind

LF = _core.PenaltyKind.LF
SEED, LAM = 20210607, np.array([0.5, 1.0, 4.0, 2.0])


def problem(rng: np.random.Generator, n: int = 40, rank: int = 4) -> tuple[Any, Any, Any]:
    deltas = rng.normal(size=(n, 9, rank)) + 1.0
    values = rng.normal(size=(n, 9))
    V = np.einsum("ier,ies->irs", deltas, deltas)
    return V, np.einsum("ier,ie->ir", deltas, values), (deltas, values)


@functools.cache
def rows_by_single_steps(loss: str, nonnegative: bool) -> np.ndarray:
    """Return the rows of the problem below as the slow twin finds them, for any threads."""
    rng = np.random.default_rng(SEED)
    _, b, (deltas, values) = problem(rng)
    weight = rng.uniform(0.2, 3.0, len(b))
    nothing = np.zeros(4), np.zeros((4, 4))
    return np.array([
        slow.learned_row(
            deltas[i], values[i], 0.0, *nothing, loss, weight[i] * LAM, nonnegative
        )
        for i in range(len(b))
    ])  # fmt: skip


@losses
@threads_
@pytest.mark.parametrize("nonnegative", [False, True])
def test_rows_are_those_of_single_steps(loss: str, nonnegative: bool, threads: int) -> None:
    rng = np.random.default_rng(SEED)
    V, b, _ = problem(rng)
    weight = rng.uniform(0.2, 3.0, len(b))
    free, zeros = np.ones(b.shape, dtype=bool), np.zeros(b.shape)
    pay: Any = {"kind": penalty_kind(loss).penalty, "lam": LAM, "nonnegative": nonnegative}
    got = _core.solve_rows(V, b, zeros, free, row_weight=weight, threads=threads, **pay)
    assert not zeros.any()
    want = rows_by_single_steps(loss, nonnegative)
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-8)
    assert not nonnegative or got.min() == 0.0
    again = _core.solve_rows(V, b, rng.random(b.shape), free, row_weight=weight, **pay)
    np.testing.assert_allclose(again, got, rtol=1e-6, atol=1e-8)
    one_by_one = [
        _core.solve_rows(
            V[i : i + 1], b[i : i + 1], zeros[:1], free[:1], row_weight=weight[i : i + 1], **pay
        )[0]
        for i in range(len(b))
    ]
    np.testing.assert_array_equal(got, one_by_one)


def test_what_may_not_move_stays(rng: np.random.Generator) -> None:
    V, b, _ = problem(rng)
    V[:, 2] = V[:, :, 2] = b[:, 2] = 0.0  # of which no entry says anything
    free = rng.random(b.shape) < 0.7
    start = np.where(free, rng.random(b.shape), 0.0)
    got = _core.solve_rows(V, b, start, free, kind=LF, lam=np.full(4, 0.5))
    np.testing.assert_array_equal(got[:, 2], start[:, 2])
    assert not got[~free].any()


def test_steps_crawl_but_rows_leap(rng: np.random.Generator) -> None:
    V, b, _ = problem(rng)
    V += 1e5  # deltas that are nearly alike
    lam = np.full(4, 0.1)
    got = _core.solve_rows(V, b, np.zeros(b.shape), np.ones(b.shape, bool), kind=LF, lam=lam)
    for i in range(len(b)):
        want = np.linalg.solve(V[i] + np.diag(lam), b[i])
        np.testing.assert_allclose(got[i], want, rtol=1e-6, atol=1e-8)


def test_arrays_that_do_not_fit_are_refused(rng: np.random.Generator) -> None:
    V, b, _ = problem(rng)
    free = np.ones(b.shape, bool)
    with pytest.raises(ValueError, match="must fit the rows"):
        _core.solve_rows(V[:3], b, b, free, kind=LF, lam=np.ones(4))
    with pytest.raises(ValueError, match="rank of at least 1"):
        _core.solve_rows(V, b, b, free, kind=LF, lam=np.ones(3))
