"""What docstrings say about parameters, entry by entry."""

from __future__ import annotations

import inspect

import vest_tucker as vt
from vest_tucker.base.docstrings import documented, section, summary


def test_every_parameter_of_fit_is_found_in_order() -> None:
    found = [name for each in documented(vt.fit) for name in each.names]
    assert found == list(inspect.signature(vt.fit).parameters)


def test_an_entry_can_be_written_as_it_was() -> None:
    text = inspect.getdoc(vt.fit) or ""
    assert "\n".join(map(str, documented(vt.fit))) == section(text, "Parameters")


def test_a_list_inside_of_a_description_belongs_to_it() -> None:
    by_name = {each.names[0]: each for each in documented(vt.read)}
    assert "- ``.npz``: as `write` wrote it" in by_name["format"].text
    assert by_name["index_base"].kind == "{0, 1}, optional"


def test_a_function_without_parameters_has_none() -> None:
    assert list(documented(vt.show_config)) == []
    assert section("One line.", "Parameters") == ""


def test_the_summary_is_one_line() -> None:
    assert summary(vt.read) == "Read a tensor from a file."
    assert summary(lambda: None) == ""
