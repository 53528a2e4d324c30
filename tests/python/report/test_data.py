"""What the script gets: within the budget, and ready for JSON."""

from __future__ import annotations

import base64
import dataclasses
import json

import numpy as np
import pytest

from reports import MODELS, biased, constant, factored
from vest_tucker.report.data import contents_within, script_data
from vest_tucker.report.html import json_in_script
from vest_tucker.report.tables import ModelTables


@pytest.mark.parametrize("name", MODELS)
def test_every_model_becomes_json(name: str) -> None:
    tables = ModelTables(MODELS[name]())
    contents = contents_within(tables, 1e6)
    assert contents.explains
    assert [len(rows) for rows in contents.rows] == list(tables.model.shape)
    read = json.loads(json_in_script(script_data(tables, contents)))
    assert [mode["size"] for mode in read["modes"]] == list(tables.model.shape)


def test_what_does_not_fit_is_left_out_rows_of_few_entries_first() -> None:
    model = dataclasses.replace(factored(shape=(900, 7, 5)), labels=())
    tables = ModelTables(model)
    contents = contents_within(tables, 8_000)
    assert 0 < len(contents.rows[0]) < 900
    assert len(contents.rows[1]) == 7
    written = json_in_script(script_data(tables, contents))
    assert len(written) < 8_000 + 2_500  # names, components and stand-ins are not counted
    assert model.entries is not None
    kept = model.entries[0][contents.rows[0]]
    assert kept.min() >= np.delete(model.entries[0], contents.rows[0]).max()


def test_standard_errors_are_the_first_to_go() -> None:
    tables = ModelTables(biased())
    assert contents_within(tables, 1e5).errors
    least = next(size for size in range(500, 20_000, 50) if contents_within(tables, size).explains)
    assert not contents_within(tables, least).errors


def test_without_all_relations_no_cell_is_explained() -> None:
    tables = ModelTables(factored(ranks=(9, 7, 5)))
    contents = contents_within(tables, 5_000)
    assert contents.n_relations < tables.n_relations
    assert not contents.explains


def test_terms_that_add_next_to_nothing_are_there_but_not_told() -> None:
    tables = ModelTables(factored())
    core = script_data(tables, contents_within(tables, 1e6))["core"]
    values = np.frombuffer(base64.b64decode(core["values"]), "<f8")
    assert len(values) == np.count_nonzero(tables.model.core) == core["told"] + 1
    assert abs(values[-1]) == 1e-6
    cut = script_data(tables, dataclasses.replace(contents_within(tables, 1e6), n_relations=2))
    assert cut["core"]["told"] == 2


def test_the_mean_of_a_constant_model_is_among_its_terms() -> None:
    tables = ModelTables(constant())
    data = script_data(tables, contents_within(tables, 1e6))
    values = np.frombuffer(base64.b64decode(data["core"]["values"]), "<f8")
    assert values[0] == 3.5
    assert len(values) == np.count_nonzero(tables.model.core)


def test_what_stands_for_a_row_without_entries() -> None:
    stand_ins = []
    for make in (factored, constant, biased):
        tables = ModelTables(make())
        stand_ins.append(script_data(tables, contents_within(tables, 1e6))["modes"][0]["stand_in"])
    assert len(stand_ins[0]) == 3
    assert stand_ins[1:] == [[1.0, 0.0, 0.0], None]
