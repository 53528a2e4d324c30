"""Priors and noise follow from a posterior."""

from __future__ import annotations

import numpy as np
import pytest

from vest_tucker.fitting.noise.priors import LARGEST, LEAST_NOISE, Priors


def test_learn_is_count_over_expected_squares_and_noise_per_degree_of_freedom() -> None:
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=shape) for shape in ((2, 3), (7, 2), (5, 3))]
    variances = [rng.uniform(0.01, 0.1, part.shape) for part in parts]
    variances[1][2, 0] = parts[1][2, 0] = 0.0  # pruned
    before = [rng.uniform(1.0, 2.0, n) for n in (1, 2, 3)]
    priors = Priors([each.copy() for each in before], noise=0.3)
    priors.learn(parts, variances, squares=4.0, nnz=40)
    taken = 0.0
    for part in range(3):
        for column in range(len(before[part])):
            m = parts[part] if part == 0 else parts[part][:, column]
            s = variances[part] if part == 0 else variances[part][:, column]
            live = s > 0.0
            want = live.sum() / np.sum(m[live] ** 2 + s[live])
            assert priors.precision[part][column] == pytest.approx(want, rel=1e-12)
            taken += float(np.sum(1.0 - before[part][column] * s[live]))
    assert priors.taken == pytest.approx(taken)
    assert priors.noise == pytest.approx((4.0 + taken * 0.3) / 40)


def test_a_column_that_is_pruned_keeps_its_prior_and_a_dead_one_gets_the_largest() -> None:
    parts = [np.ones(1), np.array([[0.0, 0.0], [0.0, 0.0]])]
    variances = [np.ones(1), np.array([[0.0, 5e-324], [0.0, 0.0]])]
    priors = Priors([np.ones(1), np.array([3.0, 4.0])], noise=1.0)
    priors.learn(parts, variances, squares=1.0, nnz=4)
    assert priors.precision[1].tolist() == [3.0, LARGEST]


def test_exact_data_leave_the_least_noise() -> None:
    priors = Priors.flat((2, 3), precision=0.5, noise=1.0, square=9.0)
    assert [each.tolist() for each in priors.precision] == [[0.5], [0.5] * 2, [0.5] * 3]
    zeros = [np.zeros((2, 3)), np.zeros((4, 2)), np.zeros((4, 3))]
    priors.learn(zeros, zeros, squares=0.0, nnz=12)
    assert priors.noise == priors.floor == LEAST_NOISE * 9.0


def test_a_copy_has_arrays_of_its_own() -> None:
    priors = Priors([np.ones(1), np.ones(2)], noise=1.0, floor=0.5, taken=2.0)
    copy = priors.copy()
    copy.precision[1][0] = 7.0
    assert priors.precision[1][0] == 1.0
    assert (copy.noise, copy.floor, copy.taken) == (1.0, 0.5, 2.0)
