"""What a model predicts for cells, and for rows of which it has seen nothing.

The Tucker sum is linear in the row of each mode. So the sum with the average row in place of an
unknown one is exactly the average of what the model predicts for the rows that it knows: what it
knows without that row. Each row counts as often as the fit saw an entry of it, for rows with few
entries are small and noisy. Where biases already hold what the known rows have by themselves, that
average is mere noise: unknown rows then add no deviation, which held-out ratings bear out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker import _core
from vest_tucker.base.errors import LabelError, OptionError, ShapeError
from vest_tucker.base.types import Coords, Counts, Flags, Floats
from vest_tucker.data.labels import ModeLabels
from vest_tucker.model.cells import Cells
from vest_tucker.model.offset import Offset

HowUnseen: TypeAlias = Literal["mean", "zero", "nan", "error"]


def predict(
    core: Floats,
    factors: Sequence[Floats],
    entries: Sequence[Counts] | None,
    modes: ModeLabels,
    cells: Cells,
    *,
    unseen: HowUnseen,
    threads: int,
    offset: Offset | None = None,
) -> Floats:
    """Predict cells; ``entries`` says how many the fit saw in each row of each mode, if known."""
    if offset is not None:
        offset.require_shape([len(factor) for factor in factors])
    if entries is not None:
        _require_rows(entries, tuple(len(factor) for factor in factors))
    values = _core.predict(core, factors, cells.coords, threads=threads)  # checks the coordinates
    unknown = _unknown(cells, entries)
    rows = np.flatnonzero(unknown.any(axis=1)) if unknown is not None else np.empty(0, np.intp)
    if unknown is not None and rows.size:
        if unseen == "error":
            _raise_without_entries(int(rows[0]), cells.coords, unknown, modes)
        if unseen == "mean" and not (offset is not None and offset.biases):
            parts = _with_means(factors, entries, cells.coords[rows], unknown[rows])
            values[rows] = _core.predict(core, *parts, threads=threads)
        else:
            values[rows] = np.nan if unseen == "nan" else 0.0
    if offset is not None:
        values += offset.values_at(cells.coords, unknown)
    return values


def _unknown(cells: Cells, entries: Sequence[Counts] | None) -> Flags | None:
    """Mark labels that the model has not, and rows that it has without any entry."""
    unknown = cells.unseen
    for mode, counts in enumerate(entries or ()):
        without = counts[cells.coords[:, mode]] == 0
        if without.any():
            if unknown is None:
                unknown = np.zeros(cells.coords.shape, dtype=bool)
            unknown[:, mode] |= without
    return unknown


def _with_means(
    factors: Sequence[Floats],
    entries: Sequence[Counts] | None,
    coords: Coords,
    unknown: Flags,
) -> tuple[list[Floats], Coords]:
    """Return factors and coordinates in which the average row stands for each unknown one."""
    chosen, places = list(factors), coords.copy()
    for mode in np.flatnonzero(unknown.any(axis=0)).tolist():
        # Only the rows that are needed: a factor may be far larger than the batch.
        wanted = np.where(unknown[:, mode], -1, coords[:, mode])
        rows, places[:, mode] = np.unique(wanted, return_inverse=True)
        counts = None if entries is None else entries[mode]
        chosen[mode] = factors[mode][rows]
        chosen[mode][0] = average_row(factors[mode], counts)  # -1 comes first
    return chosen, places


def average_row(factor: Floats, counts: Counts | None) -> Floats:
    """Return the mean row over the entries; over the rows that are not empty if none are known.

    Examples
    --------
    >>> import numpy as np
    >>> factor = np.array([[1.0, 0.0], [4.0, 2.0], [0.0, 0.0]])
    >>> average_row(factor, np.array([2, 1, 0])).tolist(), average_row(factor, None).tolist()
    ([2.0, 0.6666666666666666], [2.5, 1.0])
    """
    weights = factor.any(axis=1) if counts is None else counts
    total = max(int(weights.sum()), 1)
    # Not a matrix product, whose last bits depend on the number of threads it finds.
    mean: Floats = np.einsum("i,ij->j", weights.astype(np.float64), factor) / total
    return mean


def checked_entries(
    entries: Iterable[ArrayLike] | None, shape: tuple[int, ...]
) -> list[Counts] | None:
    """Return counts of entries, one per row of each mode, as int64; None if unknown."""
    if entries is None:
        return None
    checked = [np.asarray(counts) for counts in entries]
    _require_rows(checked, shape)
    for mode, counts in enumerate(checked):
        if counts.dtype.kind not in "iu" or counts.min() < 0:
            raise OptionError(f"the entries per row of mode {mode} are not counts from 0")
    return [counts.astype(np.int64, copy=False) for counts in checked]


def _require_rows(entries: Sequence[NDArray[Any]], shape: tuple[int, ...]) -> None:
    shapes = [counts.shape for counts in entries]
    if shapes != [(dim,) for dim in shape]:
        raise ShapeError(
            f"the entries per row have the shapes {shapes}, but the factors have {shape} rows"
        )


def _raise_without_entries(row: int, coords: Coords, unknown: Flags, modes: ModeLabels) -> None:
    mode = int(np.flatnonzero(unknown[row])[0])
    label = modes.decode(mode, coords[row, mode])
    raise LabelError(
        f"row {row} has {label} in mode {modes.names[mode]!r}, of which the model was fitted "
        f'without any entry; unseen="mean" predicts without it'
    )
