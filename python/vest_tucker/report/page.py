"""One file of HTML: sections, style and script together, under a policy that forbids all else.

The policy is in the page itself: nothing is loaded from anywhere, and of scripts and styles only
those run whose hashes it names. A label that tried to be a script would not run even if it were
not escaped.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from vest_tucker.report.html import Html, join, json_in_script, tag


@dataclass(frozen=True)
class Page:
    """What a page shows: a title, a line below it, a note of its author, and sections.

    ``links`` are the names and titles of the sections, for the line of links on top; ``data`` is
    what the script reads, None if there is nothing to search.
    """

    title: str
    subtitle: str
    note: str
    links: Sequence[tuple[str, str]]
    sections: Sequence[Html]
    data: dict[str, Any] | None = None
    foot: str = ""


def write(page: Page) -> bytes:
    """Return the file."""
    style, script = _asset("report.css"), _asset("report.js")
    stored = "" if page.data is None else json_in_script(page.data)
    data = (
        Html("")
        if page.data is None
        else Html(f'<script type="application/json" id="data">{stored}</script>\n')
    )
    head = join([
        tag("meta", charset="utf-8"), "\n",
        tag("meta", http_equiv="Content-Security-Policy", content=policy(style, script)), "\n",
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"), "\n",
        tag("meta", name="color-scheme", content="light dark"), "\n",
        tag("meta", name="referrer", content="no-referrer"), "\n",
        tag("title", page.title), "\n",
        Html(f"<style>{style}</style>"), "\n",
    ])  # fmt: skip
    body = join([
        tag("a", "Skip to the content", href="#content", class_="skip"), "\n",
        _header(page), "\n", _navigation(page.links), "\n",
        tag("main", join(page.sections, "\n"), class_="wide", id="content"), "\n",
        tag("footer", tag("p", page.foot), class_="wide"), "\n",
        tag("p", id="status", role="status", class_="hidden-text"), "\n",
        data, Html(f"<script>{script}</script>"), "\n",
    ])  # fmt: skip
    html = f'<html lang="en">\n<head>\n{head}</head>\n<body>\n{body}</body>\n</html>\n'
    return f"<!DOCTYPE html>\n{html}".encode()


def _header(page: Page) -> Html:
    note = tag("p", page.note, class_="note", dir="auto") if page.note else ""
    return tag(
        "header", tag("h1", page.title, dir="auto"), tag("p", page.subtitle, class_="quiet"), note,
        class_="wide",
    )  # fmt: skip


def _navigation(links: Sequence[tuple[str, str]]) -> Html:
    switch = tag(
        "button", "◐", type="button", id="theme", class_="script-only", hidden=True,
        aria_label="Switch between light and dark",
    )  # fmt: skip
    inside = tag(
        "div", *(tag("a", text, href=f"#{name}") for name, text in links), switch, class_="wide"
    )
    return tag("nav", inside, class_="top", aria_label="Sections")


def policy(style: str, script: str) -> str:
    """Return the policy of a page with this style and this script."""
    return "; ".join([
        "default-src 'none'", f"script-src '{_hash(script)}'", f"style-src '{_hash(style)}'",
        "base-uri 'none'", "form-action 'none'",
    ])  # fmt: skip


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@functools.cache
def _asset(name: str) -> str:
    """Return a file of the package that goes into every page."""
    text = files("vest_tucker.report").joinpath("assets", name).read_text("utf-8")
    assert "</" not in text.replace("</table>", "x"), f"{name} would end its own element"
    return text
