"""Relations and groups: sizes in the unit of the values, strongest first, poles apart."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import vest_tucker as vt
from reports import factored
from small import labelled, made
from vest_tucker.reading.captions import size_text
from vest_tucker.reading.orientation import BALANCED, balances
from vest_tucker.reading.relations import group_columns, groups, relations


def by_hand() -> vt.TuckerModel:
    core = np.array([[2.0, 0.0, 0.0], [0.0, -5.0, 7.0]])
    factors = [
        np.array([[1.0, 0.0], [3.0, 0.0], [0.0, -2.0]]),
        np.array([[1.0, 0.5, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 0.0]]),
    ]
    return made(core, factors, modes=("who", "dish"))


def test_sizes_are_products_of_typical_values() -> None:
    found = {each.index: each for each in relations(by_hand())}
    assert found.keys() == {(0, 0), (1, 1)}  # (1, 2) meets a column of zeros
    assert found[0, 0].size == pytest.approx(2.0 * math.sqrt((1 + 9) / 2) * 1.0)
    # The columns -2 of who and (0.5, -1) of dish turn around: two signs, and the core's stays. It
    # lowers values, so dish, which has two sides, is shown turned.
    assert found[1, 1].value == 5.0
    assert found[1, 1].groups[1].typical == pytest.approx(math.sqrt((0.25 + 1) / 2))
    # Where its first sides meet, it adds no more than this.
    assert found[1, 1].size == 5.0 * 2.0 * 0.5


def test_typical_values_count_entries() -> None:
    counted = dataclasses.replace(by_hand(), entries=[np.array([3, 1, 2]), np.array([4, 2, 0])])
    found = {each.index: each for each in relations(counted)}
    assert found[0, 0].size == pytest.approx(2.0 * math.sqrt((3 * 1 + 1 * 9) / 4))


def test_an_effect_is_what_a_label_adds_at_typical_partners() -> None:
    relation = next(each for each in relations(by_hand()) if each.index == (1, 1))
    dish = relation.groups[1]
    assert dish.weights.tolist() == [-1.0, 0.5]
    assert dish.effects.tolist() == pytest.approx([-5.0 * 2.0, 5.0])
    assert (dish.positive.rows.tolist(), dish.negative.rows.tolist()) == ([0], [1])
    # At a label of typical weight, the effect has the typical weights of all groups.
    assert dish.scale * dish.typical == pytest.approx(5.0 * 2.0 * dish.typical)


@pytest.mark.parametrize("seed", range(8))
def test_labels_on_the_same_side_go_together(seed: int) -> None:
    """What a relation adds to a cell has the sign that the sides of its labels tell."""
    model = factored(seed, modes=("who", "dish", "hour"))
    if seed % 2:
        model = model.name("who", 0, "early").name("dish", 1, "tea").name("hour", 1, "night")
    turned = 0
    for each in relations(model):
        sides = [len(group.positive) > 0 and len(group.negative) > 0 for group in each.told]
        free = [both and not group.named for both, group in zip(sides, each.told, strict=True)]
        even = [
            balances(group.weights[:, None], np.asarray(group.counts, float))[0] >= BALANCED
            for group in each.told
        ]
        assert each.size > 0.0 or not any(np.logical_and(free, even))
        cells = np.stack(np.meshgrid(*(group.rows for group in each.told)), axis=-1).reshape(-1, 3)
        true = model.core[each.index] * np.prod(
            [model.factors[n][cells[:, n], each.index[n]] for n in range(3)], axis=0
        )
        told = np.ones(len(cells))
        for group, rows in zip(each.told, cells.T, strict=True):
            effects = dict(zip(group.rows.tolist(), group.effects.tolist(), strict=True))
            told *= np.sign([effects[row] for row in rows.tolist()])
        if not any(sides):  # all bars say the same
            told = np.sign([each.size] * len(cells))
        np.testing.assert_array_equal(np.sign(true), told)
        turned += any(
            not np.array_equal(group.weights, own.weights)
            for group, own in zip(
                each.groups,
                (groups(model, n)[j] for n, j in enumerate(each.index)),
                strict=True,
            )
        )
    assert turned or seed % 2


def test_the_group_with_the_most_balanced_sides_is_turned() -> None:
    uneven, even = [[3.0], [1.0], [-0.5]], [[2.0], [-1.9], [0.0]]
    (found,) = relations(made([[-1.0]], [uneven, even]))
    assert [group.weights.tolist() for group in found.groups] == [[3.0, 1.0, -0.5], [-2.0, 1.9]]
    assert found.size > 0.0
    less = [[3.0], [1.0], [-2.0]]
    (named,) = relations(made([[-1.0]], [less, even]).name(1, 0, "noon"))
    assert [group.weights.tolist() for group in named.groups] == [[-3.0, 2.0, -1.0], [2.0, -1.9]]
    both = made([[-1.0]], [less, even]).name(1, 0, "noon").name(0, 0, "tea")
    (kept,) = relations(both)
    assert kept.size == -named.size
    # The sides of one group tell that values are lower.
    assert [group.effects[0] > 0.0 for group in kept.groups] == [True, False]


def test_the_labels_that_carry_a_relation_come_first() -> None:
    """Half of the users rate horror 2.5 lower, and nothing else of note."""
    users, genres = [[1.0], [1.0], [0.0], [-0.05]], [[-0.1], [0.0], [1.0]]
    for signs in ((1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)):
        factors = [np.array(users) * signs[0], np.array(genres) * signs[1]]
        (found,) = relations(made([[-2.5 * signs[0] * signs[1]]], factors))
        assert [group.positive.rows.tolist() for group in found.groups] == [[0, 1], [2]]
        assert (found.size, found.peak, found.opposite) == pytest.approx((-2.5, -2.5, 0.25))
        assert size_text(found) == "-2.5"


def test_the_largest_effect_is_told_whatever_its_sign() -> None:
    one, other = [[1.0], [0.9], [-0.8]], [[1.0], [1.0], [1.0], [-1.5]]
    (found,) = relations(made([[2.0]], [one, other]))
    effects = 2.0 * np.outer(one, other)
    assert sorted([found.peak, found.opposite]) == pytest.approx([effects.min(), effects.max()])
    assert size_text(found) == "+2.07, from -3 to +2.4"


def test_no_size_is_above_the_largest_effect_of_its_sign() -> None:
    who, hour = [[1.0], [0.5], [-0.75]], [[1.0], [1.0], [1.0], [0.0]]
    (found,) = relations(made([[-2.0]], [who, hour]))
    assert (found.size, found.peak, found.opposite) == (1.5, 1.5, -2.0)
    assert size_text(found) == "+1.5, from -2 to +1.5"
    tiny = [np.array(each) * 1e-170 for each in (who, hour)]
    (found,) = relations(made([[-2e300]], tiny))
    assert (found.size, found.opposite) == pytest.approx((1.5e-40, -2e-40), rel=1e-9, abs=0.0)
    for seed in range(20):
        for each in relations(factored(seed, modes=("who", "dish", "hour"))):
            assert abs(each.size) <= abs(each.peak)
            assert each.size * each.peak > 0.0
            assert abs(each.first) <= abs(each.peak)


def test_the_strongest_come_first_by_size_or_by_what_was_measured(
    rated: vt.TuckerModel,
) -> None:
    measured = [each.growth for each in relations(rated)]
    assert measured == sorted(measured, reverse=True)
    unknown = relations(dataclasses.replace(rated, measured=None))
    sizes = [abs(each.size) for each in unknown]
    assert sizes == sorted(sizes, reverse=True)
    assert math.isnan(unknown[0].share)
    assert len(relations(rated, 2)) == 2


def test_a_constant_column_is_not_told(rated: vt.TuckerModel) -> None:
    found = relations(rated)
    assert (0, 0, 0) not in {each.index for each in found}
    assert {each.order for each in found} == {1, 2}
    for each in found:
        assert each.order == np.count_nonzero(each.index)
        assert all(len(group) for group in each.told)
        assert not any(len(group) for group in each.groups if group.constant)
    assert [group.component for group in groups(rated, "film")][:2] == [1, 2]


def test_effects_of_groups_are_those_in_the_strongest_relation(town: vt.TuckerModel) -> None:
    for mode in range(town.order):
        for group in groups(town, mode):
            own = next(
                each for each in relations(town) if each.index[mode] == group.component
            ).groups[mode]
            np.testing.assert_allclose(group.effects, own.effects)
            assert (np.diff(np.abs(group.weights)) <= 0.0).all()


def test_shares_are_of_what_the_mean_leaves(town: vt.TuckerModel) -> None:
    measured = town.measured
    assert measured is not None
    for each in relations(town):
        assert each.share == pytest.approx(each.growth / measured.total)
        grown = (measured.residual + each.growth) / measured.norm**2
        assert each.error_without == pytest.approx(math.sqrt(grown))


def test_names_are_titles(model: vt.TuckerModel) -> None:
    named = labelled(model).name("film", 0, "classics")
    assert all("classics" in each.title for each in relations(named))
    (group,) = groups(named, "film")
    assert group.named
    assert group.title == "classics"
    assert not groups(named, "user")[0].named


def test_values_of_any_scale_have_sizes() -> None:
    for scale in (1e-150, 1e150):
        model = made([[1.0]], [np.array([[scale], [3 * scale]]), np.ones((2, 1))])
        (found,) = relations(model)
        assert found.size == pytest.approx(scale * math.sqrt(5.0))


def test_a_model_of_zeros_has_no_relations() -> None:
    model = made(np.zeros((2, 2)), [np.ones((3, 2))] * 2)
    assert relations(model) == []
    assert groups(model, 0)[0].scale == 0.0


def test_groups_as_columns(rated: vt.TuckerModel, town: vt.TuckerModel) -> None:
    columns = group_columns(town, "dish")
    assert list(columns) == ["dish", "component", "name", "weight", "effect", "entries"]
    peaks = np.abs(town.factors[1]).max(axis=0)
    assert len(columns["dish"]) == np.count_nonzero(np.abs(town.factors[1]) > 0.01 * peaks)
    assert (np.diff(columns["component"]) >= 0).all()
    films = group_columns(rated, "film")
    assert set(films["component"].tolist()) == {1, 2}  # neither the constant nor empty ones
    own = films["component"] == 1
    rows = rated.mode_labels.encode("film", films["film"][own])
    want = rated.factors[1][rows, 1] * rated.core[0, 1, 0]
    np.testing.assert_allclose(films["effect"][own], want)


def test_elements_next_to_nothing_belong_to_no_group() -> None:
    model = made([[2.0]], [[[1.0], [1e-3], [0.5]], [[1.0]]])
    (group,) = groups(model, 0)
    assert group.rows.tolist() == [0, 2]
    (relation,) = relations(model)
    assert relation.size == pytest.approx(2.0 * math.sqrt((1.0 + 0.25) / 2))
