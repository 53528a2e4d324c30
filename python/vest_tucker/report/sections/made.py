"""How the model was made, and every table as a file to download."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import vest_tucker._core as core
from vest_tucker.report import csv
from vest_tucker.report.data import Contents
from vest_tucker.report.html import Html, join, shortened, tag
from vest_tucker.report.numbers import shown
from vest_tucker.report.sections.observed import observed_table
from vest_tucker.report.sections.quality import importance_table, quality_table
from vest_tucker.report.tables import ModelTables
from vest_tucker.report.tabular import section


def made(tables: ModelTables, contents: Contents) -> Html:
    """Return the section about settings, versions and data, with the downloads."""
    rows = [fact(name, value) for name, value in _facts(tables)]
    return section(
        "made", "How it was made", tag("dl", *rows, class_="made"),
        tag("div", tag("h3", "Tables to download"), _downloads(tables, contents),
            class_="downloads-part"),
    )  # fmt: skip


def fact(name: str, value: object) -> Html:
    """Return one fact: its name, and its value as text.

    Examples
    --------
    >>> fact("seed", 7)
    '<dt>seed</dt><dd>7</dd>'
    """
    return join([tag("dt", name), tag("dd", shortened(str(value), 1000))])


def _facts(tables: ModelTables) -> Iterator[tuple[str, object]]:
    model, known = tables.model, tables.model.made or {}
    shape = " × ".join(f"{dim:,}" for dim in model.shape)
    yield (
        "model",
        f"sparse Tucker model of {shape} cells, ranks {' × '.join(map(str, model.ranks))}",
    )
    if model.chosen:
        yield "structure", model.chosen
    if model.penalty:
        yield "penalty", model.penalty
    if math.isfinite(model.lam):
        yield "penalty", shown(model.lam)
    if model.nnz:
        yield "fitted to", f"{model.nnz:,} entries"
    if model.n_iter:
        yield "iterations", f"{model.n_iter:,}"
    for name in sorted(known):
        value = known[name]
        if isinstance(value, Mapping):
            for key in value:
                yield f"{name}: {key}", _plain(value[key])
        elif value not in (None, (), [], ""):
            yield name.replace("_", " "), _plain(value)
    yield (
        "this page",
        f"written by vest-tucker {core.__version__}; nothing in it is fetched from anywhere",
    )


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)


def _downloads(tables: ModelTables, contents: Contents) -> Html:
    links, linked = [], set()
    for each in (observed_table(tables), quality_table(tables), importance_table(tables)):
        if csv.is_short(each):
            linked.add(each.name)
            text = tag("span", f" {each.caption.lower()}", class_="quiet")
            links.append(tag("li", csv.link(each), text))
    links += [
        tag("li",
            tag("button", file, type="button", class_="plain", data_table=what, data_file=file),
            tag("span", f" {caption}", class_="quiet"), class_="script-only", hidden=True)
        for file, what, caption in _written_by_script(tables, contents)
        if what != "core" or "relations" not in linked
    ]  # fmt: skip
    more = tag(
        "p", "The weights of single labels are written by the page's script, which does not run "
        "here.", class_="quiet without-script",
    )  # fmt: skip
    return tag("div", tag("ul", *links, class_="downloads"), more)


def _written_by_script(tables: ModelTables, contents: Contents) -> Iterator[tuple[str, str, str]]:
    """Yield the files that the script can write: name, what they hold, and that in words."""
    yield "relations.csv", "core", "all relations, the strongest first"
    biased = tables.model.offset is not None and tables.model.offset.biases
    facts = "entries and biases" if biased else "entries"
    for mode, name in enumerate(tables.model.modes):
        stem = "".join(each if each.isalnum() or each in "-_" else "_" for each in name)[:40]
        some = len(contents.rows[mode]) < contents.sizes[mode]
        part = f" of {len(contents.rows[mode]):,} labels" if some else ""
        yield f"weights-{stem}.csv", f"factor {mode}", f"weights{part}, mode {shortened(name, 40)}"
        yield f"labels-{stem}.csv", f"labels {mode}", f"{facts}{part}"
