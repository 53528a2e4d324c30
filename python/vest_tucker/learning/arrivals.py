"""New entries met with a model: which of their rows it has already, and which are new to it.

Modes are matched by name and rows by label, as a prediction does. Where neither has labels the
numbers of the rows are their labels: those beyond the model's are new.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import LabelError, ShapeError
from vest_tucker.base.types import Coords, Labels
from vest_tucker.data.label_arrays import joined
from vest_tucker.data.labels import ModeLabels
from vest_tucker.data.numbering import MANY_ROWS, used_rows
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.model.cells import positions, require_kin_rows
from vest_tucker.model.meaning.meant import why_not_kin


class Arrivals(NamedTuple):
    """New entries as rows of a model that has room for them.

    ``coords`` from the old dimension on are new rows, in the order of the tensor's labels;
    ``shape`` and ``labels`` are of all rows, old and new.
    """

    coords: Coords
    shape: tuple[int, ...]
    labels: tuple[Labels | None, ...]


def meet(X: SparseTensor, modes: ModeLabels, shape: tuple[int, ...]) -> Arrivals:
    """Find the rows of a model of this shape that the entries of a tensor are in.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> modes = ModeLabels(2, ["user", "dish"], {"dish": ["soup", "rice"]})
    >>> dishes = {"dish": ["rice", "tea"]}
    >>> X = vt.SparseTensor([[0, 1], [4, 0]], [1.0, 2.0], modes=["user", "dish"], labels=dishes)
    >>> new = meet(X, modes, (3, 2))
    >>> new.coords.tolist(), new.shape, new.labels[1].tolist()
    ([[0, 2], [4, 1]], (5, 3), ['soup', 'rice', 'tea'])
    """
    if X.order != modes.order:
        raise ShapeError(
            f"the tensor has {X.order} modes but the model has {modes.order}, {modes.names}"
        )
    theirs = positions(X.modes, modes)
    coords = np.empty(X.coords.shape, dtype=np.int32)
    dims, labels = [], []
    for mode, their in enumerate(theirs):
        rows, all_labels, dim = _rows(X, their, modes, mode, shape[mode])
        coords[:, mode] = rows
        dims.append(dim)
        labels.append(all_labels)
    return Arrivals(coords, tuple(dims), tuple(labels))


def _rows(
    X: SparseTensor, their: int, modes: ModeLabels, mode: int, dim: int
) -> tuple[NDArray[np.int32], Labels | None, int]:
    """Return the row of each entry, and all labels and how many rows there are then."""
    labels, own = X.labels[their], modes.labels[mode]
    column = X.coords[:, their]
    if labels is None or own is None:
        require_kin_rows(X, their, modes, mode, dim)
        return column, own, _numbered(column, modes.names[mode], dim)
    if labels is own:
        return column, own, dim
    used, places, _ = used_rows(column, len(labels))
    if used is None:
        used = np.flatnonzero(np.bincount(column, minlength=len(labels)))
        places = np.searchsorted(used, column)
    wanted = labels[used]
    found = modes.encode(mode, wanted)
    new = found < 0
    if not new.any():
        return found[places], own, dim
    why = why_not_kin(wanted[new], own[:1], modes.names[mode])
    if why:
        raise LabelError(why)
    found[new] = dim + np.arange(np.count_nonzero(new), dtype=np.int32)
    return found[places], joined(own, wanted[new]), dim + int(np.count_nonzero(new))


def _numbered(column: NDArray[np.int32], name: str, dim: int) -> int:
    """Return how many rows there are with those that the numbers ask for."""
    last = int(column.max()) + 1
    if last - dim > MANY_ROWS * max(len(column), 1 << 16):
        raise LabelError(
            f"mode {name!r} has no labels and {dim:,} rows, and the new entries are in rows up to "
            f"{last - 1:,}: all rows between would be added empty; number new rows from {dim:,} on"
        )
    return max(dim, last)
