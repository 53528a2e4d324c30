"""The file as a whole: one policy, one style, one script, nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files

from vest_tucker.report.html import tag
from vest_tucker.report.page import Page, write

PAGE = Page(
    "Title & more", "sub", "", [("a", "A")], [tag("section", id="a")], data={"x": "</script>"}
)

# What would make tags of text, or ask for something.
FORBIDDEN = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\("


def test_the_policy_names_the_style_and_the_script() -> None:
    text = write(PAGE).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert "default-src &#x27;none&#x27;" in policy[1]
    for kind, name in (("style", "report.css"), ("script", "report.js")):
        inside = re.search(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        assert inside is not None
        assert inside[1] == files("vest_tucker.report").joinpath("assets", name).read_text("utf-8")
        digest = base64.b64encode(hashlib.sha256(inside[1].encode()).digest()).decode()
        assert f"{kind}-src &#x27;sha256-{digest}&#x27;" in policy[1]
    assert "unsafe" not in policy[1]


def test_nothing_is_fetched() -> None:
    text = write(PAGE).decode()
    assert not re.search(r"(?:src|href)=\"?(?:https?:)?//", text)
    assert "@import" not in text
    assert "url(" not in text
    assert not re.search(FORBIDDEN, text)


def test_data_and_title_are_escaped() -> None:
    text = write(PAGE).decode()
    assert "<title>Title &amp; more</title>" in text
    assert text.count("</script>") == 2


def test_a_page_without_data_has_none() -> None:
    text = write(Page("t", "s", "a\nnote", [], [])).decode()
    assert 'id="data"' not in text.replace('getElementById("data")', "")
    assert 'class="note"' in text
