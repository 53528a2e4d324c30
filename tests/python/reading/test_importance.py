"""The table of what each part carries: rows, order, frame and text."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import vest_tucker as vt
from small import made, with_biases

FIRST = ["Finn", "(student),", "Milo", "(student)", "and", "38", "more"]


def test_rows_are_components_and_relations(town: vt.TuckerModel) -> None:
    rows = town.importance().rows
    assert [row.kind for row in rows] == ["component"] * 12 + ["relation"] * 5
    for mode in town.modes:
        growths = [row.growth for row in rows if row.kind == "component" and row.mode == mode]
        assert growths == sorted(growths, reverse=True)
    person = {row.component: row.n_nonzero for row in rows if row.mode == "person"}
    for component, n in person.items():
        assert n == np.count_nonzero(town.factors[0][:, int(component)])


def test_mean_and_biases_come_first(
    model: vt.TuckerModel, rng: np.random.Generator, rated: vt.TuckerModel
) -> None:
    cells = np.argwhere(np.ones(model.shape))
    X = vt.SparseTensor(cells, rng.normal(3.0, 1.0, len(cells)))
    rows = with_biases(model, rng).measure_importance(X).importance().rows
    assert [row.name for row in rows][:4] == [
        "mean", "biases of mode_0", "biases of mode_1", "biases of mode_2",
    ]  # fmt: skip
    assert [row.n_nonzero for row in rows][:4] == [1, 3, 2, 4]
    rows = rated.importance().rows
    assert rows[0].kind == "mean"
    assert all(row.component != "0" for row in rows if row.kind == "component")


def test_empty_components_are_left_out(model: vt.TuckerModel) -> None:
    model.factors[2][:, 1] = 0.0
    X = vt.SparseTensor(np.argwhere(np.ones(model.shape)), np.arange(60.0))
    rows = model.measure_importance(X).importance().rows
    assert {row.component for row in rows if row.mode == "mode_2"} == {"0", "2"}


def test_the_frame(town: vt.TuckerModel) -> None:
    pytest.importorskip("pandas")
    named = dataclasses.replace(town).name("dish", 2, "breakfast")
    frame = named.importance_frame(backend="pandas")
    assert list(frame.columns) == [
        "kind", "mode", "component", "name", "growth", "error_without", "share", "n_nonzero",
        "labels",
    ]  # fmt: skip
    assert "breakfast" in frame["name"].tolist()
    assert frame["name"].str.contains("× breakfast ×").sum() == 1


def test_the_text_tells_the_error_without_each_part(town: vt.TuckerModel) -> None:
    lines = str(town.importance()).splitlines()
    assert lines[0] == "error 0.2199; without a part it would be"
    assert lines[1].split() == ["0.5755", "36", "%", "40", "person", "2:", *FIRST]
    assert lines[-1] == "unexplained: 6 % of what the mean leaves"


def test_of_many_relations_some_are_told(rng: np.random.Generator) -> None:
    model = made(rng.random((6, 6)), [rng.random((8, 6)) for _ in range(2)])
    cells = np.argwhere(np.ones(model.shape))
    measured = model.measure_importance(vt.SparseTensor(cells, rng.random(64)))
    table = measured.importance()
    lines = str(table).splitlines()
    assert "  and 2 more components and 26 more relations" in lines
    assert len(lines) == 1 + 10 + 10 + 3
    assert len(table.rows) == 12 + 36  # all of them
    told = [row.growth for row in table.shown() if row.kind == "component"]
    assert min(told) >= max(row.growth for row in table.rows[:12] if row.growth not in told)
    assert "and 11 more components and 35 more relations" in str(measured.importance(n=1))
    assert "more relations" not in str(measured.importance(n=40))
    assert "more relations" not in measured.importance(n=40)._repr_html_()
    assert "2 more components" in table._repr_html_()
    with pytest.raises(vt.errors.OptionError, match="n is -1"):
        measured.importance(n=-1)
