"""Columns of text."""

from __future__ import annotations

from vest_tucker.base.text_table import shorten, shorten_all, text_table


def test_columns_are_as_wide_as_their_longest_text() -> None:
    lines = text_table([("model", "error"), ("a long name", "1"), ("b", "")], left={0})
    assert lines == ["  model        error", "  a long name      1", "  b"]


def test_all_at_the_right() -> None:
    assert text_table([("1", "22"), ("333", "4")]) == ["    1  22", "  333   4"]


def test_texts_are_cut_in_the_middle() -> None:
    assert shorten("x" * 20, 20) == "x" * 20
    assert shorten("One Flew Over the Cuckoo's Nest", 20) == "One Flew O…oo's Nest"
    assert shorten("a" * 5, 1) == "a…a"  # something is left of both ends


def test_texts_that_become_the_same_are_told_apart() -> None:
    long = "a station of the line to the north, platform 1, track"
    texts = [f"{long} {k} a long way from here, towards the sea" for k in (3, 4, 3)]
    short = shorten_all(texts, 20)
    assert short[0] == short[2] != short[1]
    assert [each.rpartition(" ")[2] for each in short] == ["(1)", "(2)", "(1)"]
    assert shorten_all(texts, 20, numbers=[7, 8, 7])[1].endswith("(8)")
    assert shorten_all(["tea", "tea", "rye"], 20) == ["tea", "tea", "rye"]
