"""The report of a model: tables to sections, sections to one file, written whole or not at all."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from vest_tucker.base.errors import MissingFileError, OptionError
from vest_tucker.base.html import PAGE_BYTES
from vest_tucker.base.options import check_path, check_text, check_whole
from vest_tucker.base.telling.steps import underway
from vest_tucker.base.text_table import shorten_all
from vest_tucker.base.types import AnyPath, Counts
from vest_tucker.io.atomic import atomic_write
from vest_tucker.report import page
from vest_tucker.report.data import Contents, contents_within, script_data
from vest_tucker.report.html import Html
from vest_tucker.report.numbers import count
from vest_tucker.report.sections.cells import cells
from vest_tucker.report.sections.effects import effects
from vest_tucker.report.sections.groups import groups, held
from vest_tucker.report.sections.made import made
from vest_tucker.report.sections.observed import observed
from vest_tucker.report.sections.quality import importance, quality
from vest_tucker.report.sections.relations import relations
from vest_tucker.report.sections.short import short
from vest_tucker.report.sections.words import listed
from vest_tucker.report.tables import ModelTables

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel

SUFFIXES = (".html", ".htm")
LONGEST_NAME = 100  # characters of a mode
FRAME = 80_000.0  # bytes of what is around the sections: style, script, the tables of groups
SHOWN = (30, 12, 4)  # relations that are shown with all their groups, the fewer the less room
LINKS = (
    ("short", "In short"), ("observed", "Observed"), ("quality", "How good"),
    ("importance", "What matters"), ("effects", "Single labels"), ("relations", "Relations"),
    ("browse", "Look around"), ("explain", "Why this value?"), ("made", "How made"),
)  # fmt: skip


class Choices(NamedTuple):
    """What a caller may choose about a page; see `TuckerModel.report`."""

    title: str | None = None
    note: str | None = None
    unit: str = ""
    budget: int = PAGE_BYTES


class Extra(NamedTuple):
    """A section about more than the model: its name, the text of its link, and its content.

    ``returned`` and ``others`` are as of `ModelTables`.
    """

    name: str
    link: str
    content: Html
    returned: Counts | None = None
    others: int = 0


def report_model(
    model: TuckerModel, path: AnyPath, choices: Choices, extra: Sequence[Extra] = ()
) -> None:
    """Write the page about a model; see `TuckerModel.report`."""
    check_page_path(path)
    for name in ("title", "note", "unit"):
        if (text := getattr(choices, name)) is not None:
            check_text(name, text)
    written = model_page(model, choices, extra)
    with atomic_write(path) as file:
        file.write(written)
    underway().say(f"{len(written) / 1e6:.1f} MB")


def check_page_path(path: AnyPath) -> None:
    """Raise if the file is no page, or has no folder, before anything is computed."""
    file = check_path("path", path)
    if file.suffix.lower() not in SUFFIXES:
        raise OptionError(
            f"a report is a page of HTML, but {os.fspath(path)!r} does not end in .html; a browser "
            f"prints the page as PDF"
        )
    if not file.parent.is_dir():
        raise MissingFileError(f"the folder {str(file.parent)!r} does not exist")


def model_page(
    model: TuckerModel, choices: Choices | None = None, extra: Sequence[Extra] = ()
) -> bytes:
    """Return the page about a model, extra sections after the first.

    If the budget is small, fewer relations are shown with all their groups, and fewer labels can be
    searched.
    """
    choices = Choices() if choices is None else choices
    model = with_short_names(model)
    budget = check_whole("budget", choices.budget, at_least=1)
    for n_shown in SHOWN:
        tables = ModelTables(model, choices.unit, n_shown, *_returned(extra))
        underway().say(f"sections, {n_shown} relations with all their groups")
        fixed = _fixed(tables, extra)
        room = budget - sum(len(each.encode("utf-8")) for each in fixed) - FRAME
        if room >= 0.4 * budget:
            break
    while True:
        underway().say("labels to search, as many as fit")
        contents = contents_within(tables, max(room, 0.0))
        written = page.write(_page(tables, contents, fixed, choices, extra))
        if len(written) <= budget:
            return written
        if room <= 0.0:
            raise OptionError(
                f"budget is {budget:,}; the least page of this model has {len(written):,} bytes"
            )
        room -= 1.1 * (len(written) - budget)  # estimates are a little low for some labels


def with_short_names(model: TuckerModel) -> TuckerModel:
    """Return a model whose modes have names that a page can repeat hundreds of times."""
    if max(map(len, model.modes)) <= LONGEST_NAME:
        return model
    return dataclasses.replace(model, modes=tuple(shorten_all(model.modes, LONGEST_NAME)))


def _returned(extra: Sequence[Extra]) -> tuple[Counts | None, int]:
    """Return what sections know of other fits: how often core elements came back, in how many."""
    known = [(each.returned, each.others) for each in extra if each.returned is not None]
    return known[0] if known else (None, 0)


def _fixed(tables: ModelTables, extra: Sequence[Extra]) -> list[Html]:
    """Return the sections that do not depend on how many labels fit."""
    alone = effects(tables)
    return [
        short(tables), *(each.content for each in extra), observed(tables), quality(tables),
        importance(tables), *([] if alone is None else [alone]), relations(tables),
    ]  # fmt: skip


def _page(
    tables: ModelTables, contents: Contents, fixed: list[Html], choices: Choices,
    extra: Sequence[Extra],
) -> page.Page:  # fmt: skip
    named = listed(list(tables.model.modes)) if tables.named else "a tensor"
    n = tables.n_relations
    found = f"{count(n, 'relation')} found" if n else "no relations found"
    seen = f"{count(tables.model.nnz, 'value')} observed · " if tables.model.nnz else ""
    links = [link for link in LINKS if link[0] != "effects" or tables.effects]
    sections = [groups(tables, contents), cells(tables, contents), made(tables, contents)]
    return page.Page(
        title=choices.title or f"Groups of {named}",
        subtitle=f"{seen}{found} · a report of vest-tucker",
        note=choices.note or "",
        links=[links[0], *((each.name, each.link) for each in extra), *links[1:]],
        sections=[*fixed, *sections],
        data=script_data(tables, contents),
        foot=f"{held(contents)} The limit of this file was set to {choices.budget / 1e6:g} MB.",
    )
