"""TTP recovers sparse rank-one components of a dense tensor, and where their zeros are."""

from __future__ import annotations

import numpy as np
import pytest

from peers.peer import Task
from peers.tucker import cp_predictor
from peers.written.ttp import fit, truncated
from planted_tasks import Planted, cp_truth, planted


def dense_sparse(rank: int, seed: int = 1) -> tuple[Planted, list[np.ndarray]]:
    weights, factors = cp_truth((20, 15, 10), rank, zeros=0.6, seed=seed)
    task = planted(cp_predictor(weights, factors), (20, 15, 10), rank, share=1.0, noise=0.05)
    return task, factors


def test_truncation_keeps_the_largest() -> None:
    assert truncated(np.array([1.0, -3.0, 2.0, 0.5]), 2).tolist() == [0.0, -3.0, 2.0, 0.0]


def test_one_sparse_component_of_all_cells() -> None:
    task, factors = dense_sparse(1)
    model = task.fit("ttp", fit)
    predicted = model.predict(task.task.test_coords)
    assert task.error(predicted) < 0.02
    assert model.zeros == sum(int((factor == 0).sum()) for factor in factors)


def test_components_come_off_one_after_the_other() -> None:
    task, _ = dense_sparse(3, seed=4)
    errors = [
        task.error(task.fit("ttp", fit, rank=rank).predict(task.task.test_coords))
        for rank in (1, 2, 3)
    ]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.2


def test_without_truncation_one_component_is_the_best_there_is() -> None:
    """TensorLy's CP of rank one starts from singular vectors; both must find the same weight."""
    decomposition = pytest.importorskip("tensorly.decomposition")
    task, _ = dense_sparse(2)
    tensor = np.zeros(task.task.shape)
    tensor[tuple(task.task.coords.T)] = task.task.values
    weights, vectors = decomposition.parafac(tensor, 1, n_iter_max=200, tol=1e-12, init="svd")
    scale = weights[0] * np.prod([np.linalg.norm(vector) for vector in vectors])
    every = Task.of(task.task.coords, task.task.values, task.task.shape, 1, task.task.coords)
    model = Planted(every, task.truth).fit("ttp", fit, keep=1.0, rank=1, max_iter=500)
    assert np.linalg.norm(model.predict(task.task.coords)) == pytest.approx(scale, rel=1e-5)


def test_missing_cells_count_as_zero() -> None:
    weights, factors = cp_truth((20, 15, 10), 1)
    seen_half = planted(cp_predictor(weights, factors), (20, 15, 10), 1, share=0.5, noise=0.0)
    predicted = seen_half.fit("ttp", fit, keep=1.0).predict(seen_half.task.test_coords)
    ratio = np.linalg.norm(predicted) / np.linalg.norm(seen_half.truth)
    assert ratio == pytest.approx(0.5, abs=0.1)
