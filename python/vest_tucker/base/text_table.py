"""Columns of text beside each other, for summaries; and texts cut short, but never to the same.

Texts that users gave may hold anything. What would drive a terminal, or turn the direction in which
a line is read, is shown as ``repr`` shows it; what is very long is cut before it is looked at.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

import numpy as np

ELLIPSIS = "…"
# Control characters but for ends of lines and tabulators, ends of lines of Unicode, what embeds or
# overrides a direction of reading, and halves of characters, which cannot be printed.
DRIVING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
LONGEST_CELL = 120  # columns of a cell in a table of text
LONGEST_LINE = 4000  # columns of any line


def text_table(rows: Sequence[Sequence[str]], *, left: Container[int] = ()) -> list[str]:
    """Return a line for each row, columns aligned at the right, or at the left where it says so.

    Examples
    --------
    >>> text_table([("name", "size"), ("a", "10"), ("be", "9")], left=[0])
    ['  name  size', '  a       10', '  be       9']
    """
    cut = [[shorten(visible(text), LONGEST_CELL) for text in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cut, strict=True)]
    lines = []
    for row in cut:
        cells = (
            text.ljust(width) if number in left else text.rjust(width)
            for number, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append(f"  {'  '.join(cells)}".rstrip())
    return lines


def visible(text: str) -> str:
    r"""Return a text in which nothing drives a terminal or turns the direction of reading.

    Ends of lines and tabulators stay, as do the joiners that some scripts need.

    Examples
    --------
    >>> visible("rye \x1b[2J bread"), visible("tea\u202e"), visible("two\nlines")
    ('rye \\x1b[2J bread', 'tea\\u202e', 'two\nlines')
    """
    return DRIVING.sub(lambda found: repr(found[0])[1:-1], text)


def shown_lines(lines: Iterable[str]) -> str:
    """Return lines as one text to show: `visible`, and none without end."""
    return "\n".join(visible(shorten(line, LONGEST_LINE)) for line in lines)


def clipped(text: str, longest: int) -> str:
    """Return both ends of a text that is far longer than what is shown of it, others as they are.

    What is in between is then not looked at, however much it is.

    Examples
    --------
    >>> clipped("tea", 1), len(clipped("tea" * 1_000_000, 10))
    ('tea', 81)
    """
    if len(text) <= 9 * longest:
        return text
    return text[: 4 * longest] + ELLIPSIS + text[-4 * longest :]


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
    text = clipped(text, longest)
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
