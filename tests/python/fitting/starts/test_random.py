"""The paper's start."""

from __future__ import annotations

import numpy as np

from vest_tucker.fitting.starts.random import random_start


def test_the_start_draws_factors_in_mode_order_then_the_core() -> None:
    core, factors = random_start((4, 3), (2, 1), 7)
    rng = np.random.default_rng(7)
    for factor, shape in zip(factors, [(4, 2), (3, 1)], strict=True):
        np.testing.assert_array_equal(factor, rng.random(shape))
    np.testing.assert_array_equal(core, rng.random((2, 1)))
