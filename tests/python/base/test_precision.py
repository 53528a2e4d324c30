"""The rule that priors of fits and of new rows have in common."""

from __future__ import annotations

import numpy as np

from vest_tucker.base.precision import precision_of


def test_each_column_has_its_own_and_counts_live_elements_alone() -> None:
    values = np.array([[2.0, 1.0, 0.0], [0.0, 5.0, 0.0]])
    variances = np.array([[0.5, 1.0, 0.0], [0.0, 1.0, 0.0]])
    found = precision_of(values, variances, axis=0)
    np.testing.assert_allclose(found, [1 / 4.5, 2 / 28.0, np.nan])


def test_all_elements_of_a_core_share_one() -> None:
    assert precision_of(np.full((2, 2), 3.0), np.ones((2, 2)), axis=None).tolist() == [0.1]


def test_a_column_that_has_all_but_died_overflows_quietly() -> None:
    with np.errstate(all="raise"):
        assert np.isinf(precision_of(np.zeros(3), np.full(3, 5e-324), axis=0)).all()
