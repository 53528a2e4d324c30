"""Predictions along one mode as products of two vectors: one of the question, one of the row.

A Tucker sum is linear in the row of each mode. Contracted with the rows that a question names, the
core becomes a vector with one element per component of the mode that is asked along; times the row
of a label of this mode, it is that label's prediction. What the offset adds is a number for each
question and one for each label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Coords, Floats
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.offset import Offset
from vest_tucker.model.prediction import average_row

Amounts = TypeVar("Amounts", bound=NDArray[Any])


@dataclass(frozen=True)
class Ranking:
    """What the scores of labels along a mode are made of, for questions that name ``modes``.

    Attributes
    ----------
    core : ndarray
        With the modes asked about in their order, then the mode along; others are averaged over.
    factors : list of ndarray
        Of the modes asked about. The last row stands for unknown labels.
    biases : list of ndarray
        Of the modes asked about, the last element for unknown labels; empty without biases.
    mean : float
    items, offsets : ndarray
        The row and the bias of each label along the mode; no offsets without biases.
    """

    core: Floats
    factors: list[Floats]
    biases: list[Floats]
    mean: float
    items: Floats
    offsets: Floats

    def queries(self, rows: Coords) -> tuple[Floats, Floats]:
        """Return the vector of each question, and the number that its scores have in common.

        ``rows`` has the row of each mode asked about, -1 for a label that is unknown.
        """
        vectors: Floats = self.core[None]
        common = np.full(len(rows), self.mean)
        for column, factor in enumerate(self.factors):
            at = rows[:, column]
            # Not a matrix product: its last bits depend on the number of threads of BLAS.
            vectors = np.einsum("qj,qj...->q...", factor[at], vectors)
            if self.biases:
                common += self.biases[column][at]
        return np.ascontiguousarray(np.broadcast_to(vectors, (len(rows), vectors.shape[1]))), common


def ranking(model: TuckerModel, modes: Sequence[int], along: int) -> Ranking:
    """Prepare the scores of a model in which each mode is asked about, asked along, or averaged."""
    others = [mode for mode in range(model.order) if mode not in (*modes, along)]
    assert all(model.ranks[mode] == 1 for mode in others), "the other modes are averaged over"
    core = np.transpose(model.core, [*modes, along, *others])
    core = np.ascontiguousarray(core.reshape([*(model.ranks[mode] for mode in modes), -1]))
    biased = model.offset is not None and bool(model.offset.biases)
    return Ranking(
        core,
        [np.vstack([_known(model, mode), _stand_in(model, mode)]) for mode in modes],
        [np.append(_known_biases(model, mode), 0.0) for mode in modes] if biased else [],
        0.0 if model.offset is None else model.offset.mean,
        np.ascontiguousarray(_known(model, along)),
        _known_biases(model, along) if biased else np.empty(0),
    )


def _known(model: TuckerModel, mode: int) -> Floats:
    """Return a factor in which rows that had no entry in the fit are those of an unknown label."""
    factor = model.factors[mode]
    if model.row_counts is None or model.row_counts[mode].all():
        return factor
    empty = model.row_counts[mode] == 0
    return np.where(empty[:, None], _stand_in(model, mode), factor)


def _known_biases(model: TuckerModel, mode: int) -> Floats:
    """Return the biases of a mode; rows that had no entry in the fit have none."""
    assert model.offset is not None
    biases = model.offset.biases[mode]
    return biases if model.row_counts is None else np.where(model.row_counts[mode], biases, 0.0)


def _stand_in(model: TuckerModel, mode: int) -> Floats:
    """Return the row that stands for an unknown label in `TuckerModel.predict`."""
    if model.offset is not None and model.offset.biases:
        return np.zeros(model.ranks[mode])
    return _mean_row(model, mode)


def _mean_row(model: TuckerModel, mode: int) -> Floats:
    """Return the row that stands for all labels of a mode together."""
    if model.constant:
        first: Floats = np.eye(1, model.ranks[mode])[0]
        return first
    amounts = model.row_amounts
    return average_row(model.factors[mode], None if amounts is None else amounts[mode])


def averaged(model: TuckerModel, modes: Sequence[int]) -> TuckerModel:
    """Return the model with one row, for any label, in place of all rows of some modes.

    The row is the average, weighted by entries, so that predictions are averages too; of models
    with a constant column it is the constant, as for labels that are unknown. Biases of these modes
    are left out: they are 0 on average.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> model = vt.TuckerModel([[2.0]], [[[1.0], [3.0]], [[1.0], [0.5]]], modes=("who", "what"))
    >>> averaged(model, [0]).predict([("any who", 0)]), model.predict([[0, 0], [1, 0]])
    (array([4.]), array([2., 6.]))
    """
    if not modes:
        return model
    core, factors, labels = model.core, list(model.factors), list(model.labels)
    entries, totals = _copied(model.entries), _copied(model.row_totals)
    offset = model.offset
    biases = [] if offset is None else list(offset.biases)
    for mode in modes:
        # The mode keeps its place, with the only component that is left of it.
        core = (core * _mean_row(model, mode).reshape(-1, *[1] * (model.order - mode - 1))).sum(
            axis=mode, keepdims=True
        )
        factors[mode] = np.ones((1, 1))
        labels[mode] = np.array([f"any {model.modes[mode]}"], dtype=object)
        for amounts in (entries, totals):
            if amounts is not None:
                amounts[mode] = amounts[mode].sum(keepdims=True)
        if biases:
            biases[mode] = np.zeros(1)
    if offset is not None:
        offset = Offset(offset.kind, offset.mean, tuple(biases))
    return TuckerModel(
        core, factors, modes=model.modes, labels=tuple(labels), entries=entries,
        row_totals=totals, offset=offset, constant=model.constant, nnz=model.nnz,
    )  # fmt: skip


def _copied(amounts: list[Amounts] | None) -> list[Amounts] | None:
    return None if amounts is None else list(amounts)
