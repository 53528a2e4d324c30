"""Rows of a factor by what they do: which stay dense, and which are alike.

What a row does to predictions is its product with the core and the other factors. Averaged over the
entries of these, the square of that is a quadratic form of the row, with a small matrix: the
unfolded core's Gram matrix in the metric of the other factors' second moments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vest_tucker.base.errors import LabelError
from vest_tucker.base.options import check_whole
from vest_tucker.base.types import Floats
from vest_tucker.data.frames import Backend, make_frame
from vest_tucker.data.label_arrays import label_array
from vest_tucker.data.labels import perhaps, show
from vest_tucker.data.sources.dates import as_times
from vest_tucker.model.frames import free_name
from vest_tucker.reading.orientation import entries_of_rows

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel

SIMILARITY, N_NONZERO, IMPORTANCE, ENTRIES = "similarity", "n_nonzero", "importance", "entries"


def metric(model: TuckerModel, mode: int) -> Floats:
    """Return the matrix M of a mode: a row a adds a M a to the mean square of predictions.

    What a constant column does, it does to all rows: it is left out.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> model = vt.TuckerModel([[2.0, 0.0], [0.0, 1.0]], [[[1.0, 0.0], [0.0, 1.0]]] * 2)
    >>> metric(model, 1).tolist()
    [[2.0, 0.0], [0.0, 0.5]]
    """
    turned = model.core
    for other, factor in enumerate(model.factors):
        if other == mode:
            continue
        weights = entries_of_rows(model, other)
        moments = np.einsum("i,ij,ik->jk", weights, factor, factor, optimize=True) / weights.sum()
        turned = np.moveaxis(np.tensordot(turned, moments, axes=(other, 0)), -1, other)
    rank = model.ranks[mode]
    own, met = (np.moveaxis(each, mode, 0).reshape(rank, -1) for each in (model.core, turned))
    found: Floats = met @ own.T
    if model.constant:
        found[0], found[:, 0] = 0.0, 0.0
    return (found + found.T) / 2.0


def _root(matrix: Floats) -> Floats:
    """Return a root L of a matrix L L' without negative eigenvalues but for rounding."""
    values, vectors = np.linalg.eigh(matrix)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return root


def dense_rows(model: TuckerModel, mode: str | int, k: int, backend: Backend | None) -> Any:
    """Return the rows with the most non-zero elements; see `TuckerModel.dense_rows`."""
    number, k = model.mode_labels.number(mode), check_whole("k", k, at_least=0)
    factor = model.factors[number]
    stayed = np.count_nonzero(factor, axis=1) - (1 if model.constant else 0)
    form = metric(model, number)
    squares = np.einsum("ij,ij->i", factor @ form, factor)
    importance = np.maximum(squares, 0.0) * entries_of_rows(model, number)
    rows = np.lexsort((-importance, -stayed))
    rows = rows[stayed[rows] > 0][:k]
    numbers = {N_NONZERO: stayed[rows], IMPORTANCE: importance[rows]}
    return make_frame(_labelled(model, number, rows, numbers), backend, model.mode_labels.library)


def similar(
    model: TuckerModel, mode: str | int, label: object, k: int, backend: Backend | None
) -> Any:
    """Return the labels with the most similar rows; see `TuckerModel.similar`."""
    number, k = model.mode_labels.number(mode), check_whole("k", k, at_least=0)
    row = row_of(model, number, label)
    seen = model.factors[number] @ _root(metric(model, number))
    lengths = np.sqrt(np.einsum("ij,ij->i", seen, seen))
    if not lengths[row] > 0.0:
        raise LabelError(
            f"{show(label)} in mode {model.modes[number]!r} adds nothing to any prediction: all "
            f"elements of its row are zero, so that nothing is like it"
        )
    others = np.flatnonzero(lengths > 1e-12 * lengths.max())
    others = others[others != row]
    cosine = seen[others] @ seen[row] / (lengths[others] * lengths[row])
    # Rows with one element in common are alike up to rounding: then the best known come first.
    first = np.lexsort((-entries_of_rows(model, number)[others], -cosine.round(12)))[:k]
    columns = {SIMILARITY: cosine[first].clip(-1.0, 1.0)}
    return make_frame(
        _labelled(model, number, others[first], columns), backend, model.mode_labels.library
    )


def row_of(model: TuckerModel, mode: int, label: object) -> int:
    """Return the row of a label; raise if the model does not have it."""
    wanted = as_times(label_array([label]), model.labels[mode], label_array)
    row = int(model.mode_labels.encode(mode, wanted)[0])
    if not 0 <= row < model.shape[mode]:
        meant = perhaps(label, model.labels[mode])
        raise LabelError(
            f"there is no {show(label)} in mode {model.modes[mode]!r} of the model{meant}"
        )
    return row


def _labelled(model: TuckerModel, mode: int, rows: Any, columns: dict[str, Any]) -> dict[str, Any]:
    """Return columns of a frame of rows: label, what is told of them, entries if known."""
    entries = {} if model.entries is None else {ENTRIES: model.entries[mode][rows]}
    name = free_name(model.modes[mode], (*columns, ENTRIES))
    return {name: model.mode_labels.decode(mode, rows), **columns, **entries}
