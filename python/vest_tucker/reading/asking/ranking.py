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

from vest_tucker.base.types import Coords, Flags, Floats
from vest_tucker.model.model import TuckerModel
from vest_tucker.model.offset import Offset
from vest_tucker.model.prediction import averaged_over, mean_row

Amounts = TypeVar("Amounts", bound=NDArray[Any])


@dataclass(frozen=True)
class Ranking:
    """What the scores of labels along a mode are made of, for questions that name ``modes``.

    Attributes
    ----------
    model : TuckerModel
        In which the modes that are neither asked about nor along have one component and one row.
    modes : tuple of int
        The modes asked about.
    core : ndarray
        With the modes asked about in their order, then the mode along.
    items, offsets : ndarray
        The row and the bias of each label along the mode; no offsets without biases.
    """

    model: TuckerModel
    modes: tuple[int, ...]
    core: Floats
    items: Floats
    offsets: Floats

    def queries(self, rows: Coords) -> tuple[Floats, Floats]:
        """Return the vector of each question, and the number that its scores have in common.

        ``rows`` has the row of each mode asked about, -1 for a label that is unknown.
        """
        offset = self.model.offset
        vectors: Floats = self.core[None]
        common = np.full(len(rows), 0.0 if offset is None else offset.mean)
        for mode, at in zip(self.modes, rows.T, strict=True):
            # Not a matrix product: its last bits depend on the number of threads of BLAS.
            vectors = np.einsum("qj,qj...->q...", _rows(self.model, mode, at), vectors)
            if offset is not None and offset.biases:
                common += _biases(self.model, offset, mode, at)
        return np.ascontiguousarray(np.broadcast_to(vectors, (len(rows), vectors.shape[1]))), common


def ranking(model: TuckerModel, modes: tuple[int, ...], along: int) -> Ranking:
    """Prepare the scores of a model in which each mode is asked about, asked along, or averaged."""
    others = [mode for mode in range(model.order) if mode not in (*modes, along)]
    assert all(model.ranks[mode] == 1 for mode in others), "the other modes are averaged over"
    core = np.transpose(model.core, [*modes, along, *others])
    core = np.ascontiguousarray(core.reshape([*(model.ranks[mode] for mode in modes), -1]))
    every = np.arange(model.shape[along])
    offset = model.offset
    biased = offset is not None and bool(offset.biases)
    return Ranking(
        model,
        modes,
        core,
        np.ascontiguousarray(_rows(model, along, every)),
        _biases(model, offset, along, every) if offset is not None and biased else np.empty(0),
    )


def _rows(model: TuckerModel, mode: int, at: NDArray[Any]) -> Floats:
    """Return rows of a factor; unknown ones are those that stand for them in `predict`."""
    rows: Floats = model.factors[mode][at]
    unknown = _are_unknown(model, mode, at)
    if unknown.any():
        rows[unknown] = _stand_in(model, mode)
    return rows


def _biases(model: TuckerModel, offset: Offset, mode: int, at: NDArray[Any]) -> Floats:
    biases: Floats = offset.biases[mode][at]
    biases[_are_unknown(model, mode, at)] = 0.0
    return biases


def _are_unknown(model: TuckerModel, mode: int, at: NDArray[Any]) -> Flags:
    """Mark labels that the model does not have, and rows that had no entry in the fit."""
    unknown: Flags = at < 0
    return unknown if model.row_counts is None else unknown | (model.row_counts[mode][at] == 0)


def _stand_in(model: TuckerModel, mode: int) -> Floats:
    """Return the row that stands for an unknown label in `TuckerModel.predict`."""
    if model.offset is not None and model.offset.biases:
        return np.zeros(model.ranks[mode])
    return _mean_row(model, mode)


def _mean_row(model: TuckerModel, mode: int) -> Floats:
    """Return the row that stands for all labels of a mode together."""
    amounts = model.row_amounts
    counts = None if amounts is None else amounts[mode]
    return mean_row(model.factors[mode], counts, model.constant)


def averaged(model: TuckerModel, modes: Sequence[int]) -> TuckerModel:
    """Return the model with one row, for any label, in place of all rows of some modes.

    The row is the average, weighted by entries, so that predictions are averages too; of models
    with a constant column it is the constant, as for labels that are unknown. Biases of these modes
    are left out: they are about 0 on average, being shrunken towards it.

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
    means, _, offset = averaged_over(
        modes, model.factors, model.row_amounts, model.offset, model.constant
    )
    names = list(model.component_names or [{}] * model.order)  # of old pickles, there are none
    for mode in modes:
        # The mode keeps its place, with the only component that is left of it.
        core = (core * means[mode].reshape(-1, *[1] * (model.order - mode - 1))).sum(
            axis=mode, keepdims=True
        )
        factors[mode] = np.ones((1, 1))
        names[mode] = {}
        labels[mode] = np.array([whatever(model.modes[mode])], dtype=object)
        for amounts in (entries, totals):
            if amounts is not None:
                amounts[mode] = amounts[mode].sum(keepdims=True)
    return TuckerModel(
        core, factors, modes=model.modes, labels=tuple(labels), entries=entries,
        row_totals=totals, offset=offset, constant=model.constant, nnz=model.nnz,
        component_names=tuple(names),
    )  # fmt: skip


def whatever(mode: str) -> str:
    """Return the label of the only row of a mode that was averaged over.

    Examples
    --------
    >>> whatever("hour")
    'any hour'
    """
    return f"any {mode}"


def _copied(amounts: list[Amounts] | None) -> list[Amounts] | None:
    return None if amounts is None else list(amounts)
