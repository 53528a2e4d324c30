"""Which of several candidates is best."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vest_tucker as vt
from noise_search import search
from vest_tucker.base.types import Floats
from vest_tucker.fitting.noise.candidates import SHARES, Candidate
from vest_tucker.fitting.noise.held import Held, splits_of
from vest_tucker.fitting.noise.journal import Journal
from vest_tucker.fitting.noise.posterior import Parts, Posterior, Target
from vest_tucker.fitting.noise.priors import Priors
from vest_tucker.fitting.noise.trials import (
    OUTWEIGHS,
    Known,
    Trial,
    best_alike,
    best_of,
    expected_error,
    kept,
    only_kept,
    total_cost,
)


def held_out(n: int) -> Held:
    X = vt.SparseTensor([[row, 0] for row in range(n)], np.ones(n), (n, 1))
    return Held(X)


def trial(name: str, error: float, size: int, held: Held, predicted: Floats | None = None) -> Trial:
    X = vt.SparseTensor([[row, row % 2] for row in range(size)], np.ones(size), (size, 2))
    values = [np.ones((1, 1)), np.ones((size, 1)), np.ones((2, 1))]
    parts = Parts(values, [np.full(each.shape, 0.5) for each in values])
    target = Target(X, X.values, 1)
    posterior = Posterior(target, parts, Priors.flat((1, 1), 1.0, 1.0, 1.0))
    journal = Journal(lambda record, fit: None)
    told = [np.zeros(held.tensor.nnz) if predicted is None else predicted]
    known = Known.of([posterior], [(target, None)], error, told)
    return Trial(Candidate(name, (1, 1)), [(target, None)], [posterior], known, [held], journal)


@pytest.mark.parametrize(
    ("errors", "n_held", "best"),
    [
        ((0.5, 0.4), 40_000, 1),
        ((0.4, 0.4), 40_000, 0),  # of two that are as good, the smaller one
        ((0.4005, 0.4), 40_000, 0),
        ((0.402, 0.4), 40_000, 1),
        ((0.402, 0.4), 400, 0),  # on few entries that is chance
        ((0.0, 0.0), 100, 0),
    ],
)
def test_the_best_is_the_smallest_of_those_about_as_good(
    errors: tuple[float, float], n_held: int, best: int
) -> None:
    held = held_out(n_held)
    trials = [
        trial(str(k), error, size, held)
        for k, (error, size) in enumerate(zip(errors, (3, 9), strict=True))
    ]
    assert best_of(trials) is trials[best]
    assert best_of(trials[::-1]) is trials[best]


def test_what_was_let_go_is_not_chosen() -> None:
    """The second is best beside the first, but not near the third, which the first is."""
    held, trials = held_out(10**5), list[Trial]()
    for size, error in ((20, 0.4), (6, 0.4006), (40, 0.3996), (40, 0.5)):
        trials.append(trial("tucker", error, size, held))
        best = only_kept(best_of(kept(trials)), trials)
        assert best.fits
        assert kept(trials) == [best]
    assert best is trials[2]
    assert best_of(trials) is trials[0]


def test_of_models_alike_the_evidence_decides_unless_entries_held_out_say_surely_no() -> None:
    held = held_out(1000)
    good = np.ones(1000)
    by_chance, bad = good.copy(), good + 0.1
    by_chance[:2] = 9.0  # two entries alone
    one = trial("dear", 0.1, 9, held, good)
    other = trial("cheap, but for two entries", 0.9, 3, held, by_chance)
    worse = trial("cheap and worse everywhere", 0.11, 2, held, bad)
    assert worse.cost < other.cost < one.cost
    assert best_alike([one, other, worse]) is other


def test_little_that_entries_held_out_are_sure_of_does_not_outweigh_much_evidence() -> None:
    held = held_out(1000)
    one = trial("dear", 0.1, 9, held, np.ones(1000))
    gains = one.cost - trial("cheap", 0.1, 2, held).cost
    for share, chosen in ((0.9, "cheap"), (1.1, "dear")):
        lost = share * gains / OUTWEIGHS * one.known.noise
        bad = np.ones(1000) + math.sqrt(lost / (1000 - 3))  # three entries may not decide
        cheap = trial("cheap", 0.1001, 2, held, bad)
        assert best_alike([one, cheap]).candidate.kind == chosen


def test_biases_are_paid_for(prunable: vt.SparseTensor) -> None:
    trier = search(prunable).on([(prunable, None)])
    costs = []
    for offset in (None, "biases"):
        (posterior,) = trier.fit(Candidate("tucker", (2, 2, 2), offset)).fits
        costs.append(total_cost(posterior) - posterior.cost)
    assert costs[0] == 0.0
    assert costs[1] == pytest.approx(61 * math.log(3 * 3000 / 60))


def test_a_trial_is_measured_where_it_was_not_fitted(prunable: vt.SparseTensor) -> None:
    run = search(prunable)
    splits = list(splits_of(prunable, 0.1, None, run.rng))
    found = run.on(splits).fit(Candidate("tucker", (2, 2, 2)))
    left = [
        held.tensor.values - predicted
        for held, predicted in zip(found.held, found.predicted, strict=True)
    ]
    norms = [held.tensor.norm for held in found.held]
    assert found.error == pytest.approx(np.linalg.norm(np.concatenate(left)) / math.hypot(*norms))
    assert found.n_held == 1200


def test_a_reduced_trial_has_fewer_components_and_is_no_worse_for_sure(
    prunable: vt.SparseTensor,
) -> None:
    run = search(prunable)
    trier = run.on(list(splits_of(prunable, 0.1, None, run.rng)))
    found = trier.fit(Candidate("tucker", (6, 6, 6), None, 1e-4))
    before = [fit.parts.ranks for fit in found.fits]
    reduced = trier.reduced(found)
    after = [fit.parts.ranks for fit in reduced.fits]
    assert sum(map(sum, after)) < sum(map(sum, before))
    assert reduced.cost < found.cost
    assert not reduced.surely_worse_than(found)


def test_a_new_start_has_hardly_more_than_the_ranks_found(prunable: vt.SparseTensor) -> None:
    run = search(prunable)
    trier = run.on(list(splits_of(prunable, 0.1, None, run.rng)))
    found = trier.fit(Candidate("tucker", (2, 2, 2)))
    found.candidate = Candidate("tucker", (3, 2, 9))
    other = trier.again(found)
    assert other.candidate == Candidate("tucker", (3, 2, 9), None, max(SHARES))
    for fit in other.fits:
        assert all(rank <= most for rank, most in zip(fit.parts.ranks, (3, 2, 3), strict=True))
    assert other.error < 0.5  # so much noise may hide a component


def test_the_error_to_expect_counts_degrees_of_freedom_twice(prunable: vt.SparseTensor) -> None:
    run = search(prunable)
    fitted = run.on([(prunable, None)]).fit(Candidate("tucker", (3, 3, 3)))
    (posterior,) = fitted.fits
    assert fitted.error == expected_error(posterior) > posterior.error
    held = run.on(list(splits_of(prunable, 0.1, None, run.rng))).fit(fitted.candidate)
    assert fitted.error == pytest.approx(held.error, rel=0.1)


def test_what_is_let_go_is_known_but_has_no_fits() -> None:
    held = held_out(100)
    found = [trial("one", 0.5, 2, held), trial("other", 0.4, 3, held)]
    assert kept(found) == found
    only_kept(found[1], found)
    found[0].let_go()  # once more does no harm
    assert kept(found) == [found[1]]
    assert (found[0].fits, found[0].targets) == ([], [])
    assert (found[0].error, found[0].n_elements, found[0].n_fitted) == (0.5, 5, 2)
