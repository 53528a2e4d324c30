"""What is held out, what is chosen, and what that is compared with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.noise.best import Journal, Search, Trial, Wanted, best_of, expected_error
from vest_tucker.fitting.noise.candidates import Candidate
from vest_tucker.fitting.noise.posterior import Parts, Posterior, Target
from vest_tucker.fitting.noise.priors import Priors


def search(X: vt.SparseTensor, seed: int = 0, **changes: Any) -> Search:
    options: dict[str, Any] = {
        "ranks": None, "offset": "auto", "sparsity": "auto", "allocation": "global",
        "constraints": Constraints(), "holdout": 0.1, "validation": None, "start": None,
        "threads": 1,
    }  # fmt: skip
    wanted = Wanted(**options | changes)
    return Search(X, wanted, np.random.default_rng(seed), Journal(lambda record, fit: None))


def test_splits_are_disjoint_whole_and_the_same_again(prunable: vt.SparseTensor) -> None:
    first, again = (list(search(prunable).splits()) for _ in range(2))
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
    for train, held in search(X, holdout=holdout).splits():
        assert held is not None
        assert (train.nnz, held.tensor.nnz) == (12 - size, size)


def test_nothing_is_held_out_where_that_leaves_no_norm() -> None:
    values = np.zeros(20)
    values[3] = 1.0
    X = vt.SparseTensor(np.argwhere(np.ones((5, 4))), values, (5, 4))
    ((train, held),) = search(X).splits()
    assert train is X
    assert held is None


def test_validation_takes_the_place_of_splits(prunable: vt.SparseTensor) -> None:
    train, test = vt.train_test_split(prunable, seed=0)
    ((fitted, held),) = search(train, validation=test).splits()
    assert fitted is train
    assert held is not None
    assert held.tensor is test


def trial(name: str, error: float, size: int, n_held: int = 10**6) -> Trial:
    X = vt.SparseTensor([[row, row % 2] for row in range(size)], np.ones(size), (size, 2))
    values = [np.ones((1, 1)), np.ones((size, 1)), np.ones((2, 1))]
    parts = Parts(values, [np.ones(each.shape) for each in values])
    posterior = Posterior(Target(X, X.values, 1), parts, Priors.flat((1, 1), 1.0, 1.0, 1.0))
    journal = Journal(lambda record, fit: None)
    return Trial(Candidate(name, (1, 1)), [posterior], [None], error, n_held, journal)


@pytest.mark.parametrize(
    ("errors", "n_held", "best"),
    [
        ((0.5, 0.4), 10**6, 1),
        ((0.4, 0.4), 10**6, 0),  # of two that are as good, the smaller one
        ((0.4005, 0.4), 10**6, 0),
        ((0.402, 0.4), 10**6, 1),
        ((0.402, 0.4), 400, 0),  # on few entries that is chance
        ((0.0, 0.0), 100, 0),
    ],
)
def test_the_best_is_the_smallest_of_those_about_as_good(
    errors: tuple[float, float], n_held: int, best: int
) -> None:
    trials = [
        trial(str(k), error, size, n_held)
        for k, (error, size) in enumerate(zip(errors, (3, 9), strict=True))
    ]
    assert best_of(trials) is trials[best]
    assert best_of(trials[::-1]) is trials[best]


def test_baselines_are_the_mean_and_biases_of_the_entries_fitted() -> None:
    rng = np.random.default_rng(0)
    coords = np.argwhere(np.ones((12, 10)))
    values = 3.0 + rng.normal(size=12)[coords[:, 0]] + 0.1 * rng.normal(size=120)
    run = search(vt.SparseTensor(coords, values, (12, 10)))
    splits = list(run.splits())[:1]
    (train, held) = splits[0]
    assert held is not None
    mean, biases = run.baselines(splits)
    left = held.tensor.values - train.values.mean()
    assert mean == pytest.approx(np.linalg.norm(left) / held.tensor.norm)
    assert biases < 0.5 * mean
    assert all(map(math.isnan, run.baselines([(train, None)])))


def test_the_error_to_expect_counts_degrees_of_freedom_twice(prunable: vt.SparseTensor) -> None:
    run = search(prunable)
    fitted = run.fit(Candidate("tucker", (3, 3, 3)), [(prunable, None)])
    (posterior,) = fitted.fits
    assert fitted.error == expected_error(posterior) > posterior.error
    held = run.fit(Candidate("tucker", (3, 3, 3)), list(run.splits()))
    assert fitted.error == pytest.approx(held.error, rel=0.1)


def test_a_journal_numbers_the_sweeps_of_each_trial(prunable: vt.SparseTensor) -> None:
    run = search(prunable)
    one = run.fit(Candidate("effects", (0, 0, 0)), [(prunable, None)])
    other = run.fit(Candidate("effects", (1, 1, 1)), [(prunable, None)])
    for each, sweeps in ((one, 10), (other, 30)):
        numbers = [record.iteration for record in each.journal.history]
        assert numbers == list(range(1, sweeps + 1))
    assert run.history is other.journal.history


def test_a_model_worse_than_what_was_measured_is_not_returned(
    prunable: vt.SparseTensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_all = Search.on_all

    def spoilt(self: Search, target: Target, *rest: Any) -> Posterior:
        posterior = on_all(self, target, *rest)
        posterior.error = 10.0
        return posterior

    monkeypatch.setattr(Search, "on_all", spoilt)
    found = search(prunable).run()
    assert found.error < 1.2 * found.held_out
    assert "because on all the error became" in found.chosen
