"""Predictions from plain arrays, in blocks and without."""

from __future__ import annotations

import numpy as np
import pytest

from peers import tucker
from peers.tucker import cp_predictor, tucker_predictor


@pytest.mark.parametrize("block", [3, 10_000])
def test_as_the_dense_tensor(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tucker, "BLOCK", block)
    rng = np.random.default_rng(0)
    core = rng.standard_normal((2, 3, 2))
    factors = [rng.standard_normal(size) for size in ((4, 2), (5, 3), (3, 2))]
    coords = rng.integers(0, (4, 5, 3), (11, 3))
    dense = np.einsum("abc,ia,jb,kc->ijk", core, *factors)
    assert tucker_predictor(core, factors)(coords) == pytest.approx(dense[tuple(coords.T)])
    weights, vectors = rng.standard_normal(2), [rng.standard_normal((dim, 2)) for dim in (4, 5, 3)]
    dense = np.einsum("r,ir,jr,kr->ijk", weights, *vectors)
    assert cp_predictor(weights, vectors)(coords) == pytest.approx(dense[tuple(coords.T)])


def test_no_cells() -> None:
    predicted = cp_predictor([1.0], [np.ones((2, 1)), np.ones((3, 1))])(np.empty((0, 2), np.int64))
    assert predicted.shape == (0,)
