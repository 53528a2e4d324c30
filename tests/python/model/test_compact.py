"""Components that carry nothing go, and no prediction changes."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import vest_tucker as vt
from small import everywhere, labelled, with_biases, with_variances
from vest_tucker.model.offset import Offset

SHAPES = {2: (9, 8), 3: (7, 6, 5), 4: (6, 5, 4, 5), 5: (4, 5, 3, 4, 3)}
RANKS = {2: (5, 4), 3: (5, 4, 3), 4: (4, 4, 3, 3), 5: (3, 3, 2, 3, 2)}
orders = pytest.mark.parametrize("order", [2, 3, 4, 5])


def with_dead_components(order: int, rng: np.random.Generator) -> vt.TuckerModel:
    """Make a model whose first mode has a column of zeros, and whose second a slice of zeros."""
    core = rng.normal(size=RANKS[order]) * (rng.random(RANKS[order]) < 0.7)
    factors = [rng.normal(size=pair) for pair in zip(SHAPES[order], RANKS[order], strict=True)]
    factors[0][:, 1] = 0.0
    core[:, 0] = 0.0
    core[0, 1] = core[2, 1] = 1.0
    entries = [np.arange(1, dim + 1) for dim in SHAPES[order]]
    return vt.TuckerModel(core, factors, entries=entries, error=0.3, nnz=77)


def assert_same_predictions(small: vt.TuckerModel, model: vt.TuckerModel) -> None:
    cells = everywhere(model)
    np.testing.assert_allclose(small.predict(cells), model.predict(cells), rtol=1e-12, atol=1e-13)
    unknown = dict.fromkeys(model.modes[:1], 1000) | dict.fromkeys(model.modes[1:], 0)
    np.testing.assert_allclose(small.predict(unknown), model.predict(unknown), rtol=1e-12)


@orders
def test_dead_components_go_and_predictions_stay(order: int, rng: np.random.Generator) -> None:
    model = with_dead_components(order, rng)
    for offset in (None, "mean", "biases"):
        if offset == "biases":
            model = with_biases(model, rng)
        elif offset == "mean":
            model = dataclasses.replace(model, offset=Offset("mean", 2.0))
        small = model.compact()
        assert small.ranks == (RANKS[order][0] - 1, RANKS[order][1] - 1, *RANKS[order][2:])
        assert small.ranks_before == RANKS[order]
        assert small.shape == model.shape
        assert (small.error, small.nnz, small.offset) == (0.3, 77, model.offset)
        assert all(part.flags.c_contiguous for part in (small.core, *small.factors))
        assert_same_predictions(small, model)


@orders
def test_sparse_cores_are_predicted_with_the_same_bits(
    order: int, rng: np.random.Generator
) -> None:
    """Few elements in a core that stays large: before and after they are summed term by term."""
    rank = {2: 40, 3: 14, 4: 9, 5: 7}[order]
    core = np.zeros((rank,) * order)
    for j in range(1, rank - 1):
        core[(j,) * order] = rng.normal()
        core[(0,) * (order - 1) + (j,)] = rng.normal()
    factors = [rng.normal(size=(rank + 1, rank)) for _ in range(order)]
    factors[0][:, 2] = 0.0
    model = vt.TuckerModel(core, factors)
    small = model.compact()
    assert small.ranks[:-1] == (rank - 2, *(rank - 2,) * (order - 2))
    cells = rng.integers(0, rank + 1, (500, order))
    np.testing.assert_array_equal(small.predict(cells), model.predict(cells))


@orders
def test_standard_deviations_stay(order: int, rng: np.random.Generator) -> None:
    model = with_variances(with_dead_components(order, rng), rng)
    cells = everywhere(model)
    assert model.compact() is model  # every element is uncertain
    assert model.core_variance is not None
    assert model.factor_variances is not None
    variances: dict[str, Any] = {
        "core_variance": model.core_variance * (model.core != 0.0),
        "factor_variances": [
            s * (factor != 0.0)
            for s, factor in zip(model.factor_variances, model.factors, strict=True)
        ],
    }
    model = dataclasses.replace(model, **variances)
    small = model.compact()
    assert small.ranks[:2] == (RANKS[order][0] - 1, RANKS[order][1] - 1)
    for got, want in zip(
        small.predict(cells, return_std=True), model.predict(cells, return_std=True), strict=True
    ):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)


@orders
@pytest.mark.parametrize("zero", ["core", "factor", "all"])
def test_models_of_zeros_keep_one_component(
    order: int, zero: str, rng: np.random.Generator
) -> None:
    model = with_dead_components(order, rng)
    if zero in ("core", "all"):
        model.core[:] = 0.0
    if zero in ("factor", "all"):
        model.factors[-1][:] = 0.0
    small = dataclasses.replace(model, offset=Offset("mean", 1.5)).compact()
    assert small.ranks == (1,) * order
    assert small.is_zero
    np.testing.assert_array_equal(small.predict(everywhere(model)), 1.5)


def test_what_only_dead_components_meet_goes_too() -> None:
    core = np.diag([2.0, 3.0, 4.0])
    factors = [np.ones((3, 3)), np.ones((4, 3))]
    factors[0][:, 1] = 0.0  # so that nothing is left of component 1 of the other mode
    assert vt.TuckerModel(core, factors).compact().core.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_the_model_remembers_its_first_ranks(
    rng: np.random.Generator, model: vt.TuckerModel, tmp_path: Any
) -> None:
    assert model.compact() is model
    assert model.ranks_before is None
    wide = with_dead_components(3, rng)
    once = wide.compact()
    assert once.compact() is once
    once.core[0] = 0.0
    twice = once.compact()
    assert (twice.ranks, twice.ranks_before) == ((3, 3, 3), (5, 4, 3))
    assert str(twice).splitlines()[0] == (
        "Tucker model of a 7 x 6 x 5 tensor, ranks 5 x 4 x 3 -> 3 x 3 x 3"
    )
    twice.save(tmp_path / "model.npz")
    assert vt.TuckerModel.load(tmp_path / "model.npz").ranks_before == (5, 4, 3)


def test_labels_stay(model: vt.TuckerModel) -> None:
    named = labelled(model)
    named.factors[2][:, 1] = 0.0
    small = named.compact()
    assert small.ranks == (2, 1, 2)
    assert small.modes == named.modes
    assert small.labels == named.labels
