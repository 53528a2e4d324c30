"""Columns of text."""

from __future__ import annotations

from vest_tucker.base.text_table import text_table


def test_columns_are_as_wide_as_their_longest_text() -> None:
    lines = text_table([("model", "error"), ("a long name", "1"), ("b", "")], left={0})
    assert lines == ["  model        error", "  a long name      1", "  b"]


def test_all_at_the_right() -> None:
    assert text_table([("1", "22"), ("333", "4")]) == ["    1  22", "  333   4"]
