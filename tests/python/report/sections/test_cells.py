"""A prediction taken apart."""

from __future__ import annotations

import dataclasses

import numpy as np

from reports import biased, factored
from vest_tucker.report.data import contents_within
from vest_tucker.report.numbers import shown
from vest_tucker.report.sections.cells import cells
from vest_tucker.report.tables import ModelTables


def test_one_cell_is_explained_in_advance() -> None:
    tables = ModelTables(biased())
    text = cells(tables, contents_within(tables, 1e6))
    (value,) = tables.model.predict(np.array([tables.cell]))
    assert f">{shown(value, 4)}</td>" in text
    assert "bias of person" in text
    assert text.count("<datalist") == 3


def test_too_many_relations_for_the_page() -> None:
    tables = ModelTables(factored())
    contents = dataclasses.replace(contents_within(tables, 1e6), explains=False)
    assert "too many relations" in cells(tables, contents)
