"""What the measurements themselves compute: patterns, ranks of films, marks of pruning."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import vest_tucker as vt
from experiments.measures import ablations, pruning, recovery
from experiments.measures.discovery import correlation, deciles
from experiments.measures.patterns import factors_f1, tucker_f1
from experiments.measures.systems import error, found
from experiments.sets.tensors import LIKE_RATINGS


def truth_and_twin() -> tuple[vt.TuckerModel, vt.TuckerModel]:
    _, truth = vt.datasets.synthetic((20, 15, 10), 3, 200, sparsity=0.6, seed=0)
    order = [[2, 0, 1], [1, 2, 0], [0, 2, 1]]
    factors = [-2.0 * each[:, some] for each, some in zip(truth.factors, order, strict=True)]
    return truth, vt.TuckerModel(truth.core[np.ix_(*order)], factors)


def test_patterns_are_found_whatever_the_order_sign_and_size() -> None:
    truth, twin = truth_and_twin()
    assert tucker_f1(twin, truth) == 1.0
    assert factors_f1(twin.factors, truth.factors) == 1.0
    dense = vt.TuckerModel(np.ones((3, 3, 3)), [np.ones_like(each) for each in truth.factors])
    share = 1.0 - truth.sparsity
    assert tucker_f1(dense, truth) == pytest.approx(2 * share / (1 + share))


def test_correlations_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    left, counts = rng.integers(0, 5, 60), rng.integers(1, 20, 60)
    expected = scipy.stats.spearmanr(left, counts).statistic
    assert correlation(left, counts) == pytest.approx(expected)
    assert correlation(np.ones(60), counts) == 0.0


def test_tenths_begin_with_the_rarest() -> None:
    counts = np.arange(40)[::-1]
    parts = deciles(counts, counts)
    assert [part.tolist() for part in parts[:2]] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_the_lowest_are_marked_and_stay_marked() -> None:
    scores = np.array([[0.3, 0.1], [0.4, 0.2]])
    none = np.zeros((2, 2), dtype=bool)
    half = pruning.mark(scores, none, 0.5)
    assert half.tolist() == [[False, True], [False, True]]
    more = pruning.mark(-scores, half, 0.75)  # ranked the other way round, yet none comes back
    assert more.tolist() == [[False, True], [True, True]]


def test_responsibility_costs_less_than_chance() -> None:
    curves = {way: pruning.measured("planted-s", way, 0, 0) for way in pruning.WAYS}
    assert len({curve["re"][0] for curve in curves.values()}) == 1  # the same dense model
    assert curves["responsibility"]["re"][3] < curves["random"]["re"][3]
    assert curves["value"]["zeros"][5] == pytest.approx(0.5, abs=0.01)


def test_planted_truths_have_the_noise_asked_for() -> None:
    case = recovery.Case("noise", noise=0.5, diagonal=True)
    X, truth = recovery.planted(case, 0)
    left = X.values - truth.predict(X.coords)
    assert np.sqrt(np.mean(left**2)) == pytest.approx(0.5 * LIKE_RATINGS, rel=0.03)
    assert np.count_nonzero(truth.core) == case.rank


def test_a_run_of_ours_says_all_that_is_drawn() -> None:
    said = found("vest-l1-auto", "planted-s", 0, 60.0, False, {"sparsity": 0.5})
    assert {"re", "test", "zeros", "stored", "elements", "fit_seconds"} <= set(said)
    assert said["stored"] == round((1 - said["zeros"]) * said["elements"])
    assert 0.0 < said["re"] < said["test"] < 1.0
    assert error(np.array([3.0, 4.0]), np.zeros(2)) == 1.0


def test_changes_are_of_a_base_that_is_measured_as_it_is() -> None:
    changes = list(ablations.changes())
    assert {each.group for each in changes} == set(ablations.BASES)
    for base in ablations.BASES:
        assert next(each.title for each in changes if each.group == base) == "as it is"
    assert ablations.doubled((6, 2)) == (12, 4)
    assert ablations.halved((6, 1)) == (3, 1)


def test_the_sparse_prior_is_in_all_modes_but_one_in_one_or_in_all() -> None:
    shape = (60, 40, 50)
    assert [recovery.priors(who, shape) for who in recovery.SPIKES] == [
        [[1, 2]],
        [[1], [2]],
        [[0, 1, 2]],
    ]
