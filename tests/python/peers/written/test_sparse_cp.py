"""Sparse CP recovers sparse components of a dense tensor; its thresholds by brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest

from peers.tucker import cp_predictor
from peers.written.deflated import Deflated, random_start, unit
from peers.written.sparse_cp import bic_threshold, fit, soft
from planted_tasks import cp_task, cp_truth, planted


def test_soft_threshold() -> None:
    assert soft(np.array([3.0, -1.0, 0.5, -2.5]), 1.0).tolist() == [2.0, -0.0, 0.0, -1.5]


def test_the_criterion_is_that_of_the_tensor_left() -> None:
    task = cp_task(shape=(8, 5, 4), share=1.0, noise=0.3).task
    left = Deflated(task)
    vectors = random_start(np.random.default_rng(0), task.shape)
    grown = left.contracted(vectors, 0)

    def criterion(threshold: float) -> float:
        vectors[0] = unit(soft(grown, threshold))
        again = Deflated(task)
        again.take_off(vectors)
        kept = np.count_nonzero(vectors[0])
        return math.log(again.squares) + math.log(task.cells) / task.cells * int(kept)

    tried = [0.0, *np.sort(np.abs(grown))[:-1].tolist()]
    assert bic_threshold(left, grown) == pytest.approx(min(tried, key=criterion))


def test_one_sparse_component_of_all_cells() -> None:
    weights, factors = cp_truth((20, 15, 10), 1, zeros=0.6)
    task = planted(cp_predictor(weights, factors), (20, 15, 10), 1, share=1.0, noise=0.3)
    model = task.fit("sparse-cp", fit)
    assert task.error(model.predict(task.task.test_coords)) < 0.1
    true_zeros = sum(int((factor == 0).sum()) for factor in factors)
    assert 0.7 * true_zeros <= model.zeros <= true_zeros


def test_without_a_threshold_one_component_is_the_best_there_is() -> None:
    """TensorLy's CP of rank one starts from singular vectors; both must find the same weight."""
    decomposition = pytest.importorskip("tensorly.decomposition")
    planted_one = cp_task(rank=1, share=1.0, noise=0.5)
    task = planted_one.task
    tensor = np.zeros(task.shape)
    tensor[tuple(task.coords.T)] = task.values
    found, vectors = decomposition.parafac(tensor, 1, n_iter_max=200, tol=1e-12, init="svd")
    scale = found[0] * np.prod([np.linalg.norm(vector) for vector in vectors])
    model = planted_one.fit("sparse-cp", fit, rank=1, lam=0.0, max_iter=500)
    assert np.linalg.norm(model.predict(task.coords)) == pytest.approx(scale, rel=1e-5)


def test_more_penalty_more_zeros_until_nothing_is_left() -> None:
    task = cp_task(share=1.0, noise=0.3)
    zeros = [task.fit("sparse-cp", fit, rank=1, lam=lam).zeros for lam in (0.0, 5.0, 10.0, 1e4)]
    assert zeros[0] == 0
    assert zeros == sorted(zeros)
    assert zeros[2] > 0
    nothing = task.fit("sparse-cp", fit, rank=1, lam=1e4).predict(task.task.test_coords)
    assert not nothing.any()


def test_components_come_off_one_after_the_other() -> None:
    weights, factors = cp_truth((20, 15, 10), 2, zeros=0.5, seed=4)
    task = planted(cp_predictor(weights, factors), (20, 15, 10), 2, share=1.0, noise=0.05)
    errors = [
        task.error(task.fit("sparse-cp", fit, rank=rank).predict(task.task.test_coords))
        for rank in (1, 2)
    ]
    assert errors[1] < 0.2 < errors[0]
