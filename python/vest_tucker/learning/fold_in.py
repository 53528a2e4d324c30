"""New rows for a model without refitting it: `TuckerModel.fold_in`.

The core, the other factors and all old rows stay. Each new row first gets its bias, and then the
values of least loss: those at which the paper's row update ends when it is repeated. Its sums over
the entries are made once, for they do not depend on the row.
"""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np

from vest_tucker.base import checks
from vest_tucker.base.errors import LabelError, UnseenLabelsWarning
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.types import Coords, Floats
from vest_tucker.data.labels import show, show_some
from vest_tucker.data.per_row import entries_per_row, sum_per_row
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.learning import kinds
from vest_tucker.learning.arrivals import Arrivals
from vest_tucker.learning.learner import Learner, grown_totals, measured, with_rows
from vest_tucker.learning.new_entries import InFrame, entries_of
from vest_tucker.model.model import TuckerModel


def fold_in(
    model: TuckerModel,
    mode: str | int,
    given: Any,
    *,
    read: InFrame = InFrame(),  # noqa: B008  # which cannot be changed
    nonnegative: bool | None = None,
    threads: int = 0,
) -> TuckerModel:
    """Return the model with the rows of one mode that the entries have and it has not."""
    began = time.perf_counter()
    number = model._named.number(mode)
    X = entries_of(given, model.mode_labels, read, "fold_in")
    met = kinds.arrived(model, X, "fold_in")
    _require_new(model, met, number)
    dim, more = model.shape[number], [1] * model.order
    more[number] = met.shape[number] - dim
    factors, offset = with_rows(model, more)
    remembered = [np.full(len(factor), np.inf) for factor in factors]
    remembered[number][dim:] = 0.0
    coords = _with_stand_ins(model, met, number)
    learner = kinds.learner_of(model, factors, offset, coords, X, remembered, threads)
    rank = model.ranks[number]
    penalty = kinds.penalties_by_loss(model, nonnegative)[number]
    learner.learn(number, np.zeros((rank, rank)), penalty, new=True)

    folded = _with_new_rows(model, met, number, learner, X)
    return measured(folded, met, X, began=began, threads=threads)


def _with_new_rows(
    model: TuckerModel, met: Arrivals, number: int, learner: Learner, X: SparseTensor
) -> TuckerModel:
    """Return the model with what was learned of one mode behind its rows, and all else shared."""
    dim = model.shape[number]
    shape = tuple(met.shape[n] if n == number else model.shape[n] for n in range(model.order))
    rows = learner.factors[number]
    counts = entries_per_row(learner.coords, [len(factor) for factor in learner.factors])
    none = counts[number][dim:] == 0  # no entry has these
    rows[dim:][none] = kinds.stand_in_for_none(model, number)
    labels = tuple(met.labels[n] if n == number else own for n, own in enumerate(model.labels))
    return dataclasses.replace(
        model,
        factors=[rows if n == number else own for n, own in enumerate(model.factors)],
        labels=labels,
        entries=model.entries
        and [
            np.append(own, counts[n][dim:]) if n == number else own
            for n, own in enumerate(model.entries)
        ],
        row_totals=_totals(model, shape, number, learner, X),
        offset=learner.baseline(shape),
        nnz=model.nnz + X.nnz,
        stopped="folded in",
        **kinds.variances_after(model, learner, number),
    )


def _totals(
    model: TuckerModel, shape: tuple[int, ...], number: int, learner: Learner, X: SparseTensor
) -> list[Floats] | None:
    """Return the summed weights of the rows, which grow as their numbers of entries do."""
    added = [np.zeros(dim) for dim in shape]
    new = slice(model.shape[number], None)
    added[number][new] = sum_per_row(learner.coords[:, number], X.weights, shape[number])[new]
    return grown_totals(model, X, shape, added)


def _require_new(model: TuckerModel, met: Arrivals, mode: int) -> None:
    """Raise if the model has one of the rows already."""
    known = met.coords[:, mode] < model.shape[mode]
    if known.any():
        entry = int(np.argmax(known))
        labels = model._named.decode(mode, np.unique(met.coords[known, mode]))
        raise LabelError(
            f"entry {entry} has {show(model._named.decode(mode, met.coords[entry, mode]))} in mode "
            f"{model.modes[mode]!r}, a row that the model has already ({show_some(labels)}); "
            f"fold_in adds new rows: update takes entries of both"
        )


def _with_stand_ins(model: TuckerModel, met: Arrivals, mode: int) -> Coords:
    """Return coordinates in which the row behind the last stands for what the model does not know.

    As in predictions, the model does not know a row that had no entry in its fit either.
    """
    coords = met.coords.copy()
    unknown = np.zeros(coords.shape, dtype=bool)
    for other, dim in enumerate(model.shape):
        if other != mode:
            unknown[:, other] = coords[:, other] >= dim
            coords[:, other] = np.minimum(coords[:, other], dim)
            if model.entries is not None:
                unknown[:, other] |= np.append(model.entries[other], 0)[coords[:, other]] == 0
            coords[unknown[:, other], other] = dim
    rows = np.flatnonzero(unknown.any(axis=1))
    if rows.size:
        where = int(np.flatnonzero(unknown[rows[0]])[0])
        at = met.coords[rows[0], where]
        all_labels = met.labels[where]
        label = show(at if all_labels is None else all_labels[at])
        biased = model.offset is not None and model.offset.biases
        how = "say something of biases only" if biased else "count with the average row for it"
        warn(
            f"{len(rows):,} of {len(coords):,} entries have a label that the model does not know, "
            f"the first of them {label} in mode {model.modes[where]!r}; they {how}, as in "
            f"predictions (update takes in new labels of all modes)",
            UnseenLabelsWarning,
        )
    return checks.coordinates(coords)
