"""The suite's own rule: no test draws random numbers without a seed."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt


def fit(seed: int | None) -> vt.TuckerModel:
    X, _ = vt.datasets.synthetic((6, 5, 4), 1, nnz=50, seed=0)
    return vt.fit(X, 1, lam=0.01, max_iter=1, seed=seed, preset="paper")


def test_a_fit_without_a_seed_fails_its_test() -> None:
    assert np.isfinite(fit(0).error)
    with pytest.raises(pytest.fail.Exception, match="without a seed"):
        fit(None)


@pytest.mark.unseeded
def test_a_test_may_be_marked_to_draw_what_it_likes() -> None:
    X, _ = vt.datasets.synthetic((20, 20, 20), 1, nnz=2000, seed=0)
    first, second = (vt.train_test_split(X, test=0.5, seed=None)[0] for _ in range(2))
    assert not np.array_equal(first.coords, second.coords)
