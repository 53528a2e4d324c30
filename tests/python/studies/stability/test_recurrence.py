"""What of one model comes back in others, counted by hand and by slow loops."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vest_tucker as vt
from reference_matching import over_those
from vest_tucker.studies.stability.recurrence import chance_similarity, moments, recurrences


def model_of(core: object, *factors: object) -> vt.TuckerModel:
    return vt.TuckerModel(np.asarray(core, float), [np.asarray(each, float) for each in factors])


def shuffled(model: vt.TuckerModel, rng: np.random.Generator) -> vt.TuckerModel:
    """The same model with its components in another order, of other signs and scales."""
    core, factors = model.core, []
    for mode, (factor, rank) in enumerate(zip(model.factors, model.ranks, strict=True)):
        order, scale = rng.permutation(rank), rng.choice([-2.0, -0.5, 1.0, 4.0], rank)
        factors.append(factor[:, order] * scale)
        along = scale.reshape(-1, *(1,) * (core.ndim - 1 - mode))
        core = np.take(core, order, axis=mode) / along
    return dataclasses.replace(model, core=core, factors=factors)


def random_model(ranks: tuple[int, ...], rng: np.random.Generator) -> vt.TuckerModel:
    """Half of it zeros, the rest well apart from 0."""
    parts = [rng.normal(size=(8 + mode, rank)) for mode, rank in enumerate(ranks)]
    core = rng.normal(size=ranks)
    for part in (core, *parts):
        part[rng.random(part.shape) < 0.5] = 0.0
    return vt.TuckerModel(core, parts)


@given(st.integers(0, 10**6), st.lists(st.integers(1, 4), min_size=2, max_size=5))
def test_a_permuted_and_scaled_copy_comes_back_whole(seed: int, ranks: list[int]) -> None:
    rng = np.random.default_rng(seed)
    model = random_model(tuple(ranks), rng)
    for factor in model.factors:  # no component is pruned away or like another one
        factor[: factor.shape[1]] += 20.0 * np.eye(factor.shape[1])
    modes, core = recurrences(model, [shuffled(model, rng) for _ in range(3)], threshold=1.0)
    for mode, factor in zip(modes, model.factors, strict=True):
        assert mode.returned.all()
        np.testing.assert_allclose(mode.similarity, 1.0, rtol=1e-12)
        np.testing.assert_array_equal(mode.nonzero, factor != 0.0)
        np.testing.assert_allclose(mode.mean, mode.loading, atol=1e-12)
        np.testing.assert_allclose(mode.spread, 0.0, atol=1e-12)
    np.testing.assert_array_equal(core.returned.all(axis=0), model.core.ravel() != 0.0)
    if model.core.any():
        np.testing.assert_allclose(core.similarity, 1.0, rtol=1e-12)
        kept = model.core != 0.0
        np.testing.assert_allclose(core.mean[kept], core.value[kept], rtol=1e-12)


@given(st.integers(0, 10**6))
def test_mean_and_spread_are_those_of_slow_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, there = rng.normal(size=(4, 3, 2)), rng.random((4, 3, 2)) < 0.5
    mean, spread = moments(values, there)
    for i, j in np.ndindex(3, 2):
        want = over_those(values[:, i, j].tolist(), there[:, i, j].tolist())
        assert (mean[i, j], spread[i, j]) == pytest.approx(want, nan_ok=True)


def test_labels_are_counted_where_their_component_comes_back() -> None:
    reference = model_of([[1.0]], [[1.0], [1.0], [0.0], [0.0]], [[1.0]])
    others = [
        model_of([[1.0]], [[-1.0], [-1.0], [0.0], [0.0]], [[1.0]]),  # the same, turned
        model_of([[1.0]], [[1.0], [0.9], [0.3], [0.0]], [[1.0]]),  # with one label more
        model_of([[1.0]], [[0.0], [0.0], [1.0], [1.0]], [[1.0]]),  # another component
        model_of([[1.0]], [[1.0], [0.0], [0.0], [0.0]], [[1.0]]),  # half of it: 0.71
    ]
    mode = recurrences(reference, others, threshold=0.8)[0][0]
    assert mode.returned.ravel().tolist() == [True, True, False, False]
    assert mode.nonzero.ravel().tolist() == [1.0, 1.0, 0.5, 0.0]
    assert mode.mean[2, 0] == pytest.approx(0.5 * 0.3 / math.sqrt(1.9))
    lower = recurrences(reference, others, threshold=0.7)[0][0]
    assert lower.returned.ravel().tolist() == [True, True, False, True]
    assert lower.nonzero[:, 0].tolist() == pytest.approx([1.0, 2 / 3, 1 / 3, 0.0])


def test_an_interaction_needs_its_components_and_its_sign() -> None:
    reference = model_of([[2.0, 0.0], [0.0, 3.0]], np.eye(3)[:, :2], np.eye(2))
    others = [
        model_of([[0.0, 3.5], [2.5, 0.0]], np.eye(3)[:, :2], np.eye(2)[:, ::-1]),  # another order
        model_of([[-2.0, 0.0], [0.0, 3.0]], np.eye(3)[:, :2] * [-1.0, 1.0], np.eye(2)),  # turned
        model_of([[-2.0, 0.0], [0.0, 3.0]], np.eye(3)[:, :2], np.eye(2)),  # really negative
        model_of([[2.0, 1.0], [0.0, 3.0]], np.eye(3)[:, [0, 2]], np.eye(2)),  # one component lost
    ]
    core = recurrences(reference, others, threshold=0.8)[1]
    returned = core.returned.reshape(4, 2, 2)
    assert returned[:, 0, 0].tolist() == [True, True, False, True]
    assert returned[:, 1, 1].tolist() == [True, True, True, False]
    assert not returned[:, 0, 1].any()  # the reference has no such interaction
    assert core.mean[0, 0] == pytest.approx((3.5 + 2.0 + 2.0) / 3)
    assert core.mean[1, 1] == pytest.approx((2.5 + 3.0 + 3.0) / 3)
    want = [(2 * 3.5 + 3 * 2.5) / math.sqrt(13 * 18.5), 1.0, 5 / 13, 4 / math.sqrt(13 * 14)]
    np.testing.assert_allclose(core.similarity, want, rtol=1e-12)


def test_pruned_components_and_empty_models_are_not_matched() -> None:
    reference = model_of(np.ones((2, 1)), [[1.0, 0.0], [2.0, 0.0]], [[1.0], [1.0]])
    empty = model_of(np.zeros((2, 1)), np.zeros((2, 2)), np.zeros((2, 1)))
    full = model_of(np.ones((2, 1)), [[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    modes, core = recurrences(reference, [empty, full], threshold=0.8)
    assert modes[0].exists.tolist() == [True, False]
    assert modes[0].returned.tolist() == [[False, False], [True, False]]
    assert modes[1].returned.tolist() == [[False], [True]]
    assert core.similarity[0] == 0.0
    modes, core = recurrences(empty, [reference, full, empty], threshold=0.8)
    assert not modes[0].exists.any()
    assert not modes[0].returned.any()
    assert math.isnan(modes[0].chance)
    assert not core.returned.any()
    assert core.similarity.tolist() == [0.0, 0.0, 0.0]


def test_without_other_models_nothing_is_known() -> None:
    modes, core = recurrences(model_of([[1.0]], [[1.0], [2.0]], [[1.0]]), [], threshold=0.8)
    assert modes[0].returned.shape == (0, 1)
    assert np.isnan(modes[0].mean).all()
    assert math.isnan(modes[0].chance)
    assert core.returned.shape == (0, 1)
    assert np.isnan(core.mean).all()


def test_chance_is_high_where_columns_resemble_each_other_anyway(rng: np.random.Generator) -> None:
    dense, signed = rng.random((200, 3)) + 1.0, rng.normal(size=(200, 3))
    assert chance_similarity(dense, [dense] * 5) > 0.9
    assert chance_similarity(signed, [signed] * 5) < 0.2
    assert chance_similarity(signed, [signed] * 5) == chance_similarity(signed, [signed] * 5)


def test_models_keep_their_numbers(rng: np.random.Generator) -> None:
    models = [random_model((2, 3), rng) for _ in range(2)]
    before = [[part.copy() for part in (each.core, *each.factors)] for each in models]
    recurrences(models[0], models[1:], threshold=0.8)
    for model, parts in zip(models, before, strict=True):
        for part, old in zip((model.core, *model.factors), parts, strict=True):
            np.testing.assert_array_equal(part, old)


def test_models_of_other_ranks_and_structures_are_compared(rng: np.random.Generator) -> None:
    reference = random_model((3, 2), rng)
    for factor in reference.factors:
        factor[: factor.shape[1]] += 20.0 * np.eye(factor.shape[1])
    fewer = dataclasses.replace(
        reference,
        core=reference.core[1:, :1],
        factors=[reference.factors[0][:, 1:], reference.factors[1][:, :1]],
    )
    ones = [np.hstack([np.ones((len(f), 1)), f]) for f in reference.factors]
    framed = vt.TuckerModel(np.pad(reference.core, ((1, 0), (1, 0))), ones, constant=True)
    modes, core = recurrences(reference, [fewer, framed], threshold=0.99)
    assert modes[0].returned.tolist() == [[False, True, True], [True, True, True]]
    assert modes[1].returned.tolist() == [[True, False], [True, True]]
    np.testing.assert_allclose(core.similarity[1], 1.0)
    modes, _ = recurrences(framed, [framed, reference], threshold=0.99)
    assert modes[0].exists.tolist() == [False, True, True, True]
    assert modes[0].returned.tolist() == [[True] * 4, [False, True, True, True]]
