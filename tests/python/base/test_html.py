"""HTML for notebooks: nothing that a label says is taken for HTML, colours are the page's."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from vest_tucker.base.html import Raw, paragraph, preformatted, table, whole

HOSTILE = """<script>alert("x")</script><img src=x onerror='y'> & " '"""


class Text(HTMLParser):
    """The text of a page, and the elements that it has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.tags = "", set[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_hostile_text_is_shown_as_it_is() -> None:
    page = whole(
        [table([HOSTILE], [[HOSTILE]], numbers=[0]), paragraph(HOSTILE), preformatted([HOSTILE])]
    )
    shown = Text(page)
    assert shown.text.count(HOSTILE) == 4
    assert shown.tags == {"div", "table", "thead", "tbody", "tr", "th", "td", "p", "pre"}


def test_what_is_html_already_stays() -> None:
    assert "<td" in table(["a"], [[Raw("<b>1</b>")]], numbers=[])
    assert "<b>1</b>" in table(["a"], [[Raw("<b>1</b>")]], numbers=[])


def test_no_colour_is_set_that_a_dark_page_would_swallow() -> None:
    page = whole([table(["a", "b"], [["c", "d"]], numbers=[1]), preformatted(["e"])])
    assert set(re.findall(r"(?<![-\w])color:([^;\"]+)", page)) == {"inherit"}
    assert set(re.findall(r"background:([^;\"]+)", page)) == {"transparent"}
