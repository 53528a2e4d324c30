"""Predictions for cells, also for rows that had no entry in the fit.

The Tucker sum is linear in the row of each mode. So with the average row in place of an unknown
row, it is exactly the average of the predictions for all known rows. Rows are weighted by their
number of entries in the fit, because rows with few entries are small and noisy. If the model has
biases, the average row is mere noise, as tests on held-out ratings show: unknown rows then add
nothing to the offset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker import _core
from vest_tucker.base.errors import LabelError, OptionError, ScaleWarning, ShapeError
from vest_tucker.base.telling.steps import step
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.types import Coords, Counts, Flags, Floats
from vest_tucker.data.labels import ModeLabels, show
from vest_tucker.data.per_row import chunks
from vest_tucker.model.cells import AT_ONCE, Cells
from vest_tucker.model.offset import Offset

HowUnseen: TypeAlias = Literal["mean", "zero", "nan", "error"]


def predict(
    core: Floats,
    factors: Sequence[Floats],
    row_counts: Sequence[Counts | Floats] | None,
    modes: ModeLabels,
    cells: Cells,
    *,
    unseen: HowUnseen,
    threads: int,
    offset: Offset | None = None,
    constant: bool = False,
) -> Floats:
    """Predict cells; ``row_counts`` is how many entries each row of each mode had, if known.

    Summed weights serve as well: rows without entries have none. ``constant`` says that the first
    column of every factor is constant one.
    """
    _require_shapes(tuple(len(factor) for factor in factors), row_counts, offset)
    values = _core.predict(core, factors, cells.coords, threads=threads)  # checks the coordinates
    unknown = unknown_rows(cells, row_counts)
    if unknown is not None and unknown.any():
        concerned = np.flatnonzero(unknown.any(axis=1))
        if unseen == "error":
            _raise_without_entries(int(concerned[0]), cells.coords, unknown, modes)
        if takes_average(unseen, offset):
            means = average_rows(factors, row_counts, unknown, constant=constant)
            parts = with_stand_ins(factors, means, cells.coords[concerned], unknown[concerned])
            values[concerned] = _core.predict(core, *parts, threads=threads)
        else:
            values[concerned] = np.nan if unseen == "nan" else 0.0
    if offset is not None:
        values += offset.values_at(cells.coords, unknown)
    return values


def by_blocks(
    answer: Callable[[Cells, slice], Floats], cells: Cells, title: str, *, whole: bool = False
) -> Floats:
    """Return a number for each cell; many cells are asked for in blocks, so that this is told.

    ``whole`` asks for all at once, for answers that depend on which cell is the first of all.
    """
    n = len(cells.coords)
    if whole or n <= AT_ONCE:
        return answer(cells, slice(n))
    found = np.empty(n)
    with step(title, n, "cell") as done:
        for block in chunks(n, AT_ONCE):
            unseen = None if cells.unseen is None else cells.unseen[block]
            part = cells._replace(coords=cells.coords[block], unseen=unseen, columns=None)
            found[block] = answer(part, block)
            done.advance(len(cells.coords[block]))
    return found


def warn_of_overflow(values: Floats, *, may_be_nan: bool) -> None:
    """Warn of predictions beyond double precision; NaN may be what was asked for, too.

    Examples
    --------
    >>> import numpy as np
    >>> warn_of_overflow(np.array([1e300, np.nan]), may_be_nan=True)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # no array of flags, if nothing is wrong
            return
    wrong = np.isinf(values) if may_be_nan else ~np.isfinite(values)
    if wrong.any():
        warn(
            f"{np.count_nonzero(wrong):,} of {len(values):,} predictions leave the range of double "
            f"precision (the first is that of cell {int(np.argmax(wrong))}): core and factors have "
            f"elements that are too large together; divide the values by a constant, and fit again",
            ScaleWarning,
        )


def _require_shapes(
    shape: tuple[int, ...], row_counts: Sequence[Counts | Floats] | None, offset: Offset | None
) -> None:
    if offset is not None:
        offset.require_shape(shape)
    if row_counts is not None:
        _require_rows(row_counts, shape)


def takes_average(unseen: HowUnseen, offset: Offset | None) -> bool:
    """Tell whether the average row stands for an unknown one; otherwise a row of zeros does."""
    return unseen == "mean" and (offset is None or not offset.biases)


def unknown_rows(cells: Cells, row_counts: Sequence[Counts | Floats] | None) -> Flags | None:
    """Mark labels that the model does not have, and rows that had no entry in the fit."""
    unknown = cells.unseen
    for mode, counts in enumerate(row_counts or ()):
        without = counts[cells.coords[:, mode]] == 0
        if without.any():
            if unknown is None:
                unknown = np.zeros(cells.coords.shape, dtype=bool)
            unknown[:, mode] |= without
    return unknown


def average_rows(
    factors: Sequence[Floats],
    row_counts: Sequence[Counts | Floats] | None,
    unknown: Flags,
    *,
    constant: bool = False,
) -> dict[int, Floats]:
    """Return the average row of each mode in which some row is unknown.

    With a constant column, effects and interactions of an unknown row are those of no row: zero.
    """
    modes = np.flatnonzero(unknown.any(axis=0)).tolist()
    return {
        mode: mean_row(factors[mode], None if row_counts is None else row_counts[mode], constant)
        for mode in modes
    }


