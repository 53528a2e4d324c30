"""Columns of text."""

from __future__ import annotations

import time

from vest_tucker.base.text_table import (
    LONGEST_LINE,
    shorten,
    shorten_all,
    shown_lines,
    text_table,
    visible,
)


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


def test_nothing_drives_a_terminal() -> None:
    driving = "\x1b]0;own\x07 \x9b31m \r \u202e\u2066\u2028 \udc80 \x7f"
    shown = visible(driving)
    assert shown.isprintable()
    assert shown.startswith("\\x1b]0;own\\x07 \\x9b31m \\r \\u202e\\u2066\\u2028 \\udc80")
    kept = "two\nlines\tand emoji \U0001f469\u200d\U0001f52c, Persian \u0645\u06cc\u200c\u062e"
    assert visible(kept) == kept
    assert text_table([("a\x1b", "b")]) == ["  a\\x1b  b"]


def test_texts_of_megabytes_are_cut_before_they_are_looked_at() -> None:
    for text in ("x" * 10_000_000, "e" + "\u0301" * 10_000_000):
        began = time.process_time()
        assert len(shorten(text, 20)) <= 9 * 20
        assert len(text_table([(text, "b")])[0]) < 2000
        assert len(shown_lines([text, "short"])) <= 9 * LONGEST_LINE + 10
        assert time.process_time() - began < 3.0
    assert shown_lines(["one", "two\x07"]) == "one\ntwo\\x07"
