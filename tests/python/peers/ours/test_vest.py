"""Ours through the common call: the same model as a direct call gives, counted right."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import vest_tucker as vt
from planted_tasks import cp_task


@pytest.mark.parametrize("penalty", ["lf", "l1"])
@pytest.mark.parametrize("version", ["manual", "auto"])
def test_the_versions_of_the_paper(
    penalty: Literal["lf", "l1"], version: Literal["manual", "auto"]
) -> None:
    planted = cp_task()
    task = planted.task
    result = planted.run(f"vest-{penalty}-{version}", lam=0.01)
    sparsity: float | Literal["auto"] = 0.6 if version == "manual" else "auto"
    X = vt.SparseTensor(task.coords, task.values, task.shape)
    model = vt.fit(X, 2, preset="paper", penalty=penalty, sparsity=sparsity, lam=0.01, seed=0)
    assert np.array_equal(result.predictions, model.predict(task.test_coords))
    assert result.sparsity == pytest.approx(model.sparsity)
    assert result.stored == model.n_nonzero


def test_lasso_prunes_nothing() -> None:
    planted = cp_task(rank=1)
    result = planted.run("lasso", lam=0.01)
    assert result.zeros == 0
    assert planted.error(result.predictions) < 0.1


def test_the_plain_call_recovers_and_tells_how_it_got_there() -> None:
    planted = cp_task()
    result = planted.run("vest-tucker", curve=True)
    assert planted.error(result.predictions) < 0.1
    assert len(result.curve) > 3
    seconds = [when for when, _ in result.curve]
    assert seconds == sorted(seconds)
    assert seconds[-1] == result.seconds
    assert np.array_equal(result.curve[-1][1], result.predictions)
    assert planted.error(result.curve[0][1]) > planted.error(result.predictions)
