"""Relations with their groups."""

from __future__ import annotations

from reports import biased, constant, empty, factored
from vest_tucker.report.sections.relations import MOST_OPEN, relations
from vest_tucker.report.tables import ModelTables


def test_one_article_per_relation_and_one_part_per_group() -> None:
    tables = ModelTables(factored())
    text = relations(tables)
    assert text.count("<article") == tables.n_relations
    assert text.count('<div class="group">') == 3 * tables.n_relations
    assert 'class="fold"' not in text
    assert "Labels on the same side of two groups go together" in text
    assert "1 more relation adds next to nothing to any value." in text


def test_many_relations_are_folded_and_counted() -> None:
    tables = ModelTables(factored(ranks=(9, 7, 5)))
    text = relations(tables)
    assert tables.n_relations > 30
    assert f"30 of {tables.n_relations:,} relations are shown" in text
    assert f"<summary>{30 - MOST_OPEN} weaker relations</summary>" in text


def test_constant_columns_are_left_out() -> None:
    text = relations(ModelTables(constant()))
    assert text.count("<article") == 1
    assert text.count('<div class="group">') == 2
    assert "It holds whatever the hour." in text


def test_standard_errors_are_drawn_where_known() -> None:
    assert 'class="error"' in relations(ModelTables(biased()))
    assert 'class="error"' not in relations(ModelTables(factored()))


def test_none() -> None:
    assert "no relations" in relations(ModelTables(empty()))
