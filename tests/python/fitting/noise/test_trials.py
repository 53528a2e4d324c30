"""Which of several candidates is best."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from noise_search import search
from vest_tucker.fitting.noise.candidates import Candidate
from vest_tucker.fitting.noise.held import splits_of
from vest_tucker.fitting.noise.journal import Journal
from vest_tucker.fitting.noise.posterior import Parts, Posterior, Target
from vest_tucker.fitting.noise.priors import Priors
from vest_tucker.fitting.noise.trials import Trial, best_of, expected_error, only_best_kept


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


def test_the_fits_of_whatever_may_become_the_best_are_kept() -> None:
    """The second is best beside the first, but not near the third, which the first is."""
    trials: list[Trial] = []
    sizes_and_errors = ((20, 0.4), (6, 0.4006), (40, 0.3996), (40, 0.5))
    for size, error in sizes_and_errors:
        trials.append(trial("tucker", error, size))
        best = only_best_kept(trials)
        assert best is best_of(trials)
        assert best.fits
    assert best is trials[0]
    assert [len(each.fits) for each in trials] == [1, 0, 1, 0]


def test_the_error_to_expect_counts_degrees_of_freedom_twice(prunable: vt.SparseTensor) -> None:
    run = search(prunable)
    fitted = run.fit(Candidate("tucker", (3, 3, 3)), [(prunable, None)])
    (posterior,) = fitted.fits
    assert fitted.error == expected_error(posterior) > posterior.error
    held = run.fit(Candidate("tucker", (3, 3, 3)), list(splits_of(prunable, 0.1, None, run.rng)))
    assert fitted.error == pytest.approx(held.error, rel=0.1)
