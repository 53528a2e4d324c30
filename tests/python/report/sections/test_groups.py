"""The browser of groups, and its static twin."""

from __future__ import annotations

import numpy as np

from reports import constant, empty, factored
from vest_tucker.report.data import Contents, contents_within
from vest_tucker.report.sections.groups import groups, held
from vest_tucker.report.tables import ModelTables


def test_every_group_is_in_a_table() -> None:
    for model in (factored(), constant()):
        tables = ModelTables(model)
        text = groups(tables, contents_within(tables, 1e6))
        first = 1 if model.constant else 0
        for mode, rank in enumerate(model.ranks):
            for component in range(first, rank):
                assert f'id="group-{mode}-{component}"' in text
        assert (f'id="group-0-{0}"' in text) != model.constant


def test_what_needs_a_script_is_hidden_without() -> None:
    tables = ModelTables(empty())
    text = groups(tables, contents_within(tables, 1e6))
    assert text.count("script-only") == text.count(" hidden>") == 3


def test_what_was_left_out_is_told() -> None:
    rows = [np.arange(200), np.arange(7)]
    told = held(Contents(("user", "dish"), (6040, 7), rows, 3, explains=True, errors=False))
    assert "200 of 6,040 labels of user" in told
    assert "dish" not in told
