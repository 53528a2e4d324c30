"""Walks from dense to sparse, and what they measure."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.fitting.noise.held import Held
from vest_tucker.fitting.noise.posterior import Posterior, Target
from vest_tucker.fitting.noise.tucker import fit_tucker, random_parts
from vest_tucker.studies.path.walk import Unseen, Walk


def dense_fit(X: vt.SparseTensor) -> Posterior:
    target = Target(X, X.values, 1)
    start = random_parts(target, (3, 3, 3), np.random.default_rng(0), 0.1)
    return fit_tucker(start, lambda posterior: None)


def test_every_stop_leaves_the_share_asked_for(prunable: vt.SparseTensor) -> None:
    train, test = vt.train_test_split(prunable, test=0.1, seed=0)
    walk = Walk(dense_fit(train), [1.0, 0.7, 0.4], 2, Held(test))
    total = walk.posterior.parts.n_elements
    precisions = [each.copy() for each in walk.posterior.priors.precision]

    def look(record: vt.IterationRecord, numbers: list[int]) -> bool:
        parts, number = walk.posterior.parts, len(numbers) + 1
        numbers.append(number)
        assert record.iteration == number
        assert parts.n_live == math.floor(walk.stops[number - 1] * total)
        assert record.pruned == pytest.approx(1.0 - parts.n_live / total)
        model = vt.TuckerModel(parts.core.copy(), [each.copy() for each in parts.factors])
        assert record.error == pytest.approx(vt.relative_error(model, train))
        assert walk.unseen.errors[-1] == pytest.approx(vt.relative_error(model, test))
        return False

    assert walk.go([], look) == [1, 2, 3]
    for before, now in zip(precisions, walk.posterior.priors.precision, strict=True):
        np.testing.assert_array_equal(before, now)


def test_without_entries_held_out_nothing_is_measured(prunable: vt.SparseTensor) -> None:
    walk = Walk(dense_fit(prunable), [1.0, 0.5, 0.001], 1, None)

    def look(record: vt.IterationRecord, errors: list[float]) -> bool:
        errors.append(record.error)
        return False

    errors: list[float] = walk.go([], look)
    assert walk.found == []
    assert errors[0] < errors[1] < errors[2]
    assert walk.explains_nothing


def test_splits_are_added_up() -> None:
    one = Unseen.of([(4.0, 0.3), (9.0, 0.4)], 100.0)
    two = Unseen.of([(5.0, 0.4)], 25.0)  # ended after its first stop
    both = Unseen.together([one, two])
    np.testing.assert_allclose(both.errors, np.sqrt([9.0 / 125.0, 14.0 / 125.0]))
    np.testing.assert_allclose(
        both.spreads_of_squared_errors, [0.5 / 125.0, math.hypot(0.4, 0.4) / 125.0]
    )
