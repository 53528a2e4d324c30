"""A model as plain tables."""

from __future__ import annotations

import numpy as np

from reports import biased, constant, empty, factored
from vest_tucker.report.tables import ModelTables, texts


def test_effects_and_relations_are_told_apart() -> None:
    tables = ModelTables(constant())
    assert [each.kind for each in tables.effects] == ["effects", "effects"]
    assert [each.index for each in tables.relations] == [(2, 2, 0)]
    assert [each.kind for each in ModelTables(biased()).effects] == ["biases"] * 3


def test_groups_without_labels_are_left_out_and_numbers_stay() -> None:
    model = factored()
    model.factors[0][:, 1] = 0.0
    assert [group.component for group in ModelTables(model).groups(0)] == [0, 2]
    assert [group.component for group in ModelTables(constant()).groups(0)] == [1, 2]
    assert ModelTables(empty()).groups(0) == []


def test_modes() -> None:
    model = factored(labels=[None, None, [3, 1, 2, 5, 4]])
    person, _, hour = ModelTables(model).modes
    assert (person.size, person.n_seen) == (18, 17)
    assert model.entries is not None
    assert person.examples(1) == [str(model.entries[0].argmax())]
    assert hour.places is not None
    assert hour.places.tolist() == [2, 0, 1, 4, 3]


def test_the_first_cell_to_explain_belongs_to_the_strongest_relation() -> None:
    tables = ModelTables(factored())
    strongest = tables.relations[0]
    for row, group in zip(tables.cell, strongest.groups, strict=True):
        assert row in group.rows
    assert ModelTables(empty()).cell == (0, 0)


def test_labels_as_text() -> None:
    assert texts(np.array(["2021-05-03T10:30"], "M8[m]")) == ["2021-05-03 10:30"]
    assert texts(np.array([1.5, 2.0])) == ["1.5", "2.0"]
    assert texts(np.array([True, None], dtype=object)) == ["True", "None"]