def averaged_over(
    modes: Sequence[int],
    factors: Sequence[Floats],
    row_counts: Sequence[Counts | Floats] | None,
    offset: Offset | None,
    constant: bool,
) -> tuple[list[Floats], list[Counts | Floats] | None, Offset | None]:
    """Return factors, counts and offset with one row, the average, in place of all of some modes.

    Biases of these modes are left out: they are about 0 on average, being shrunken towards it.
    """
    means, amounts = list(factors), None if row_counts is None else list(row_counts)
    biases = [] if offset is None else list(offset.biases)
    for mode in modes:
        counts = None if row_counts is None else row_counts[mode]
        means[mode] = mean_row(factors[mode], counts, constant)[None]
        if amounts is not None:
            amounts[mode] = amounts[mode].sum(keepdims=True)
        if biases:
            biases[mode] = np.zeros(1)
    if offset is not None:
        offset = Offset(offset.kind, offset.mean, tuple(biases))
    return means, amounts, offset


def mean_row(factor: Floats, counts: Counts | Floats | None, constant: bool) -> Floats:
    """Return the row that stands for all labels of a mode: the average, or the constant."""
    if constant:
        first: Floats = np.eye(1, factor.shape[1])[0]
        return first
    return average_row(factor, counts)


def with_stand_ins(
    factors: Sequence[Floats], stand_ins: Mapping[int, Floats], coords: Coords, unknown: Flags
) -> tuple[list[Floats], Coords]:
    """Return factors and coordinates with the stand-in of its mode in place of each unknown row.

    There are stand-ins for the modes in which some row is unknown, and for no others.
    """
    chosen, places = list(factors), coords.copy()
    for mode, stand_in in stand_ins.items():
        # Only the rows that are needed are copied: a factor may be far larger than the batch.
        wanted = np.where(unknown[:, mode], -1, coords[:, mode])
        rows, places[:, mode] = np.unique(wanted, return_inverse=True)
        chosen[mode] = factors[mode][rows]
        chosen[mode][0] = stand_in  # -1, the unknown row, is sorted first
    return chosen, places


def average_row(factor: Floats, counts: Counts | Floats | None) -> Floats:
    """Return the mean of the rows, weighted by their counts; without counts, of all non-zero rows.

    Examples
    --------
    >>> import numpy as np
    >>> factor = np.array([[1.0, 0.0], [4.0, 2.0], [0.0, 0.0]])
    >>> average_row(factor, np.array([2, 1, 0])).tolist(), average_row(factor, None).tolist()
    ([2.0, 0.6666666666666666], [2.5, 1.0])
    """
    weights = weights_in_average(factor, counts)
    # Not a matrix product, because its last bits depend on the number of threads of BLAS.
    mean: Floats = np.einsum("i,ij->j", weights, factor) / (float(weights.sum()) or 1.0)
    return mean


def weights_in_average(factor: Floats, counts: Counts | Floats | None) -> Floats:
    """Return how much each row counts where rows are averaged: its entries, or 1 if not zero."""
    weights: NDArray[Any] = np.asarray(factor.any(axis=1)) if counts is None else counts
    return weights.astype(np.float64)


def checked_row_counts(
    row_counts: Iterable[ArrayLike] | None, shape: tuple[int, ...]
) -> list[Counts] | None:
    """Return the number of entries of each row of each mode as int64; None if unknown."""
    if row_counts is None:
        return None
    checked = [np.asarray(counts) for counts in row_counts]
    _require_rows(checked, shape)
    for mode, counts in enumerate(checked):
        if counts.dtype.kind not in "iu" or counts.min() < 0:
            raise OptionError(f"the entries per row of mode {mode} are not counts from 0")
    return [counts.astype(np.int64, copy=False) for counts in checked]


def checked_row_totals(
    row_totals: Iterable[ArrayLike] | None, row_counts: Sequence[Counts] | None
) -> list[Floats] | None:
    """Return the summed weights of each row of each mode as float64; None if there were none."""
    if row_totals is None:
        return None
    if row_counts is None:
        raise OptionError("row_totals are summed weights of entries; give the entries per row too")
    checked = [np.asarray(totals, dtype=np.float64) for totals in row_totals]
    _require_rows(checked, tuple(len(counts) for counts in row_counts))
    for mode, (totals, counts) in enumerate(zip(checked, row_counts, strict=True)):
        if not (np.isfinite(totals) & (totals >= 0.0) & ((totals > 0.0) == (counts > 0))).all():
            raise OptionError(
                f"the row_totals of mode {mode} are not sums of weights: positive where a row has "
                f"entries, and 0 elsewhere"
            )
    return checked


def _require_rows(row_counts: Sequence[NDArray[Any]], shape: tuple[int, ...]) -> None:
    shapes = [counts.shape for counts in row_counts]
    if shapes != [(dim,) for dim in shape]:
        raise ShapeError(
            f"the entries per row have the shapes {shapes}, but the factors have {shape} rows"
        )


def _raise_without_entries(row: int, coords: Coords, unknown: Flags, modes: ModeLabels) -> None:
    mode = int(np.flatnonzero(unknown[row])[0])
    raise without_entries(row, int(coords[row, mode]), mode, modes)


def without_entries(row: int, known: int, mode: int, modes: ModeLabels) -> LabelError:
    """Return the error for a label that the model knows, but was fitted without any entry of."""
    (label,) = modes.decode(mode, [known])
    return LabelError(
        f"row {row} has {show(label)} in mode {modes.names[mode]!r}, of which the model was fitted "
        f'without any entry; unseen="mean" does without it'
    )
