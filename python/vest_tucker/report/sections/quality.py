"""How good the model is, beside the mean and biases, and what it would be without its parts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from vest_tucker.report import svg
from vest_tucker.report.html import Html, join, label, tag
from vest_tucker.report.numbers import count, percent, shown, with_unit
from vest_tucker.report.quality import Quality
from vest_tucker.report.sections.effects import address as effects_address
from vest_tucker.report.sections.words import address, group_cell, title
from vest_tucker.report.tables import ModelTables, Table
from vest_tucker.report.tabular import fold, section, table

MOST_ROWS = 12  # parts that are not folded up
MEASURED = (
    "“Lost without it” is by how much the squared error would grow if this part were taken away "
    "and all else stayed, relative to what always predicting the mean leaves: it can be more than "
    "100 %, where other parts lean on this one. Parts that explain the same thing together may add "
    "up to more or less than the whole."
)
UNMEASURED = (
    "What each part adds where all labels are typical of their groups. How much would be lost "
    "without it was not measured."
)


def quality(tables: ModelTables) -> Html:
    """Return the section about errors."""
    measured = list(_errors(tables.quality))
    if not measured:
        return section("quality", "How good it is", tag("p", "No error of this model is known."))
    largest = max(error for _, _, error, _ in measured)
    rows = [
        [what, where, tag("span", svg.bar(error, largest)), shown(error, 4)]
        for what, where, error, _ in measured
    ]
    own = next((k for k, each in enumerate(measured) if each[3]), -1)
    columns = ["what predicts", "measured on", "", "#error"]
    caption = "Relative errors: 0 is perfect, 1 is as bad as always saying zero"
    return section(
        "quality", "How good it is", tag("p", verdict(tables.quality), _in_unit(tables)),
        table(caption, columns, rows, own=own),
    )  # fmt: skip


def _in_unit(tables: ModelTables) -> str:
    """Say how large errors are in the unit of the values, if that was measured."""
    own, mean = tables.typical_errors()
    if not math.isfinite(own):
        return ""
    told = [with_unit(shown(each), tables.unit) for each in (own, mean)]
    return (
        f" On the entries fitted it is typically {told[0]} off (root mean square), where always "
        f"the mean is {told[1]} off."
    )


def verdict(quality: Quality) -> str:
    """Say in a sentence how good a model is."""
    if not quality.is_held_out:
        return (
            f"These are errors on {quality.fitted_to}. On others the model will be less good, and "
            f"by how much was not measured."
        )
    better, n = quality.better, f"{quality.n_held:,} " if quality.n_held else ""
    start = f"On {n}entries that were held out from the fit, the error of the model is "
    if not math.isfinite(better):
        return f"{start}{shown(quality.held, 4)} of the values' size."
    if abs(better) < 0.005:
        return (
            f"{start}no lower than that of {quality.rival}: beyond that, the entries hold nothing "
            f"that it could find."
        )
    word = "lower" if better > 0.0 else "HIGHER"
    return f"{start}{percent(abs(better))} {word} than that of {quality.rival}."


def _errors(quality: Quality) -> Iterator[tuple[str, str, float, bool]]:
    """Yield what predicts, on what, its error, and whether it is the model itself."""
    held = f"{quality.n_held:,} entries held out" if quality.n_held else "entries held out"
    if quality.is_held_out:
        same = quality.baseline == "the mean alone"
        if math.isfinite(quality.held_mean):
            yield "always the mean", held, quality.held_mean, False
        if math.isfinite(quality.held_baseline) and not (same and math.isfinite(quality.held_mean)):
            yield quality.baseline, held, quality.held_baseline, False
        yield "this model", held, quality.held, True
    if math.isfinite(quality.fitted_mean) and not quality.is_held_out:
        yield "always the mean", quality.fitted_to, quality.fitted_mean, False
    if math.isfinite(quality.fitted):
        yield "this model", quality.fitted_to, quality.fitted, not quality.is_held_out


def quality_table(tables: ModelTables) -> Table:
    """Return the errors to download."""
    rows: list[list[object]] = [[*each[:3]] for each in _errors(tables.quality)]
    return Table("errors", "Relative errors", ("what_predicts", "measured_on", "error"), rows)


def importance(tables: ModelTables) -> Html:
    """Return the section about what would be lost without each part."""
    heading = "What matters how much"
    parts = _parts(tables)
    if not parts:
        return section("importance", heading, tag("p", "There is nothing to weigh."))
    measured = tables.model.measured is not None
    heights = [part.share if measured else abs(part.size) for part in parts]
    largest = max(*heights, 1e-300)
    rows: list[list[object]] = [
        [
            part.title, tag("span", svg.bar(height, largest)),
            *([percent(part.share), shown(part.error_without, 4)] if measured else []),
            with_unit(shown(part.size), tables.unit),
        ]
        for part, height in zip(parts, heights, strict=True)
    ]  # fmt: skip
    columns = [
        "part",
        "",
        *(["#lost without it", "#error without it"] if measured else []),
        "#size",
    ]
    left = tables.n_relations - len(tables.relations)
    some = f"; {count(left, 'weaker relation')} not shown" if left else ""
    return section(
        "importance", heading, tag("p", MEASURED if measured else UNMEASURED),
        table("The parts of the model, the strongest first", columns, rows[:MOST_ROWS]),
        *_weaker(columns, rows[MOST_ROWS:], some), *_whole_groups(tables),
    )  # fmt: skip


def _weaker(columns: list[str], rows: list[list[object]], some: str) -> Iterator[Html]:
    """Yield the rows that are folded up on the screen."""
    if rows:
        yield fold(
            f"{count(len(rows), 'weaker part')}", table(f"Weaker parts{some}", columns, rows)
        )


class Part(NamedTuple):
    """What can be taken away from a model, and what that costs."""

    title: Html
    size: float
    share: float
    error_without: float


def _parts(tables: ModelTables) -> list[Part]:
    """Return effects and relations together, the strongest first."""
    parts = [
        Part(tag("a", label(each.title), href=f"#{effects_address(each)}"), each.spread, each.share,
             each.error_without)
        for each in tables.effects
    ]  # fmt: skip
    for each in tables.relations:
        link = tag("a", title(each), href=f"#{address(each)}")
        told = join([link, tag("div", label(each.title), class_="quiet")])
        parts.append(Part(told, each.size, each.share, each.error_without))
    if tables.model.measured is None:
        return sorted(parts, key=lambda part: -abs(part.size))
    return sorted(parts, key=lambda part: -part.share)


def _whole_groups(tables: ModelTables) -> Iterator[Html]:
    measured = tables.model.measured
    if measured is None:
        return
    rows = sorted(
        (
            (float(measured.share(measured.components[mode][group.component])), group)
            for mode in range(tables.model.order)
            for group in tables.groups(mode)
        ),
        key=lambda each: -each[0],
    )[:20]
    if not rows:
        return
    largest = max(rows[0][0], 1e-300)
    whole = table(
        "What would be lost without all relations of a group",
        ["group", "mode", "", "#lost without it", "#labels"],
        [
            [
                group_cell(group), tag("span", group.mode_name, dir="auto"),
                tag("span", svg.bar(share, largest)),
                percent(share), f"{len(group):,}",
            ]
            for share, group in rows
        ],
    )  # fmt: skip
    yield fold("What would be lost without whole groups", whole)


def importance_table(tables: ModelTables) -> Table:
    """Return all relations to download, the strongest first."""
    reading, measured = tables.reading, tables.model.measured
    modes = tables.model.modes
    rows: list[list[object]] = []
    for at in tables.all_places:
        growth = math.nan if measured is None else float(measured.core[at])
        titles = [tables.model.title(mode, j) for mode, j in enumerate(at)]
        shares = [math.nan, math.nan]
        if measured is not None:
            shares = [float(measured.share(growth)), float(measured.error_without(growth))]
        rows.append(
            [*at, *titles, float(reading.seen.core[at]), float(reading.sizes[at]), growth, *shares]
        )
    columns = (
        *modes,
        *(f"{name}_title" for name in modes),
        "value",
        "size",
        "growth",
        "share",
        "error_without",
    )
    return Table("relations", "All relations, the strongest first", columns, rows)
