"""What a report says of a path: the curve, the knee and the stops, before the best model."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

from vest_tucker.report.csv import link
from vest_tucker.report.curve import Curves, Line
from vest_tucker.report.html import Html, tag
from vest_tucker.report.model_page import Extra
from vest_tucker.report.numbers import percent, shown
from vest_tucker.report.tables import Table
from vest_tucker.report.tabular import section, table
from vest_tucker.studies.path.text import RULES
from vest_tucker.studies.path.text import shown as shown_stops

if TYPE_CHECKING:
    from vest_tucker.studies.path.result import Path


def path_section(path: Path) -> Extra:
    """Return the section about all models of a path."""
    knee = path.steps[path.best_index]
    pruned = (
        f"{percent(knee.share)} of what could be pruned is, and "
        if knee.share != knee.sparsity  # zeros by design, and rows without entries, count apart
        else ""
    )
    text = (
        f"{len(path):,} models were fitted, from {percent(path.steps[0].sparsity)} zeros to "
        f"{percent(path.steps[-1].sparsity)}. This page is about the one at the knee: "
        f"{pruned}{percent(knee.sparsity)} of "
        f"its numbers are zero; {knee.n_parameters:,} are left. It is the {RULES[path.knee]}."
    )
    content = section(
        "path", "How sparse?", tag("p", text), _curve(path), *_ends_early(path), _stops(path),
        tag("p", "All stops: ", link(path_table(path)), class_="downloads-part"),
    )  # fmt: skip
    return Extra("path", "How sparse?", content)


def _curve(path: Path) -> Html:
    lines: list[Line] = [("plus", "the entries fitted", [step.error for step in path.steps])]
    if path.has_validation:
        held = [step.validation_error for step in path.steps]
        lines.append(("minus", "entries held out", held))
    # Far above all errors, the level of the mean would press the curves flat.
    highest = max(each for _, _, heights in lines for each in heights)
    mean = path.baseline_error
    level = ("always the mean", mean) if mean <= 2.0 * highest else None
    sparsity = [step.sparsity for step in path.steps]
    curves = Curves(sparsity, lines, path.best_index, ("share of zeros", "relative error"), level)
    return curves.draw("Relative error over the share of zeros; the dashed line is the knee")


def _ends_early(path: Path) -> Iterator[Html]:
    if path.best_index == len(path) - 1 and len(path) > 1:
        yield tag("p", "The path ends before its knee: a still sparser model may be as good.")


def _stops(path: Path) -> Html:
    numbers = shown_stops(len(path), path.best_index)
    held = ["#held out"] if path.has_validation else []
    columns = ["stop", "#zeros", "#numbers left", "#error", *held]
    rows = []
    for number in numbers:
        step = path.steps[number]
        unseen = [shown(step.validation_error, 4)] if held else []
        mark = f"{number} (the knee)" if number == path.best_index else f"{number}"
        figures = [percent(step.sparsity), f"{step.n_parameters:,}", shown(step.error, 4)]
        rows.append([mark, *figures, *unseen])
    some = "" if len(numbers) == len(path) else f", {len(numbers)} of {len(path):,} shown"
    return table(f"The stops of the path{some}", columns, rows, own=numbers.index(path.best_index))


def path_table(path: Path) -> Table:
    """Return all stops to download."""
    names = tuple(each.name for each in dataclasses.fields(path.steps[0]))
    rows: list[list[object]] = [
        [number, *(getattr(step, name) for name in names)] for number, step in enumerate(path.steps)
    ]
    return Table("path", "All stops of the path", ("stop", *names), rows)
