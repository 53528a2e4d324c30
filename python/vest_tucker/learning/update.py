"""A model that learns from new entries without the old ones: `TuckerModel.update`.

The core stays. Biases are first, then new rows, then the old rows that have new entries, modes in
turn. Each row minimises the squared error on the new entries plus what it remembers of the old ones
(learner.py).
"""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np

from vest_tucker.base.errors import OptionError
from vest_tucker.data.per_row import entries_per_row, totals_per_row
from vest_tucker.learning import kinds
from vest_tucker.learning.average_outer import average_outer
from vest_tucker.learning.learner import Learner, grown_totals, measured, stand_in, with_rows
from vest_tucker.learning.new_entries import InFrame, entries_of
from vest_tucker.model.model import TuckerModel


def update(
    model: TuckerModel,
    given: Any,
    *,
    read: InFrame = InFrame(),  # noqa: B008  # which cannot be changed
    nonnegative: bool | None = None,
    threads: int = 0,
) -> TuckerModel:
    """Return the model after new entries, of rows that it has and of rows that it has not."""
    began = time.perf_counter()
    X = entries_of(given, model.mode_labels, read, "update")
    met = kinds.arrived(model, X, "update")
    if model.entries is None:
        raise OptionError(
            "update needs to know how many entries the model was fitted to in each row, but its "
            "entries are None; dataclasses.replace(model, entries=[...]) tells it"
        )
    more = [now - before for now, before in zip(met.shape, model.shape, strict=True)]
    counts = [
        np.append(own, np.zeros(n, np.int64)) for own, n in zip(model.entries, more, strict=True)
    ]
    factors, offset = with_rows(model, more)
    added = entries_per_row(met.coords, met.shape)
    for mode, (n, now) in enumerate(zip(counts, added, strict=True)):
        first = (n == 0) & (now > 0)  # new rows, and old ones that had no entry
        factors[mode] = np.where(first[:, None], stand_in(model, mode), factors[mode])
    remembered = [
        np.append(own.astype(np.float64), np.zeros(n))
        for own, n in zip(model.row_amounts or model.entries, more, strict=True)
    ]
    learner = kinds.learner_of(model, factors, offset, met.coords, X, remembered, threads)
    _learn(learner, model, nonnegative)

    for mode, factor in enumerate(learner.factors):
        new = factor[model.shape[mode] :]
        new[added[mode][model.shape[mode] :] == 0] = kinds.stand_in_for_none(model, mode)
    learned = dataclasses.replace(
        model,
        factors=learner.factors,
        labels=met.labels,
        entries=[before + now for before, now in zip(counts, added, strict=True)],
        row_totals=grown_totals(
            model, X, met.shape, totals_per_row(met.coords, met.shape, X.weights)
        ),
        offset=learner.baseline(met.shape),
        nnz=model.nnz + X.nnz,
        stopped="updated",
        **kinds.variances_after(model, learner),
    )
    return measured(learned, met, X, began=began, threads=threads)


def _learn(learner: Learner, model: TuckerModel, nonnegative: bool | None) -> None:
    """Fold the new rows of each mode in, as if there were no others; then the old rows learn.

    Where an entry has new rows in two modes, a stand-in takes the place of the other one, as in
    `fold_in`: fitted to each other, one would grow where the other is small. The old rows learn
    once, modes in turn: swept until they settle, they fit the new entries closer but predict
    entries held out worse.
    """
    amounts = model.row_amounts or []  # `update` has asked for them
    penalties = kinds.penalties_by_loss(model, nonnegative)
    modes = range(model.order)
    averages = [
        average_outer(model.core, model.factors, amounts, mode)
        if model.penalty != "bayes"
        else np.zeros((rank, rank))
        for mode, rank in enumerate(model.ranks)
    ]
    start, folded = learner.factors, []
    for mode in modes:
        learner.factors = list(start)
        learner.learn(mode, averages[mode], penalties[mode], new=True)
        folded.append(learner.factors[mode])
    learner.factors = folded
    for mode in modes:
        learner.learn(mode, averages[mode], penalties[mode], new=False)
