"""Tucker-ALS: missing cells are zero, and pyttb agrees with TensorLy."""

from __future__ import annotations

import numpy as np
import pytest

from planted_tasks import tucker_task

pytest.importorskip("pyttb")


def test_all_cells_of_a_planted_truth() -> None:
    planted = tucker_task(share=1.0)
    result = planted.run("tucker-als")
    assert planted.error(result.predictions) < 0.02
    assert result.elements == 8 + 2 * sum(planted.task.shape)
    assert result.zeros == 0


def test_agrees_with_tensorly() -> None:
    decomposition = pytest.importorskip("tensorly.decomposition")
    planted = tucker_task(noise=0.3)
    task = planted.task
    tensor = np.zeros(task.shape)
    tensor[tuple(task.coords.T)] = task.values
    core, factors = decomposition.tucker(tensor, task.ranks, n_iter_max=500, tol=1e-12)
    whole = np.einsum("abc,ia,jb,kc->ijk", core, *factors)
    result = planted.run("tucker-als", max_iter=500, tol=1e-12)
    assert result.predictions == pytest.approx(whole[tuple(task.test_coords.T)], abs=1e-3)


def test_missing_cells_draw_the_predictions_to_zero() -> None:
    planted = tucker_task(share=0.3)
    result = planted.run("tucker-als")
    assert np.linalg.norm(result.predictions) < 0.7 * np.linalg.norm(planted.truth)
