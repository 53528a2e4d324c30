"""Columns of text beside each other, for summaries; and texts cut short, but never to the same."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Container, Sequence

import numpy as np

ELLIPSIS = "…"


def text_table(rows: Sequence[Sequence[str]], *, left: Container[int] = ()) -> list[str]:
    """Return a line for each row, columns aligned at the right, or at the left where it says so.

    Examples
    --------
    >>> text_table([("name", "size"), ("a", "10"), ("be", "9")], left=[0])
    ['  name  size', '  a       10', '  be       9']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = (
            text.ljust(width) if number in left else text.rjust(width)
            for number, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append(f"  {'  '.join(cells)}".rstrip())
    return lines


def shorten(text: str, longest: int) -> str:
    """Return a text of at most so many columns, cut in the middle if it is longer.

    The ends tell more than the middle. Characters of Chinese, Japanese and Korean take two columns.

    Examples
    --------
    >>> shorten("strawberry cheesecake", 11), shorten("tea", 11), shorten("東京都千代田区", 7)
    ('straw…ecake', 'tea', '東…区')
    """
    if len(text) <= longest // 2:
        return text
    widths = [_width(character) for character in text]
    if sum(widths) <= longest:
        return text
    room = max(longest - 1, 2)
    begin, end = _fitting(widths, (room + 1) // 2), _fitting(widths[::-1], room // 2)
    while end and widths[len(text) - end] == 0:  # an accent stays with its letter
        end -= 1
    return text[:begin].rstrip() + ELLIPSIS + text[len(text) - end :].lstrip()


def shorten_all(
    texts: Sequence[str], longest: int, numbers: Sequence[int] | None = None
) -> list[str]:
    """Return texts cut short; those that differ still do.

    Different texts that are the same when they are cut are followed by their number, by default
    that of their place among these.

    Examples
    --------
    >>> shorten_all(["soup of the day", "soup of my day", "tea"], 9)
    ['soup…day (1)', 'soup…day (2)', 'tea']
    """
    short = [shorten(text, longest) for text in texts]
    if len(set(short)) == len(set(texts)):
        return short
    same: dict[str, dict[str, int]] = defaultdict(dict)
    for place, (text, cut) in enumerate(zip(texts, short, strict=True)):
        own = same[cut]
        own.setdefault(text, len(own) + 1 if numbers is None else numbers[place])
    return [
        f"{cut} ({same[cut][text]})" if len(same[cut]) > 1 else cut
        for text, cut in zip(texts, short, strict=True)
    ]


def _width(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _fitting(widths: Sequence[int], room: int) -> int:
    """Return how many of the first characters fit into so many columns."""
    return int(np.searchsorted(np.cumsum(widths), room, side="right"))
