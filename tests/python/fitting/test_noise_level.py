"""The singular value of noise, against NumPy's own decomposition."""

from __future__ import annotations

import numpy as np
import pytest

from vest_tucker.fitting.noise_level import noise_level


@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_largest_singular_value_of_the_flipped_matrix(weighted: bool) -> None:
    rng = np.random.default_rng(4)
    shape = (25, 18)
    cells = rng.permutation(25 * 18)[:200]
    coords = np.stack(np.divmod(cells, 18), axis=1).astype(np.int32)
    values = rng.normal(size=200)
    weights = (rng.random(25) + 0.5, rng.random(18) + 0.5) if weighted else (None, None)
    signs = np.where(np.random.default_rng(7).random(200) < 0.5, -1.0, 1.0)
    matrix = np.zeros(shape)
    matrix[coords[:, 0], coords[:, 1]] = signs * values
    if weights[0] is not None and weights[1] is not None:
        matrix /= np.sqrt(np.outer(weights[0], weights[1]))
    want = np.linalg.svd(matrix, compute_uv=False)[0]
    got = noise_level(coords, values, shape, weights, np.random.default_rng(7))
    assert got == pytest.approx(want, rel=2e-2)  # 30 iterations, close neighbours


def test_a_component_does_not_count() -> None:
    coords = np.argwhere(np.ones((40, 30))).astype(np.int32)
    rng = np.random.default_rng(0)
    noise = rng.normal(size=1200)
    alone = noise_level(coords, noise, (40, 30), (None, None), np.random.default_rng(1))
    both = noise_level(coords, noise + 1.0, (40, 30), (None, None), np.random.default_rng(1))
    assert both < 2.0 * alone < 34.6  # the component's own is the root of 1200


def test_nothing_has_no_level() -> None:
    coords = np.array([[0, 0], [1, 1]], dtype=np.int32)
    rng = np.random.default_rng(0)
    assert noise_level(coords, np.zeros(2), (2, 2), (None, None), rng) == 0.0
