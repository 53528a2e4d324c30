"""Tables as HTML: captions, headers, numbers, rows that stand out."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from vest_tucker.report.html import label
from vest_tucker.report.tabular import fold, section, table


def test_a_table_can_be_followed() -> None:
    rows = [[label("tea"), "1"], ["rye", "2"]]
    whole = ET.fromstring(table("Dishes", ["dish", "#n"], rows, own=1))[0]
    assert whole[0].text == "Dishes"
    assert [each.get("scope") for each in whole.iter("th")] == ["col", "col", "row", "row"]
    assert [each.get("class") for each in whole.iter("tr")] == [None, None, "own"]
    assert [each.get("data-label") for each in whole.iter("td")] == ["n", "n"]


def test_a_section_is_called_by_its_heading() -> None:
    root = ET.fromstring(section("made", "How", "x"))
    assert root.get("aria-labelledby") == root[0].get("id")


def test_a_fold_is_open_where_no_script_runs() -> None:
    assert " open " in fold("more", "x").replace(">", " ")
