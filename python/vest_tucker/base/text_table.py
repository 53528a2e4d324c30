"""Columns of text beside each other, for summaries."""

from __future__ import annotations

from collections.abc import Container, Sequence


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
