"""What was observed: the modes, their labels, and how many entries each label had."""

from __future__ import annotations

import math

import numpy as np

from vest_tucker.report import svg
from vest_tucker.report.html import Html, join, label, shortened, tag
from vest_tucker.report.numbers import count, percent, plain, with_unit
from vest_tucker.report.tables import ModeFacts, ModelTables, Table
from vest_tucker.report.tabular import section, table

MOST_COLUMNS = 60  # of a strip; longer modes show labels in ranks of equal size


def observed(tables: ModelTables) -> Html:
    """Return the section about the data."""
    rows = [
        [
            tag("b", facts.name, dir="auto"), f"{facts.size:,}",
            join((label(shortened(text, 40)) for text in facts.examples()), ", "),
            *_spread(facts),
        ]
        for facts in tables.modes
    ]  # fmt: skip
    columns = [
        "mode",
        "#labels",
        "with the most entries",
        "#fewest",
        "#median",
        "#most entries",
        "entries of each",
    ]
    caption = "The modes, and how many entries their labels have"
    return section(
        "observed", "What was observed", *_sentences(tables), table(caption, columns, rows)
    )


def _sentences(tables: ModelTables) -> list[Html]:
    model = tables.model
    cells = math.prod(model.shape)
    shape = " × ".join(f"{dim:,}" for dim in model.shape)
    if not model.nnz:
        return [tag("p", f"A table of {shape} cells. How many of them were observed is not known.")]
    told = f"{count(model.nnz, 'value was', 'values were')} observed in a table of {shape} cells"
    if model.nnz <= cells:
        told += f", {percent(model.nnz / cells)} of them"
        told += ". A cell that was not observed is not zero: it is unknown"
    sentences = [f"{told}."]
    if model.value_range is not None:
        low, high = model.value_range
        sentences.append(f"Values run from {plain(low)} to {with_unit(plain(high), tables.unit)}.")
    if model.row_totals is not None:
        total = float(model.row_totals[0].sum())
        sentences.append(f"Some count for more than others: together they weigh {plain(total)}.")
    unseen = sum(facts.size - facts.n_seen for facts in tables.modes)
    if unseen:
        sentences.append(f"{count(unseen, 'label')} had no entry.")
    return [tag("p", " ".join(sentences))]


def _spread(facts: ModeFacts) -> list[object]:
    if facts.counts is None or not len(facts.counts):
        return ["–", "–", "–", "not known"]
    counts = facts.counts
    figures = [f"{int(each):,}" for each in (counts.min(), np.median(counts), counts.max())]
    return [*figures, _strip(facts)]


def _strip(facts: ModeFacts) -> Html:
    assert facts.counts is not None
    if facts.places is not None and facts.size <= MOST_COLUMNS:
        order = np.argsort(facts.places, kind="stable")
        return svg.strip(facts.counts[order].tolist(), "entries of each label, in order")
    ranked = np.sort(facts.counts)[::-1]
    groups = np.array_split(ranked, min(MOST_COLUMNS, len(ranked)))
    title = "entries of each label, the most frequent first"
    return svg.strip([float(each.mean()) for each in groups], title)


def observed_table(tables: ModelTables) -> Table:
    """Return the same to download."""
    rows: list[list[object]] = []
    for facts in tables.modes:
        counts = facts.counts
        spread: list[object] = [None, None, None]
        if counts is not None and len(counts):
            spread = [int(counts.min()), float(np.median(counts)), int(counts.max())]
        rows.append([facts.name, facts.size, facts.n_seen, *spread])
    columns = ("mode", "labels", "labels_seen", "fewest_entries", "median_entries", "most_entries")
    return Table("observed", "What was observed", columns, rows)
