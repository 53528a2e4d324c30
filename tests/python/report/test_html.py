"""Escaping: whatever a label holds, it stays text, in elements and in scripts."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import ODD_LABELS
from vest_tucker.report.html import Html, escaped, join, json_in_script, label, shortened, tag


class Seen(HTMLParser):
    """What a browser would see: tags and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])))
def test_text_is_seen_as_it_is_and_makes_no_tag(text: str) -> None:
    seen = Seen(tag("td", text, title=text))
    assert seen.tags == ["td"]
    assert seen.text == text.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd") or any(
        "\ufdd0" <= each <= "\ufdef" for each in text
    )
    assert dict(seen.attributes).keys() == {"title"}


@pytest.mark.parametrize("text", ODD_LABELS)
def test_odd_labels_can_be_written(text: str) -> None:
    written = label(text)
    written.encode("utf-8")
    assert Seen(written).tags == ["span"]
    assert "\x00" not in written


@pytest.mark.parametrize("text", ODD_LABELS)
def test_json_in_a_script_cannot_end_it_and_reads_back(text: str) -> None:
    written = json_in_script([text])
    written.encode("utf-8")
    assert not set("<>&\u2028\u2029") & set(written)
    assert json.loads(written) == [text]


def test_json_has_no_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_in_script(float("nan"))


def test_html_is_not_escaped_twice() -> None:
    inside = tag("b", "&")
    assert tag("p", inside, "&") == "<p><b>&amp;</b>&amp;</p>"
    assert isinstance(join([inside]), Html)
    assert escaped(inside) is inside


def test_attributes() -> None:
    assert tag("input", hidden=True, class_="a", aria_label='"', list=None) == (
        '<input hidden class="a" aria-label="&quot;">'
    )


def test_long_labels_are_cut() -> None:
    assert len(shortened("x" * 1000)) == 160
    assert shortened("x" * 160) == "x" * 160
