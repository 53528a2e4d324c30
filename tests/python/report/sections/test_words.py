"""Relations in words."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np

import vest_tucker as vt
from vest_tucker.report.sections.words import (
    address,
    direction,
    group_cell,
    listed,
    sentence,
    title,
)
from vest_tucker.report.tables import ModelTables


def meals(core: float = 2.0, sign: float = 1.0, eve: float = -0.25) -> vt.TuckerModel:
    labels: Any = [["ann", "bob", "eve"], [7, 8, 9, 20]]
    factors = [np.array([[1.0], [0.5], [eve]]) * sign, np.array([[1.0], [1.0], [1.0], [0.0]])]
    return vt.TuckerModel(np.array([[core]]), factors, modes=("who", "hour"), labels=labels)


def test_a_sentence_says_where_and_how_much() -> None:
    (relation,) = ModelTables(meals()).relations
    text = sentence(relation, "times")
    assert text.startswith(
        "Values are typically 1.58\u00a0times higher, up to 2.00\u00a0times, where "
    )
    assert ' where who is <b dir="auto">ann, bob</b>' in text
    assert 'hour is <b dir="auto">7 to 9</b>.' in text
    assert 'The opposite holds where who is <b dir="auto">eve</b>.' in text


def test_signs_of_columns_change_nothing() -> None:
    plain, turned = (ModelTables(meals(core, core / 2.0)).relations[0] for core in (2.0, -2.0))
    assert sentence(plain) == sentence(turned)
    (lower,) = ModelTables(meals(-2.0).name("who", 0, "early")).relations
    assert direction(lower).startswith("Values are typically 1.58 lower, up to 2.00,")


def test_a_relation_that_lowers_values_is_told_from_its_other_side() -> None:
    (turned,) = ModelTables(meals(-2.0, eve=-0.75)).relations
    text = sentence(turned)
    # Where eve is, every prediction is 1.50 higher; most is added, with the other sign, by ann.
    assert text == (
        'Values are up to 1.50 higher where who is <b dir="auto">eve</b>, and hour is '
        '<b dir="auto">7 to 9</b>; up to 2.00 lower where who is <b dir="auto">ann, bob</b>.'
    )
    assert direction(turned, "min") == (
        "Values are up to 1.50\u00a0min higher, and up to 2.00\u00a0min lower,"
    )


def test_each_amount_is_told_where_it_is_reached() -> None:
    """Two labels of few entries are strong, each on the second side of its group."""
    factors = [np.array([[1.0], [1.0], [1.0], [-1.5]]), np.array([[2.0], [2.0], [2.0], [-3.0]])]
    labels: Any = [["ann", "bob", "cid", "eve"], ["rye", "soup", "tea", "cake"]]
    modes = ("who", "dish")
    entries = [np.array([9, 9, 9, 1])] * 2
    model = vt.TuckerModel(np.eye(1), factors, modes=modes, labels=labels, entries=entries)
    (relation,) = ModelTables(model).relations
    assert (relation.first, relation.peak, relation.opposite) == (2.0, 4.5, -3.0)
    text = re.sub("<.*?>", "", sentence(relation))
    assert text == (
        "Values are about 2.00 higher where who is ann, bob, cid, and dish is rye, soup, tea; "
        "up to 4.50 higher where who is eve, and dish is cake. The opposite holds where who is eve."
    )


def test_a_relation_is_told_from_the_side_that_carries_it() -> None:
    text = sentence(ModelTables(meals(-2.0)).relations[0])
    assert text.startswith("Values are typically 1.58 lower, up to 2.00, where ")
    assert 'where who is <b dir="auto">ann, bob</b>' in text
    assert 'The opposite holds where who is <b dir="auto">eve</b>.' in text


def test_names_take_the_place_of_labels_in_titles() -> None:
    model = meals().name("who", 0, "early <birds>")
    (relation,) = ModelTables(model).relations
    assert title(relation) == (
        '<span dir="auto">early &lt;birds&gt;</span> × <span dir="auto">hour 7 to 9</span>'
    )
    assert "“" in sentence(relation)
    assert 'href="#group-0-0"' in group_cell(relation.groups[0])


def test_long_labels_are_cut() -> None:
    labels: Any = [["x" * 500, "bob", "eve"], [7, 8, 9, 20]]
    model = dataclasses.replace(meals(), labels=labels)
    (relation,) = ModelTables(model).relations
    assert len(sentence(relation)) < 500


def test_addresses_and_lists() -> None:
    (relation,) = ModelTables(meals()).relations
    assert address(relation) == "relation-0-0"
    assert listed(["a", "b"]) == "a and b"
