"""How far a fit is pruned."""

from __future__ import annotations

import math

import numpy as np
import pytest

import vest_tucker as vt
from vest_tucker.fitting.noise import sparser
from vest_tucker.fitting.noise.held import Held, Judge
from vest_tucker.fitting.noise.posterior import Posterior, Target
from vest_tucker.fitting.noise.sparser import (
    COSTS,
    PATIENCE,
    prune_by_worth,
    prune_to,
    sparsest_that_costs_nothing,
    worthless,
)
from vest_tucker.fitting.noise.tucker import fit_tucker, random_parts


def ignore(posterior: Posterior) -> None:
    del posterior


@pytest.fixture
def posterior(prunable: vt.SparseTensor) -> Posterior:
    target = Target(prunable, prunable.values, 1)
    return fit_tucker(random_parts(target, (3, 3, 3), np.random.default_rng(0), 0.1), ignore)


def test_worthless_is_what_is_known_no_better_than_before(posterior: Posterior) -> None:
    posterior.prune(5)
    posterior.sweep(learn=False)
    count = 0
    for part, precision in enumerate(posterior.priors.precision):
        values, variances = posterior.parts.values[part], posterior.parts.variances[part]
        for at in np.ndindex(values.shape):
            m, s = values[at], variances[at]
            prior = precision[0 if part == 0 else at[1]]
            if s > 0.0 and m * m / s < math.log(1.0 / min(prior * s, 1.0)):
                count += 1
    assert worthless(posterior) == count > 0


@pytest.mark.parametrize("share", [0.1, 0.5, 0.93])
def test_prune_to_reaches_exactly_the_share(posterior: Posterior, share: float) -> None:
    total = posterior.parts.n_elements
    told: list[int] = []
    done = prune_to(posterior, share, None, lambda each: told.append(each.parts.n_live))
    assert total - done.parts.n_live == math.ceil(share * total)
    assert told == sorted(told, reverse=True)
    assert math.isnan(done.held_out)
    for mask, values in zip(done.masks, done.parts.values, strict=True):
        assert not values[mask].any()


def test_prune_to_tells_the_error_of_the_judge(posterior: Posterior) -> None:
    judge = Judge(Held(posterior.target.X), posterior.target)
    done = prune_to(posterior, 0.2, judge, ignore)
    assert done.held_out == pytest.approx(posterior.error)


def test_priors_stay_while_pruning(posterior: Posterior) -> None:
    before = posterior.priors.copy()
    prune_by_worth(posterior, None, ignore)
    assert posterior.priors.noise == before.noise
    for now, was in zip(posterior.priors.precision, before.precision, strict=True):
        np.testing.assert_array_equal(now, was)


def test_without_a_judge_it_ends_when_all_is_worth_its_price(posterior: Posterior) -> None:
    before = posterior.parts.n_live
    done = prune_by_worth(posterior, None, ignore)
    assert done.parts.n_live < before
    assert worthless(posterior) <= 0.02 * done.parts.n_live


def test_a_judge_stops_it(posterior: Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparser, "BATCH", 0.01)
    before = posterior.parts.n_live
    asked: list[int] = []

    class Strict(Judge):
        def costs(self, *_: object) -> bool:
            asked.append(1)
            return True

    done = prune_by_worth(posterior, Strict(Held(posterior.target.X), posterior.target), ignore)
    assert done.parts.n_live == before
    assert len(asked) == PATIENCE


def test_the_sparsest_of_those_that_are_about_as_good() -> None:
    nearly = 0.2 * (1.0 + 0.9 * COSTS)
    assert sparsest_that_costs_nothing([0.3, 0.2, nearly, 0.25, 0.2 * (1.0 + 1.1 * COSTS)]) == 2
    assert sparsest_that_costs_nothing([0.2, 0.3]) == 0
    assert sparsest_that_costs_nothing([0.3]) == 0
