"""Interactions of three modes are found where there are some, and told."""

from __future__ import annotations

import numpy as np
import pytest

import vest_tucker as vt
from noise_search import search
from vest_tucker.fitting.noise.interactions.effects import (
    fit_effects,
    shares_by_order,
    start_effects,
)
from vest_tucker.fitting.noise.interactions.triples import fit_triples, with_triples
from vest_tucker.fitting.noise.posterior import Posterior, Target

SHAPE = (60, 40, 20)


def planted(triples: float, seed: int = 0) -> vt.SparseTensor:
    """Effects of three modes, pairs of two, and triples, with noise of variance 0.25."""
    rng = np.random.default_rng(seed)
    coords = np.argwhere(rng.random(SHAPE) < 0.25)
    rows = [rng.normal(size=(dim, 5))[coords[:, mode]] for mode, dim in enumerate(SHAPE)]
    a, b, c = rows
    values = 3.0 + 0.5 * sum(each[:, 0] for each in rows)
    values += 0.5 * (a[:, 1:3] * b[:, 1:3]).sum(axis=1)
    values += triples * (a[:, 3:] * b[:, 3:] * c[:, 3:]).sum(axis=1)
    return vt.SparseTensor(coords, values + 0.5 * rng.normal(size=len(coords)), SHAPE)


def ignore(posterior: Posterior) -> None:
    del posterior


def pairs_of(X: vt.SparseTensor) -> Posterior:
    rng = np.random.default_rng(0)
    return fit_effects(start_effects(Target(X, X.values, 1), (8, 8, 8), rng), ignore)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_triples_are_found_from_any_start(seed: int) -> None:
    before = pairs_of(planted(0.3))
    assert before.priors.noise > 0.3
    after = fit_triples(with_triples(before, None, np.random.default_rng(seed)), ignore)
    assert after.priors.noise == pytest.approx(0.25, rel=0.05)
    shares = shares_by_order(after.parts, after.target)
    assert len(shares) == 3
    assert shares[2] > 0.05


def test_triples_that_are_not_there_shrink_to_nothing() -> None:
    before = pairs_of(planted(0.0))
    after = fit_triples(with_triples(before, None, np.random.default_rng(1)), ignore)
    assert after.priors.noise == pytest.approx(before.priors.noise, rel=0.02)
    assert shares_by_order(after.parts, after.target)[2] < 0.01


def test_the_fit_of_pairs_is_left_as_it_was_and_columns_may_be_limited() -> None:
    before = pairs_of(planted(0.3))
    core, noise = before.parts.core.copy(), before.priors.noise
    limited = with_triples(before, (9, 2, 9), np.random.default_rng(0))
    assert limited.parts.ranks == (14, 12, 14)
    assert np.count_nonzero(limited.parts.core) == np.count_nonzero(core) + 2
    fit_triples(limited, ignore)
    np.testing.assert_array_equal(before.parts.core, core)
    assert before.priors.noise == noise


def test_a_plain_call_tries_triples_only_if_pairs_beat_effects() -> None:
    triples = "mean, effects, pairs and triples"
    found = search(planted(0.3)).run()
    assert triples in found.tried
    rng = np.random.default_rng(3)
    coords = np.argwhere(rng.random(SHAPE) < 0.1)
    values = rng.normal(size=60)[coords[:, 0]] + rng.normal(size=len(coords))
    assert triples not in search(vt.SparseTensor(coords, values, SHAPE)).run().tried


def test_a_plain_call_that_keeps_triples_tells_what_they_explain() -> None:
    """Many pairs and few triples: a Tucker model would have to be large."""
    rng = np.random.default_rng(0)
    shape = (80, 60, 30)
    coords = np.argwhere(rng.random(shape) < 0.15)
    a, b, c = (rng.normal(size=(dim, 12))[coords[:, mode]] for mode, dim in enumerate(shape))
    values = 3.0 + 0.5 * (a[:, 0] + b[:, 0] + c[:, 0])
    values += 0.3 * ((a[:, 1:6] * b[:, 1:6]).sum(axis=1) + (a[:, 6:11] * c[:, 6:11]).sum(axis=1))
    values += 0.3 * a[:, 11] * b[:, 11] * c[:, 11] + 0.5 * rng.normal(size=len(coords))
    model = vt.fit(vt.SparseTensor(coords, values, shape), seed=0)
    assert model.chosen.startswith("mean, effects, pairs and triples")
    assert len(model.shares) == 3
    assert min(model.shares) > 0.01
    assert "triples" in str(model).split("explained")[1].splitlines()[0]
