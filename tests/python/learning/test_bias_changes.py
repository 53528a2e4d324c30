"""Biases that learn from new entries, against plain loops."""

from __future__ import annotations

import numpy as np

import reference_update as slow
from vest_tucker.learning.bias_changes import bias_changes


def test_biases_change_as_in_the_slow_twin(rng: np.random.Generator) -> None:
    coords = np.argwhere(rng.random((6, 5, 4)) < 0.3).astype(np.int32)
    rest = rng.normal(1.0, 1.0, len(coords))
    weights = [rng.uniform(0.5, 9.0, dim) for dim in (6, 5, 4)]
    weights[1][2] = np.inf
    got = bias_changes(coords, rest, weights)
    for mine, want in zip(got, slow.bias_changes(coords, rest, weights), strict=True):
        np.testing.assert_allclose(mine, want, rtol=1e-7, atol=1e-9)
    assert got[1][2] == 0.0
    back = bias_changes(coords[:, ::-1].copy(), rest, weights[::-1])[::-1]
    for mine, other in zip(got, back, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-7, atol=1e-9)
