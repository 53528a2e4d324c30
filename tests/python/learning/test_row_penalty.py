"""What rows pay: the slope is that of the penalty, and weights go by the number of entries."""

from __future__ import annotations

import numpy as np
import pytest

import reference_update as slow
from vest_tucker.learning.row_penalty import RowPenalty


@pytest.mark.parametrize("loss", ["lf", "l1"])
def test_slopes_are_those_of_the_slow_twin(loss: str, rng: np.random.Generator) -> None:
    lam, rows = rng.uniform(0.1, 2.0, 3), rng.normal(size=(7, 3))
    rows[2] = 0.0
    got = RowPenalty(loss, lam, False).slope(rows)
    for place in np.ndindex(rows.shape):
        want = slow.slope(loss, float(lam[place[1]]), float(rows[place]))
        assert got[place] == pytest.approx(want, rel=1e-12)


def test_rows_pay_by_a_power_of_their_entries() -> None:
    entries = np.array([0.0, 1.0, 4.0, 9.0])
    equal = RowPenalty("lf", np.ones(2), False)
    assert equal.weights(entries).tolist() == [1.0, 1.0, 1.0, 1.0]
    assert equal._replace(power=0.5, mean=2.0).weights(entries).tolist() == [0.5, 0.5, 1.0, 1.5]
