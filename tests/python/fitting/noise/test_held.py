"""What is held out, and what a model is compared with there."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.fitting.noise.held import (
    Held,
    Judge,
    Pooled,
    baselines,
    distinct_entries,
    splits_of,
    surely_rises,
    without_few,
)
from vest_tucker.fitting.noise.posterior import Target


def test_splits_are_disjoint_whole_and_the_same_again(prunable: vt.SparseTensor) -> None:
    first, again = (
        list(splits_of(prunable, 0.1, None, np.random.default_rng(0))) for _ in range(2)
    )
    assert len(first) == 4  # 3,000 entries: as many splits as hold 10,000 of them
    everything = {tuple(at) for at in prunable.coords.tolist()}
    for (train, held), (train2, held2) in zip(first, again, strict=True):
        assert held is not None
        assert held2 is not None
        np.testing.assert_array_equal(train.coords, train2.coords)
        np.testing.assert_array_equal(held.tensor.coords, held2.tensor.coords)
        fitted, kept_back = ({tuple(at) for at in t.coords.tolist()} for t in (train, held.tensor))
        assert not fitted & kept_back
        assert fitted | kept_back == everything
        assert held.tensor.nnz == 300


@pytest.mark.parametrize(("holdout", "size"), [(0.001, 1), (0.5, 6), (0.999, 11)])
def test_both_parts_of_a_split_have_entries(holdout: float, size: int) -> None:
    X = vt.SparseTensor(np.argwhere(np.ones((4, 3))), np.arange(1.0, 13.0), (4, 3))
    for train, held in splits_of(X, holdout, None, np.random.default_rng(0)):
        assert held is not None
        assert (train.nnz, held.tensor.nnz) == (12 - size, size)


def test_nothing_is_held_out_where_that_leaves_no_norm() -> None:
    values = np.zeros(20)
    values[3] = 1.0
    X = vt.SparseTensor(np.argwhere(np.ones((5, 4))), values, (5, 4))
    ((train, held),) = splits_of(X, 0.1, None, np.random.default_rng(0))
    assert train is X
    assert held is None


def test_validation_takes_the_place_of_splits(prunable: vt.SparseTensor) -> None:
    train, test = vt.train_test_split(prunable, seed=0)
    ((fitted, held),) = splits_of(train, 0.1, test, np.random.default_rng(0))
    assert fitted is train
    assert held is not None
    assert held.tensor is test


def test_baselines_are_the_mean_and_biases_of_the_entries_fitted() -> None:
    rng = np.random.default_rng(0)
    coords = np.argwhere(np.ones((12, 10)))
    values = 3.0 + rng.normal(size=12)[coords[:, 0]] + 0.1 * rng.normal(size=120)
    X = vt.SparseTensor(coords, values, (12, 10))
    splits = list(splits_of(X, 0.1, None, rng))[:1]
    (train, held) = splits[0]
    assert held is not None
    mean, biases = baselines(splits)
    left = held.tensor.values - train.values.mean()
    assert mean == pytest.approx(np.linalg.norm(left) / held.tensor.norm)
    assert biases < 0.5 * mean
    assert all(map(math.isnan, baselines([(train, None)])))


def test_errors_of_splits_are_pooled_by_their_squares() -> None:
    pooled = Pooled()
    assert math.isnan(pooled.error)
    for values, error in (([3.0, 4.0], 0.2), ([12.0], 0.5)):
        X = vt.SparseTensor([[k, 0] for k in range(len(values))], values, (2, 2))
        pooled.add(Held(X), error)
    assert pooled.error == pytest.approx(math.hypot(0.2 * 5.0, 0.5 * 12.0) / 13.0)


def test_a_few_entries_do_not_decide() -> None:
    rises = np.full(300, 1e-3)
    assert surely_rises(rises)
    assert surely_rises(np.concatenate([rises, [-5.0]]))
    alone = np.zeros(300)
    alone[:3] = 5.0
    assert not surely_rises(alone)
    assert len(without_few(alone[:29])) == 29  # of few entries none is left out


def test_costs_are_relative_to_the_error() -> None:
    n = 100
    X = vt.SparseTensor([[row, 0] for row in range(n)], np.ones(n), (n, 1))
    judge = Judge(Held(X), Target(X, X.values, 1))
    before = np.full(n, 0.9)
    assert not judge.costs(np.full(n, 0.8999), before, 0.002)
    assert judge.costs(np.full(n, 0.899), before, 0.002)
    assert judge.surely_worse(np.full(n, 0.899), before)


def test_entries_of_several_splits_are_counted_once(prunable: vt.SparseTensor) -> None:
    held = [each for _, each in splits_of(prunable, 0.1, None, np.random.default_rng(0)) if each]
    together = {tuple(at) for each in held for at in each.tensor.coords.tolist()}
    assert distinct_entries(held) == len(together) < sum(each.tensor.nnz for each in held)
    assert distinct_entries(held[:1]) == 300
    assert distinct_entries([]) == 0


def test_a_small_rise_with_a_large_scatter_is_a_risk() -> None:
    cells = np.argwhere(np.ones((20, 20), dtype=bool))
    X = vt.SparseTensor(cells, np.ones(400))
    judge = Judge(Held(X), Target(X, X.values))
    sign = np.resize([1.0, -1.0], 400)
    before = 1.0 + 0.1 * sign
    calm, wild = before + 0.0001, before + 0.09 * np.resize([1.0, 1.0, -1.0, -1.0], 400)
    assert judge.risk(before, before) == 0.0
    assert judge.risk(calm, before) < 0.001
    assert judge.risk(wild, before) > 0.01
    assert judge.risk(np.full(400, 1.2), np.ones(400)) == math.inf
