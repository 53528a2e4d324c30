"""Pure HTML and CSS for notebooks: colours are those of the page, and text is shown as it is."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from vest_tucker.base.text_table import LONGEST_LINE, shorten, shown_lines, visible

# Colours are inherited or drawn from the text's own colour, so that dark pages stay readable.
TABLE = "border-collapse:collapse;margin:0.4em 0;color:inherit;background:transparent"
CELL = "text-align:left;padding:0.15em 0.7em;border:0;border-bottom:1px solid currentColor"
NUMBER = CELL.replace("left", "right") + ";font-variant-numeric:tabular-nums;white-space:nowrap"
QUIET = "opacity:0.7;margin:0.2em 0"
PAGE_BYTES = 2_000_000  # how large a report may become, unless told otherwise


def escaped(text: object) -> str:
    """Return text that HTML shows as it is, whatever it contains; see also `visible`.

    Examples
    --------
    >>> escaped("<b onload='x'>")
    '&lt;b onload=&#x27;x&#x27;&gt;'
    """
    return html.escape(visible(str(text)), quote=True)


class Raw(str):
    """Text that is HTML already."""

    __slots__ = ()


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], *, numbers: Sequence[int]) -> str:
    """Return a table; ``numbers`` are the columns to align right.

    Cells are texts, which are escaped; a cell that is a `Raw` is HTML already.
    """
    style = [NUMBER if column in numbers else CELL for column in range(len(head))]
    top = "".join(
        f'<th style="{each}">{_short(name)}</th>' for each, name in zip(style, head, strict=True)
    )
    lines = [f'<table style="{TABLE}">', f"<thead><tr>{top}</tr></thead>", "<tbody>"]
    for row in rows:
        cells = (
            f'<td style="{each}">{cell if isinstance(cell, Raw) else _short(cell)}</td>'
            for each, cell in zip(style, row, strict=True)
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"])


def paragraph(text: object, style: str = "margin:0.2em 0") -> str:
    """Return a line of text."""
    return f'<p style="{style}">{_short(text)}</p>'


def _short(text: object) -> str:
    return escaped(shorten(str(text), LONGEST_LINE))


def whole(parts: Iterable[str]) -> str:
    """Return all parts together."""
    return "\n".join(['<div style="color:inherit">', *parts, "</div>"])


def preformatted(lines: Iterable[str]) -> str:
    """Return lines of text as they are."""
    style = "color:inherit;background:transparent;margin:0.2em 0;line-height:1.3"
    return f'<pre style="{style}">{escaped(shown_lines(lines))}</pre>'
