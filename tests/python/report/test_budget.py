"""The rows that a page holds: within the budget, the most frequent first, short modes whole."""

from __future__ import annotations

import numpy as np
import pytest

from vest_tucker.report.budget import rows_that_fit


@pytest.mark.parametrize("budget", [0.0, 500.0, 5_000.0, 1e9])
def test_the_budget_is_kept(budget: float, rng: np.random.Generator) -> None:
    costs = [rng.uniform(5.0, 50.0, n) for n in (400, 10, 30)]
    amounts = [rng.integers(0, 100, len(own)).astype(float) for own in costs]
    chosen = rows_that_fit(costs, amounts, budget)
    assert sum(own[rows].sum() for own, rows in zip(costs, chosen, strict=True)) <= budget
    for own, amount, rows in zip(costs, amounts, chosen, strict=True):
        assert (np.diff(rows) > 0).all()
        left = np.setdiff1d(np.arange(len(own)), rows)
        if len(rows) and len(left):
            assert amount[rows].min() >= amount[left].max()
    if budget >= 5_000.0:
        assert len(chosen[1]) == 10
        assert len(chosen[2]) == 30
    assert (len(chosen[0]) == 400) == (budget == 1e9)
