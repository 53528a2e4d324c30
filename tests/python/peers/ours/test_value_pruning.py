"""Value pruning: which elements go, and what that leaves."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from peers.ours.value_pruning import without_smallest
from peers.tucker import tucker_predictor
from planted_tasks import cp_task


def test_the_smallest_of_all_arrays_go() -> None:
    core, factor = without_smallest([np.array([[3.0, -0.1]]), np.array([0.2, -5.0, 0.3])], 0.5)
    assert core.tolist() == [[3.0, 0.0]]
    assert factor.tolist() == [0.0, -5.0, 0.0]  # 2.5 of 5 are rounded up


@pytest.mark.parametrize("penalty", ["lf", "l1"])
def test_as_pruning_a_direct_fit(penalty: str) -> None:
    planted = cp_task()
    task = planted.task
    result = planted.run(f"value-pruning-{penalty}", ratio=0.3, lam=0.01)
    X = vt.SparseTensor(task.coords, task.values, task.shape)
    model = vt.fit(
        X, 2, preset="paper", penalty="lf" if penalty == "lf" else "l1", sparsity=0.0, lam=0.01,
        standardize=False, seed=0,
    )  # fmt: skip
    core, *factors = without_smallest((model.core, *model.factors), 0.3)
    assert result.predictions == pytest.approx(tucker_predictor(core, factors)(task.test_coords))
    assert result.sparsity == pytest.approx(0.3, abs=0.02)
    whole = planted.run("vest-lf-manual", sparsity=0.0, lam=0.01)
    assert planted.error(whole.predictions) < planted.error(result.predictions)
