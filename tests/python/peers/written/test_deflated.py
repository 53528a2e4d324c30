"""Contractions of a deflated sparse tensor are those of the dense one."""

from __future__ import annotations

import numpy as np
import pytest

from peers.tucker import cp_predictor
from peers.written.deflated import Deflated, random_start, unit
from planted_tasks import cp_task


def test_contractions_and_squares_are_those_of_the_dense_tensor() -> None:
    task = cp_task(shape=(6, 5, 4, 3), share=0.3).task
    dense = np.zeros(task.shape)
    dense[tuple(task.coords.T)] = task.values
    left = Deflated(task)
    rng = np.random.default_rng(0)
    for _ in range(3):
        vectors = random_start(rng, task.shape)
        by_hand = np.einsum("abcd,a,b,d->c", dense, vectors[0], vectors[1], vectors[3])
        assert left.contracted(vectors, 2) == pytest.approx(by_hand)
        weight = left.take_off(vectors)
        dense -= weight * np.einsum("a,b,c,d->abcd", *vectors)
        assert left.squares == pytest.approx(np.sum(dense**2))


def test_what_is_fitted_is_the_sum_of_what_was_taken_off() -> None:
    task = cp_task().task
    left = Deflated(task)
    vectors = random_start(np.random.default_rng(1), task.shape)
    vectors[0][:4] = 0.0
    weight = left.take_off(vectors)
    fitted = left.fitted()
    expected = cp_predictor([weight], [vector[:, np.newaxis] for vector in vectors])
    assert fitted.predict(task.test_coords) == pytest.approx(expected(task.test_coords))
    assert fitted.zeros == 4
    assert fitted.elements == 1 + sum(task.shape)


def test_a_zero_vector_keeps_no_direction() -> None:
    assert unit(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
    assert unit(np.array([3.0, 4.0])).tolist() == [0.6, 0.8]
