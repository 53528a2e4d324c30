"""The explanation of a cell: a form that the script answers, and one cell explained in advance."""

from __future__ import annotations

from collections.abc import Iterator

from vest_tucker.report import svg
from vest_tucker.report.data import Contents
from vest_tucker.report.html import Html, label, shortened, tag
from vest_tucker.report.numbers import shown, signed, with_unit
from vest_tucker.report.tables import ModelTables, texts
from vest_tucker.report.tabular import section, table

MOST_TERMS = 15


def cells(tables: ModelTables, contents: Contents) -> Html:
    """Return the section that takes a prediction apart."""
    intro = (
        "A prediction is a sum: a level, and one term for each relation that reaches the cell. "
        "Nothing else is in it, so the terms below are all there is."
    )
    return section(
        "explain", "Why this value?", tag("p", intro), *_form(tables, contents),
        tag("div", *_example(tables), class_="without-script"),
    )  # fmt: skip


def _form(tables: ModelTables, contents: Contents) -> Iterator[Html]:
    if not contents.explains:
        yield tag(
            "p", "The model has too many relations for this file to explain any cell; explain of "
            "the library does.", class_="quiet",
        )  # fmt: skip
        return
    fields = [
        tag("label", shortened(name, 60),
            tag("input", id=f"cell-{mode}", list=f"labels-{mode}", autocomplete="off",
                spellcheck="false", dir="auto"),
            tag("datalist", id=f"labels-{mode}"))
        for mode, name in enumerate(tables.model.modes)
    ]  # fmt: skip
    yield tag(
        "div",
        tag("form", *fields, tag("button", "explain", type="submit"), class_="controls",
            id="cell-form"),
        tag("div", id="cell-shown"), class_="panel script-only", hidden=True,
    )  # fmt: skip


def _example(tables: ModelTables) -> Iterator[Html]:
    """Yield one cell explained: what is read where there is no script."""
    explained = tables.example
    terms = explained.terms
    names = [
        texts(facts.labels[row : row + 1])[0]
        for facts, row in zip(tables.modes, tables.cell, strict=True)
    ]
    where = ", ".join(
        f"{mode} {shortened(name, 60)}"
        for mode, name in zip(tables.model.modes, names, strict=True)
    )
    largest = max((abs(term.value) for term in terms), default=1.0)
    rows: list[list[object]] = [
        [
            label(term.text),
            tag("span", svg.bar(term.value, largest)),
            with_unit(signed(term.value, 4), tables.unit),
        ]
        for term in terms[:MOST_TERMS]
    ]
    rest = terms[MOST_TERMS:]
    if rest:
        total = sum(term.value for term in rest)
        rows.append(
            [f"{len(rest):,} smaller terms together", "", with_unit(signed(total, 4), tables.unit)]
        )
    rows.append(
        [
            "together: the prediction",
            "",
            with_unit(shown(float(explained.totals[0]), 4), tables.unit),
        ]
    )
    yield table(f"For example, {where}", ["term", "", "#adds"], rows, own=len(rows) - 1)
