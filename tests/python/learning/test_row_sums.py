"""deltas, their sums per row and their average, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

import reference_update as slow
from conftest import SmallProblem
from helpers import assert_close, weighted_
from vest_tucker.data.per_row import entries_per_row
from vest_tucker.learning import row_sums as module
from vest_tucker.learning.row_sums import average_outer, deltas, row_sums


@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize("block", [1, 500, 1 << 22])
@weighted_
def test_deltas_and_their_sums(
    order: int,
    block: int,
    weighted: bool,
    rng: np.random.Generator,
    small_problem: SmallProblem,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "BLOCK", block)
    p = small_problem(order, rng, nnz=80, pruned=0.2, weighted=weighted)
    for mode in range(order):
        want = np.array([slow.delta(p.core, p.factors, c.tolist(), mode) for c in p.coords])
        assert_close(deltas(p.core, p.factors, p.coords, mode), want)
        rows = p.coords[:, mode].astype(np.intp)
        by_row = np.argsort(rows, kind="stable")
        weights = p.w[by_row] if weighted else None
        V, b = row_sums(
            p.core, p.factors, p.coords[by_row], p.values[by_row], mode, rows[by_row], weights
        )
        for i in range(len(V)):
            here = rows == i
            assert_close(V[i], want[here].T @ (p.w[here, None] * want[here]))
            assert_close(b[i], want[here].T @ (p.w[here] * p.values[here]))


@pytest.mark.parametrize("order", [2, 3])
def test_the_average_over_cells_in_closed_form(
    order: int, rng: np.random.Generator, small_problem: SmallProblem
) -> None:
    p = small_problem(order, rng, nnz=60)
    counts = entries_per_row(p.coords, p.shape)
    for mode in range(order):
        got = average_outer(p.core, p.factors, counts, mode)
        assert_close(got, slow.average_outer(p.core, p.factors, counts, mode))
        np.testing.assert_array_equal(got, got.T)
