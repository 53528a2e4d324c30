"""The report of a model: tables to sections, sections to one file, written whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vest_tucker.base.options import check_whole
from vest_tucker.base.types import AnyPath
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

BUDGET = 2_000_000  # bytes
LEAST = 100_000
LINKS = (
    ("short", "In short"), ("observed", "Observed"), ("quality", "How good"),
    ("importance", "What matters"), ("effects", "Single labels"), ("relations", "Relations"),
    ("browse", "Look around"), ("explain", "Why this value?"), ("made", "How made"),
)  # fmt: skip


def report_model(
    model: TuckerModel,
    path: AnyPath,
    *,
    title: str | None,
    note: str | None,
    unit: str,
    budget: int,
) -> None:
    """Write the page about a model; see `TuckerModel.report`."""
    written = model_page(model, title=title, note=note, unit=unit, budget=budget)
    with atomic_write(path) as file:
        file.write(written)


def model_page(
    model: TuckerModel, *, title: str | None = None, note: str | None = None, unit: str = "",
    budget: int = BUDGET,
) -> bytes:  # fmt: skip
    """Return the page about a model, of at most ``budget`` bytes."""
    budget = check_whole("budget", budget, at_least=LEAST)
    tables = ModelTables(model, unit)
    fixed = [short(tables), observed(tables), quality(tables), importance(tables)]
    alone = effects(tables)
    fixed += [relations(tables)] if alone is None else [alone, relations(tables)]
    room = budget - sum(len(each.encode("utf-8")) for each in fixed) - FRAME
    while True:
        contents = contents_within(tables, max(room, 0.0))
        written = page.write(_page(tables, contents, fixed, title, note, budget))
        if len(written) <= budget or room <= 0.0:
            return written
        room -= 1.1 * (len(written) - budget)  # estimates are a little low for some labels


FRAME = 80_000.0  # bytes of what is around the sections: style, script, the tables of groups


def _page(
    tables: ModelTables, contents: Contents, fixed: list[Html], title: str | None,
    note: str | None, budget: int,
) -> page.Page:  # fmt: skip
    named = listed(list(tables.model.modes)) if tables.named else "a tensor"
    n = tables.n_relations
    found = f"{count(n, 'relation')} found" if n else "no relations found"
    seen = f"{count(tables.model.nnz, 'value')} observed · " if tables.model.nnz else ""
    return page.Page(
        title=title or f"Groups of {named}",
        subtitle=f"{seen}{found} · a report of vest-tucker",
        note=note or "",
        links=[link for link in LINKS if link[0] != "effects" or tables.effects],
        sections=[
            *fixed,
            groups(tables, contents),
            cells(tables, contents),
            made(tables, contents),
        ],
        data=script_data(tables, contents),
        foot=f"{held(contents)} The limit of this file was set to {budget / 1e6:g} MB.",
    )
