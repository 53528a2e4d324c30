"""The browser of groups, which the script fills, and its static twin: a table of all groups."""

from __future__ import annotations

from collections.abc import Sequence

from vest_tucker.reading.captions import pole_text
from vest_tucker.report.data import Contents
from vest_tucker.report.html import Html, label, shortened, tag
from vest_tucker.report.numbers import percent
from vest_tucker.report.tables import ModelTables
from vest_tucker.report.tabular import fold, section, table

SORTS = (
    ("weight", "weight, strongest first"), ("relevance", "relevance: what sets it apart"),
    ("order", "the labels' own order"), ("entries", "entries, most first"),
    ("label", "label, A to Z"),
)  # fmt: skip
MOST_GROUPS = 40  # of one mode, in the static tables
LABELS = 6


def groups(tables: ModelTables, contents: Contents) -> Html:
    """Return the section with the browser, and the tables that stand for it on paper."""
    intro = (
        "Every group of every mode, with all of its labels. Choose one, sort it, filter it, and "
        "follow what joins it; or find a label and see where it belongs."
    )
    return section(
        "browse", "Look around", tag("p", intro, class_="script-only", hidden=True),
        _finder(), _browser(tables), tag("p", held(contents), class_="quiet"),
        *(_table(tables, mode) for mode in range(tables.model.order)),
    )  # fmt: skip


def _finder() -> Html:
    field = tag(
        "label", "Find a label, and see where it belongs",
        tag("input", type="search", id="find-label", autocomplete="off", spellcheck="false"),
    )  # fmt: skip
    return tag(
        "div", tag("form", field, class_="controls", role="search", onsubmit=None),
        tag("div", id="labels-found"),
        class_="panel script-only", id="find", hidden=True,
    )  # fmt: skip


def _browser(tables: ModelTables) -> Html:
    modes = [(str(k), shortened(name, 60)) for k, name in enumerate(tables.model.modes)]
    controls = tag(
        "form", _select("pick-mode", "Mode", modes), _select("pick-component", "Group", ()),
        _select("sort-by", "Sort by", SORTS),
        tag("label", "Labels that contain",
            tag("input", type="search", id="filter", autocomplete="off", spellcheck="false")),
        class_="controls",
    )  # fmt: skip
    return tag(
        "div", controls, tag("div", id="group-shown"),
        class_="panel script-only", hidden=True,
    )  # fmt: skip


def _select(name: str, text: str, options: Sequence[tuple[str, str]]) -> Html:
    choices = [tag("option", shown, value=value) for value, shown in options]
    return tag("label", text, tag("select", *choices, id=name))


def held(contents: Contents) -> str:
    """Say which labels are in the page, if the budget of bytes left some out."""
    cut = [
        f"{len(rows):,} of {size:,} labels of {name}"
        for name, rows, size in zip(contents.names, contents.rows, contents.sizes, strict=True)
        if len(rows) < size
    ]
    if not cut:
        return "All labels and all weights that are not zero are in this page."
    return (
        f"To keep this file small, it holds {', '.join(cut)}, those with the most entries. The "
        f"library has the rest: factor_frame writes it out."
    )


def _table(tables: ModelTables, mode: int) -> Html:
    own = tables.groups(mode)
    measured = tables.model.measured
    rows = []
    for group in own[:MOST_GROUPS]:
        share = ""
        if measured is not None:
            share = percent(float(measured.share(measured.components[mode][group.component])))
        for_, against = pole_text(group.positive, LABELS), pole_text(group.negative, LABELS)
        rows.append([
            tag("span", label(group.title), id=f"group-{mode}-{group.component}"),
            label(for_ or "–"), label(against or "–"), f"{len(group):,}", share or "–",
        ])  # fmt: skip
    name = tables.model.modes[mode]
    some = f", {MOST_GROUPS} of {len(own):,} shown" if len(own) > MOST_GROUPS else ""
    columns = [
        "group",
        "labels of positive weight",
        "labels of negative weight",
        "#labels",
        "#lost without it",
    ]
    content = (
        table(f"The groups of {name}{some}", columns, rows)
        if rows
        else tag("p", f"{name} has no groups.", class_="quiet")
    )
    return fold(f"All groups of {name} in one table", content)
