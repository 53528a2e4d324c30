"""New entries for a model, as a tensor or as a frame with columns called like its modes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vest_tucker.base.errors import ColumnError, LabelError, OptionError
from vest_tucker.data.duplicates import Duplicates
from vest_tucker.data.frames import columns_of
from vest_tucker.data.labels import ModeLabels, listed, show
from vest_tucker.data.sources.gaps import Missing
from vest_tucker.data.tensor import SparseTensor, require_tensor

WRITTEN = ("value", "weight")  # what `to_frame` calls the columns that are not modes


class InFrame(NamedTuple):
    """How entries are read from a frame: its columns, repeated cells, and rows with gaps."""

    value: str | None = None
    weight: str | None = None
    duplicates: Duplicates = "error"
    missing: Missing = "raise"


def entries_of(X: Any, modes: ModeLabels, how: InFrame, who: str) -> SparseTensor:
    """Return entries as a tensor with the modes of a model; ``who`` is the method that needs them.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"dish": ["tea"], "stars": [4.0], "who": [3]})
    >>> entries_of(frame, ModeLabels(2, ["who", "dish"], {"dish": ["rye"]}), InFrame(), "update")
    SparseTensor(shape=(4, 1), nnz=1, density=0.25, modes=('who', 'dish'))
    """
    if isinstance(X, np.ndarray) or not hasattr(type(X), "columns"):
        require_tensor(X, who)
        tensor: SparseTensor = X
        # One by one, and only plain values: others may not even be comparable.
        same = [
            given is default or (isinstance(given, str) and given == default)
            for given, default in zip(how, InFrame(), strict=True)
        ]
        if not all(same):
            raise OptionError(
                "value, weight, duplicates and missing are for frames, but the entries are a "
                "SparseTensor, which has values, and perhaps weights, already"
            )
        return tensor
    value, weight = _chosen(X, modes, how.value, how.weight, who)
    tensor = SparseTensor.from_frame(
        X, modes.names, value, weight=weight, duplicates=how.duplicates, missing=how.missing
    )
    return _with_indices(tensor, modes)


def _chosen(
    frame: Any, modes: ModeLabels, value: str | None, weight: str | None, who: str
) -> tuple[str, str | None]:
    """Return the columns of the values and of the weights: those given, or the only ones left."""
    if value is not None:
        return value, weight
    there = list(columns_of(frame, modes.names, who, everything=True).columns)
    left = [name for name in there if name not in (*modes.names, weight)]
    if weight is None and set(left) == set(WRITTEN):
        return WRITTEN
    if len(left) == 1:
        return left[0], weight
    if WRITTEN[0] in left:
        return WRITTEN[0], weight
    what = f"{listed(left)} may be" if left else "no column is"
    raise ColumnError(
        f'{who} cannot tell which column has the values: {what} left; say so, as value="stars"'
    )


def _with_indices(tensor: SparseTensor, modes: ModeLabels) -> SparseTensor:
    """Turn labels into indices in modes that have no labels in the model, just indices from 0."""
    coords, shape, labels = tensor.coords.copy(), list(tensor.shape), list(tensor.labels)
    for mode, (own, known) in enumerate(zip(tensor.labels, modes.labels, strict=True)):
        if known is not None or own is None:
            continue
        rows = modes.encode(mode, own)
        if rows.min() < 0:
            raise LabelError(
                f"the column {modes.names[mode]!r} has {show(own[int(rows.argmin())])}, but that "
                f"mode of the model has no labels, just indices from 0"
            )
        coords[:, mode] = rows[coords[:, mode]]
        shape[mode], labels[mode] = int(rows.max()) + 1, None
    return SparseTensor(
        coords, tensor.values, shape, modes=modes.names, labels=labels, weights=tensor.weights
    )
