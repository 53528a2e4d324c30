"""The numbers of a model for the script of a page: non-zeros of core and factors, and labels.

Values are those of the oriented view with all their bits, and a cell is explained from them alone.
What does not fit into the budget is left out, rows with few entries first, and `Contents` says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Floats
from vest_tucker.model.prediction import average_rows, takes_average
from vest_tucker.reading.captions import usual_entries
from vest_tucker.report.budget import rows_that_fit
from vest_tucker.report.html import shortened
from vest_tucker.report.packed import index_kind, packed, sparse_rows
from vest_tucker.report.tables import ModelTables, few_labels, short_title, texts

BASE64 = 4 / 3  # characters for a byte
PER_ROW = 8.0  # bytes of a row in packed arrays: where it begins, and its entries
PER_VALUE = 8.0
MOST = (1 << 32) - 1  # entries of a row that are counted


@dataclass(frozen=True, eq=False)
class Contents:
    """What of a model is in a page: the rows of each mode, and whether all relations are."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    rows: list[NDArray[np.intp]]
    n_relations: int
    explains: bool
    errors: bool


def contents_within(tables: ModelTables, budget: float) -> Contents:
    """Choose what of a model fits into a number of bytes.

    Relations come first, for without all of them no cell can be explained; then rows; standard
    errors only if everything else fits.
    """
    model = tables.model
    n_places = len(tables.all_places) + (1 if model.constant else 0)
    each = BASE64 * (model.order * 2 + 20)
    n_relations = min(n_places, int(0.5 * budget / each))
    left = budget - each * n_relations
    costs = [_row_costs(tables, mode) for mode in range(model.order)]
    errors = model.factor_variances is not None
    if errors:
        more = sum(BASE64 * 4.0 * np.count_nonzero(factor) for factor in model.factors)
        errors = sum(float(own.sum()) for own in costs) + more <= left
    amounts = model.row_amounts
    weights = [
        np.zeros(dim) if amounts is None else np.asarray(amounts[mode], dtype=np.float64)
        for mode, dim in enumerate(model.shape)
    ]
    if amounts is None:
        weights = [np.count_nonzero(factor, axis=1).astype(np.float64) for factor in model.factors]
    rows = (
        [np.arange(dim) for dim in model.shape] if errors else rows_that_fit(costs, weights, left)
    )
    explains = n_relations == n_places and all(len(own) for own in rows)
    return Contents(model.modes, model.shape, rows, n_relations, explains, errors)


def _row_costs(tables: ModelTables, mode: int) -> Floats:
    """Return how many bytes each row of a mode takes in the page."""
    model = tables.model
    factor = model.factors[mode]
    fixed = PER_ROW + (0.0 if model.offset is None or not model.offset.biases else PER_VALUE)
    fixed += 4.0 if tables.modes[mode].places is not None else 0.0
    width = np.dtype(index_kind(factor.shape[1])).itemsize
    costs: Floats = BASE64 * (fixed + (PER_VALUE + width) * np.count_nonzero(factor, axis=1))
    if model.labels[mode] is not None:
        costs += [
            len(text.encode("utf-8", "replace")) + 3.0 for text in texts(tables.modes[mode].labels)
        ]
    else:
        costs += BASE64 * 4.0
    return costs


def script_data(tables: ModelTables, contents: Contents) -> dict[str, Any]:
    """Return what the script reads, ready for JSON."""
    model, offset = tables.model, tables.model.offset
    cell = [
        min(int(np.searchsorted(rows, row)), max(len(rows) - 1, 0))
        for rows, row in zip(contents.rows, tables.cell, strict=True)
    ]
    return {
        "constant": model.constant,
        "mean": None if offset is None else offset.mean,
        "biased": offset is not None and bool(offset.biases),
        "scatter": tables.scatter(),
        "unit": tables.unit,
        "explains": contents.explains,
        "cell": cell,
        "core": _core_data(tables, contents.n_relations),
        "modes": [_mode_data(tables, contents, mode) for mode in range(model.order)],
    }


def _core_data(tables: ModelTables, n: int) -> dict[str, Any]:
    """Return the relations, the strongest first; before them the mean of a constant model.

    After them come core elements that add next to nothing, without which no sum would be exact.
    """
    model, reading = tables.model, tables.reading
    places = [(0,) * model.order] if model.constant else []
    places = [*places, *tables.all_places][:n]
    at = np.array(places, dtype=np.int64).reshape(-1, model.order)
    where = tuple(at.T)
    kind = index_kind(max(model.ranks))
    shares = None
    if model.measured is not None:
        shares = packed(model.measured.share(model.measured.core[where]), "f4")
    return {
        "at": packed(at, kind), "kind": kind, "values": packed(reading.seen.core[where], "f8"),
        "sizes": packed(reading.sizes[where], "f8"), "shares": shares,
        "told": len(places) - max(0, len(places) - len(reading.places) - model.constant),
    }  # fmt: skip


def _mode_data(tables: ModelTables, contents: Contents, mode: int) -> dict[str, Any]:
    model, facts, rows = tables.model, tables.modes[mode], contents.rows[mode]
    whole = len(rows) == facts.size
    variance = model.factor_variances[mode] if contents.errors and model.factor_variances else None
    biases = None if model.offset is None or not model.offset.biases else model.offset.biases[mode]
    measured = model.measured
    return {
        "name": model.modes[mode],
        "size": facts.size,
        "labels": None if model.labels[mode] is None else texts(facts.labels[rows]),
        "rows": None if whole else packed(rows, "u4"),
        "counts": None if facts.counts is None else packed(facts.counts[rows].clip(max=MOST), "u4"),
        "places": None if facts.places is None else packed(facts.places[rows], "u4"),
        "biases": None if biases is None else packed(biases[rows], "f8"),
        "stand_in": _stand_in(tables, mode),
        "components": [
            {
                "number": group.component, "title": group.title, "scale": group.scale,
                "n": len(group), "least": float(np.abs(group.weights).min()),
                "usual": usual_entries(group),
                "few": shortened(few_labels(group)), "short": short_title(group),
                "share": None if measured is None
                else float(measured.share(measured.components[mode][group.component])),
            }
            for group in tables.groups(mode)
        ],
        **sparse_rows(tables.reading.seen.factors[mode], rows, variance),
    }  # fmt: skip


def _stand_in(tables: ModelTables, mode: int) -> list[float] | None:
    """Return the row that stands for a label without entries; None if that adds nothing."""
    model = tables.model
    if not takes_average("mean", model.offset):
        return None
    unknown = np.zeros((1, model.order), dtype=bool)
    unknown[0, mode] = True
    factors = tables.reading.seen.factors
    stands = average_rows(factors, model.row_amounts, unknown, constant=model.constant)
    return [float(weight) for weight in stands[mode]]
