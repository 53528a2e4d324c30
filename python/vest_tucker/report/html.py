"""HTML from hostile text: elements whose text is always escaped, and JSON inside of a page.

`Html` is text that is already HTML. Whatever else is put into an element is escaped, so that a
label can never become a tag, wherever it is shown.
"""

from __future__ import annotations

import json
import re
from typing import Any

from vest_tucker.base import html
from vest_tucker.base.text_table import shorten

# What HTML cannot hold, not even escaped: control characters, and halves of surrogate pairs.
UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
LONGEST = 160  # characters of a label that are shown; the rest is in the tables to download
VOID = {"br", "hr", "input", "meta"}
# In a <script> block these could end it, begin a comment, or end a line of JavaScript.
IN_SCRIPTS = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


class Html(html.Raw):
    """Text that is HTML already, and not escaped again."""

    __slots__ = ()


def escaped(content: object) -> Html:
    """Return HTML as it is, and anything else as text.

    Examples
    --------
    >>> escaped("</script> & <b>")
    '&lt;/script&gt; &amp; &lt;b&gt;'
    >>> escaped(Html("<b>2</b>"))
    '<b>2</b>'
    """
    if isinstance(content, Html):
        return content
    return Html(html.escaped(UNFIT.sub("\ufffd", str(content))))


def join(parts: Any, between: str = "") -> Html:
    """Return parts one after the other, each escaped unless it is HTML.

    Examples
    --------
    >>> join(["a < b", Html("<br>")], ", ")
    'a &lt; b, <br>'
    """
    return Html(escaped(between).join(escaped(part) for part in parts))


def tag(name: str, /, *content: object, **attributes: object) -> Html:
    """Return an element; None and False leave an attribute out, True is one without a value.

    In the names of attributes, ``_`` stands for ``-``, and is left out at the end.

    Examples
    --------
    >>> tag("th", "rye & tea", scope="row", class_="label", hidden=False)
    '<th scope="row" class="label">rye &amp; tea</th>'
    >>> tag("input", type="search", aria_label="find", disabled=True)
    '<input type="search" aria-label="find" disabled>'
    """
    shown = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escaped(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    start = f"<{name}{shown}>"
    return Html(start if name in VOID else f"{start}{join(content)}</{name}>")


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return text that is not too long to be shown.

    Examples
    --------
    >>> shortened("a very long label", 10)
    'a ver…abel'
    """
    return shorten(text, longest)


def label(text: str, element: str = "span", **attributes: object) -> Html:
    """Return a label as an element that reads in the direction of its own script.

    Examples
    --------
    >>> label("muesli"), label(" ")
    ('<span dir="auto">muesli</span>', '<span dir="auto">“ ”</span>')
    """
    seen = shortened(text) if text.strip() else f"“{text}”"
    return tag(element, seen, dir="auto", **attributes)


def json_in_script(value: object) -> str:
    r"""Return JSON that can stand in a ``<script>`` block whatever text it holds.

    Examples
    --------
    >>> json_in_script({"label": "</script>"})
    '{"label":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return IN_SCRIPTS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
