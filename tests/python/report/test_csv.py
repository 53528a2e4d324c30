"""CSV that reads back, and that no spreadsheet runs."""

from __future__ import annotations

import csv as standard
import io
import math
import sys
from urllib.parse import unquote

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import ODD_LABELS
from vest_tucker.report import csv
from vest_tucker.report.tables import Table

# Python 3.10 writes a NUL, but refuses to read one.
UNREADABLE = "\x00" if sys.version_info < (3, 11) else ""
TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters=UNREADABLE))


@given(st.lists(st.tuples(TEXTS, st.floats())))
def test_tables_read_back(rows: list[tuple[str, float]]) -> None:
    text = csv.table(["label", "value"], rows)
    read = list(standard.reader(io.StringIO(text, newline="")))
    assert read[0] == ["label", "value"]
    for (label, value), (got, number) in zip(rows, read[1:], strict=True):
        marked = label.lstrip(" ").startswith(csv.DANGEROUS)
        assert got == (f"'{label}" if marked else label) or "\x00" in label
        assert math.isnan(value) if number == "" else float(number) == value


@pytest.mark.parametrize("label", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "  =1", "＝1"])
def test_formulas_become_text(label: str) -> None:
    assert csv.cell(label).lstrip('"').startswith("'")


@pytest.mark.parametrize("number", [-1.5, 3, -2, 1e-300])
def test_numbers_stay_numbers(number: float) -> None:
    assert float(csv.cell(number)) == number


def test_numbers_of_numpy_are_numbers() -> None:
    given = (np.float64(1.5), np.float32(-0.5), np.int64(-5), np.float64("nan"), np.bool_(True))
    assert [csv.cell(number) for number in given] == ["1.5", "-0.5", "-5", "", "True"]


def test_a_link_holds_the_table() -> None:
    table = Table("odd", "Odd labels", ("label",), [[label] for label in ODD_LABELS])
    link = csv.link(table)
    assert 'download="odd.csv"' in link
    address = link.split('href="')[1].split('"')[0]
    assert "<" not in address
    content = unquote(address.partition(",")[2].replace("&#x27;", "'"))
    assert content.startswith(csv.BOM + "label\r\n")
    assert "'=1+1" in content


def test_a_long_table_is_cut_and_says_so() -> None:
    table = Table("long", "Long", ("label",), [["x" * 100] for _ in range(2000)])
    assert not csv.is_short(table)
    link = csv.link(table)
    assert "of 2,000 rows" in link
    assert len(link) < 1.2 * csv.LONGEST


def test_names_longer_than_a_link_end_it() -> None:
    table = Table("wide", "Wide", ("x" * (csv.LONGEST + 1),), [["tea"], ["rye"]])
    assert "(0 of 2 rows)" in csv.link(table)
