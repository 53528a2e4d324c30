"""Biases that learn from new entries, against plain loops."""

from __future__ import annotations

import numpy as np

import reference_update as slow
from helpers import weighted_
from vest_tucker.learning.bias_changes import bias_changes


@weighted_
def test_biases_change_as_in_the_slow_twin(weighted: bool, rng: np.random.Generator) -> None:
    coords = np.argwhere(rng.random((6, 5, 4)) < 0.3).astype(np.int32)
    rest = rng.normal(1.0, 1.0, len(coords))
    weights = [rng.uniform(0.5, 9.0, dim) for dim in (6, 5, 4)]
    weights[1][2] = np.inf
    of_entries = rng.uniform(0.05, 3.0, len(coords)) if weighted else None
    got = bias_changes(coords, rest, weights, of_entries)
    slowly = slow.bias_changes(coords, rest, weights, entry_weights=of_entries)
    for mine, want in zip(got, slowly, strict=True):
        np.testing.assert_allclose(mine, want, rtol=1e-7, atol=1e-9)
    assert got[1][2] == 0.0
    back = bias_changes(coords[:, ::-1].copy(), rest, weights[::-1], of_entries)[::-1]
    for mine, other in zip(got, back, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-7, atol=1e-9)
