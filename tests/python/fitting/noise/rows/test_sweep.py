"""Sweeps in which every row chooses its elements."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import vest_tucker as vt
from noise_search import search
from vest_tucker.fitting.constraints import Constraints
from vest_tucker.fitting.noise.bases import make_sparse
from vest_tucker.fitting.noise.candidates import Candidate
from vest_tucker.fitting.noise.posterior import Posterior, Target
from vest_tucker.fitting.noise.rows import sweep
from vest_tucker.fitting.noise.rows.sweep import choose_core, choose_rows, may_choose, prune_by_rows
from vest_tucker.fitting.noise.sparser import REFINE
from vest_tucker.fitting.noise.tucker import fit_tucker, random_parts

SHAPE, RANKS = (40, 30, 20), (2, 2, 2)


def ignore(posterior: Posterior) -> None:
    del posterior


@pytest.fixture(scope="module")
def planted() -> tuple[vt.SparseTensor, vt.TuckerModel]:
    return vt.datasets.synthetic(SHAPE, RANKS, 6000, sparsity=0.5, noise=0.2, seed=3)


@pytest.fixture
def posterior(planted: tuple[vt.SparseTensor, vt.TuckerModel]) -> Posterior:
    target = Target(planted[0], planted[0].values, 1)
    rng = np.random.default_rng(0)
    found = fit_tucker(random_parts(target, RANKS, rng, 0.1), ignore)
    make_sparse(found.parts, target.row_amounts, target.size, range(3), rng)
    found.solver.values_changed()
    found.learn(noise=False)
    return found


def live(posterior: Posterior) -> int:
    return posterior.parts.n_live


def test_the_pattern_is_that_of_the_truth(
    posterior: Posterior, planted: tuple[vt.SparseTensor, vt.TuckerModel]
) -> None:
    truth = planted[1]
    told: list[int] = []
    prune_by_rows(posterior, lambda each: told.append(live(each)))
    true = sum(np.count_nonzero(part) for part in (truth.core, *truth.factors))
    assert live(posterior) == pytest.approx(true, rel=0.05)
    assert told[-1] == told[-2] == live(posterior)
    assert len(told) < sweep.MOST_SWEEPS + REFINE


def test_what_is_pruned_is_zero_and_stays_so(posterior: Posterior) -> None:
    prune_by_rows(posterior, ignore)
    for mask, values, variances in zip(
        posterior.masks, posterior.parts.values, posterior.parts.variances, strict=True
    ):
        assert mask.any()
        assert not values[mask].any()
        np.testing.assert_array_equal(mask, variances == 0.0)
    before = live(posterior)
    posterior.sweep(learn=False)
    assert live(posterior) == before


def test_what_others_pruned_does_not_come_back(posterior: Posterior) -> None:
    factor, variances = posterior.parts.factors[0], posterior.parts.variances[1]
    at = np.unravel_index(np.argmax(np.abs(factor)), factor.shape)
    factor[at] = variances[at] = 0.0
    posterior.solver.set_pruned(1, variances == 0.0)
    posterior.solver.values_changed()
    choose_rows(posterior, 0)
    assert factor[at] == variances[at] == 0.0
    assert factor.any()


def test_rows_are_the_same_in_blocks(posterior: Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    other = posterior.replaced(posterior.parts.copy(), posterior.priors)
    choose_rows(posterior, 0)
    monkeypatch.setattr(sweep, "BLOCK", 7)
    choose_rows(other, 0)
    np.testing.assert_array_equal(other.parts.factors[0], posterior.parts.factors[0])


def test_a_core_is_never_emptied(posterior: Posterior) -> None:
    posterior.priors.precision[0][:] = 1e12
    posterior.priors.tell(posterior.solver)
    choose_core(posterior)
    assert np.count_nonzero(posterior.parts.core)


def test_who_may_choose(posterior: Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    assert may_choose(posterior)
    target = posterior.target
    for changes in (
        {"allocation": "per_matrix"},
        {"constraints": Constraints(nonnegative=frozenset({1}))},
    ):
        posterior.target = dataclasses.replace(target, **changes)
        assert not may_choose(posterior)
    posterior.target = target
    monkeypatch.setattr(sweep, "MOST_ROWS", sum(SHAPE) - 1)
    assert not may_choose(posterior)


def test_effects_are_for_others_to_prune(prunable: vt.SparseTensor) -> None:
    trier = search(prunable).on([(prunable, None)])
    (fitted,) = trier.fit(Candidate("effects", (1, 1, 1))).fits
    assert not may_choose(fitted)
