"""The average of delta delta^T over the cells of a model, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

import reference_update as slow
from conftest import SmallProblem
from helpers import assert_close
from vest_tucker.data.per_row import entries_per_row
from vest_tucker.learning.average_outer import average_outer


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
