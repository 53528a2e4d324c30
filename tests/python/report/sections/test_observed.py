"""What was observed."""

from __future__ import annotations

import dataclasses

from reports import factored, tiny
from vest_tucker.report.sections.observed import observed, observed_table
from vest_tucker.report.tables import ModelTables


def test_cells_values_and_weights() -> None:
    model = factored()
    assert model.entries is not None
    model = dataclasses.replace(
        model,
        nnz=315,
        value_range=(-1.5, 46.0),
        row_totals=[each.astype(float) for each in model.entries],
    )
    text = observed(ModelTables(model, "minutes")).replace("\u00a0", " ")
    assert "315 values were observed in a table of 18 × 7 × 5 cells, 50 % of them." in text
    assert "from −1.5 to 46 minutes." in text
    assert "together they weigh" in text
    assert "3 labels had no entry." in text
    assert text.count('class="strip"') == 3


def test_nothing_known() -> None:
    assert "is not known" in observed(ModelTables(tiny()))


def test_the_table_to_download() -> None:
    tables = ModelTables(factored())
    rows = observed_table(tables).rows
    counts = tables.modes[0].counts
    assert counts is not None
    assert rows[0][:4] == ["mode_0", 18, 17, 0]
    assert rows[0][-1] == counts.max()
    assert observed_table(ModelTables(tiny())).rows[0][3:] == [None, None, None]
