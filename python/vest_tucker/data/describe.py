"""A tensor in numbers: its size, density and skew, and the memory that a fit would take."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.checks import tucker_ranks
from vest_tucker.base.html import paragraph, table, whole
from vest_tucker.base.memory import estimate_memory
from vest_tucker.base.text_table import shown_lines
from vest_tucker.base.types import Coords, Floats
from vest_tucker.data.entries import Entries
from vest_tucker.data.numbering import cell_numbers, used_rows

FEW = 12  # up to this number, different values are listed one by one
# Tuples of all modes but two are counted if there are at most this many pairs to leave out: up to
# 8 modes.
MAX_PAIRS = 28
DEFAULT_RANK, LARGEST_CORE = 5, 10**6
LARGE = 400  # above this exponent of 2, squares of numbers may overflow
# Heads of the columns of numbers in the two tables, and which columns of the first they are.
ROW_HEADS = ("rows", "empty", "min", "25 %", "median", "75 %", "max")
TUPLE_HEADS = ("different", "entries each")
RIGHT = range(1, 1 + len(ROW_HEADS))
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Spread:
    """The distribution of numbers: smallest, quartiles, largest, mean and standard deviation."""

    min: float
    q1: float
    median: float
    q3: float
    max: float
    mean: float
    std: float


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many entries the rows of a mode have.

    ``spread`` is the distribution of the entries per row, over the rows that have any.
    """

    mode: str
    rows: int
    empty: int
    spread: Spread


@dataclass(frozen=True, slots=True)
class TupleCounts:
    """How many different tuples of some modes there are, and how many entries share a tuple."""

    modes: tuple[str, ...]
    distinct: int
    entries_each: float


@dataclass(frozen=True, slots=True, repr=False)
class Description:
    """What `SparseTensor.describe` returns; a prompt, ``print`` and notebooks show all of it.

    Attributes
    ----------
    modes, shape, order, nnz, density
        As in the tensor.
    values : Spread
        The distribution of the observed values; with weights, mean and deviation are weighted.
    distinct_values : dict or None
        How often each value occurs, if there are few different ones.
    weights : Spread or None
        The distribution of the weights, if the entries have weights.
    rows : tuple of RowCounts
        Entries per row, mode by mode.
    tuples : tuple of TupleCounts
        How often tuples of all modes but one repeat, then tuples of all modes but two. A fit does
        part of its work once per tuple.
    ranks : tuple of int
        The ranks that ``memory`` is estimated for.
    memory : int
        The bytes that a fit with these ranks would take, the tensor included.
    """

    modes: tuple[str, ...]
    shape: tuple[int, ...]
    order: int
    nnz: int
    density: float
    values: Spread
    distinct_values: dict[float, int] | None
    rows: tuple[RowCounts, ...]
    tuples: tuple[TupleCounts, ...]
    ranks: tuple[int, ...]
    memory: int
    weights: Spread | None = None

    def __str__(self) -> str:
        return shown_lines(_lines(self))

    def __repr__(self) -> str:  # what a prompt shows; the fields in one line would be unreadable
        return str(self)

    def _repr_html_(self) -> str:
        return whole(
            [
                *(paragraph(" ".join(line.split())) for line in _facts(self)),
                table(("entries per row", *ROW_HEADS), map(_row_cells, self.rows), numbers=RIGHT),
                table(("tuples of", *TUPLE_HEADS), map(_tuple_cells, self.tuples), numbers=(1, 2)),
                paragraph(" ".join(_memory_line(self).split())),
            ]
        )


def describe_entries(
    entries: Entries, ranks: int | Iterable[int] | None, threads: int
) -> Description:
    """Describe a tensor given in parts."""
    coords, values, shape, labels, weights = entries
    asked = _default_ranks(shape) if ranks is None else tucker_ranks(ranks, shape)
    names = labels.names
    return Description(
        modes=names,
        shape=shape,
        order=len(shape),
        nnz=len(values),
        density=len(values) / math.prod(shape),
        values=_spread(values, weights),
        distinct_values=_few(values),
        rows=tuple(
            _row_counts(name, coords[:, mode], shape[mode]) for mode, name in enumerate(names)
        ),
        tuples=tuple(_tuple_counts(coords, shape, names)),
        ranks=asked,
        memory=estimate_memory(
            shape, len(values), asked, threads=threads, weighted=weights is not None
        ),
        weights=None if weights is None else _spread(weights),
    )


def _default_ranks(shape: tuple[int, ...]) -> tuple[int, ...]:
    rank = DEFAULT_RANK
    while rank > 1 and rank ** len(shape) > LARGEST_CORE:
        rank -= 1
    return tuple(min(rank, dim) for dim in shape)


def _spread(
    numbers: NDArray[np.float64] | NDArray[np.intp], weights: Floats | None = None
) -> Spread:
    # Sums and squares of large numbers leave the range of double precision. Dividing by a power of
    # 2 changes no digit.
    exponent = int(np.frexp(np.abs(numbers).max())[1]) - 1
    scale = 2.0**exponent if exponent > LARGE else 1.0
    scaled = numbers / scale if scale > 1.0 else numbers
    quantiles = np.quantile(scaled, QUANTILES)
    mean, std = scaled.mean(), scaled.std()
    if weights is not None:
        shares = weights / weights.max()  # sums of large weights could leave the range, too
        mean = np.average(scaled, weights=shares)
        std = np.sqrt(np.average((scaled - mean) ** 2, weights=shares))
    about = np.array([*quantiles, mean, std]) * scale
    return Spread(*about.tolist())


def _few(values: Floats) -> dict[float, int] | None:
    # A few thousand values tell whether there are many different ones, without sorting all.
    if len(np.unique(values[:4096])) > FEW:
        return None
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) > FEW:
        return None
    return dict(zip(distinct.tolist(), counts.tolist(), strict=True))


def _row_counts(name: str, column: NDArray[np.int32], dim: int) -> RowCounts:
    counts = np.bincount(used_rows(column, dim).places)
    filled = counts[counts > 0]
    return RowCounts(name, dim, dim - len(filled), _spread(filled))


def _tuple_counts(
    coords: Coords, shape: Sequence[int], names: Sequence[str]
) -> Iterator[TupleCounts]:
    order = len(shape)
    for size in (1, 2) if order > 2 and math.comb(order, 2) <= MAX_PAIRS else (1,):
        for modes in itertools.combinations(range(order), order - size):
            distinct = count_distinct(coords, shape, modes)
            chosen = tuple(names[mode] for mode in modes)
            yield TupleCounts(chosen, distinct, len(coords) / distinct)


def count_distinct(coords: Coords, shape: Sequence[int], modes: Sequence[int]) -> int:
    """Count the different tuples that entries have in some modes.

    Examples
    --------
    >>> coords = np.array([[0, 0, 1], [0, 0, 2], [1, 0, 1]], dtype=np.int32)
    >>> count_distinct(coords, (2, 1, 3), (0, 1)), count_distinct(coords, (2, 1, 3), (0, 2))
    (2, 3)
    """
    numbers = cell_numbers(coords, shape, modes)
    numbers.sort()
    return 1 + int(np.count_nonzero(numbers[1:] != numbers[:-1]))


def _lines(about: Description) -> Iterator[str]:
    """Yield the lines that ``print`` shows."""
    yield from _facts(about)
    yield from _row_lines(about.rows)
    yield from _tuple_lines(about.tuples)
    yield _memory_line(about)


def _facts(about: Description) -> Iterator[str]:
    """Yield what is known of the tensor as a whole."""
    dims = " x ".join(f"{dim:,} {name}" for dim, name in zip(about.shape, about.modes, strict=True))
    yield f"Tensor of order {about.order}: {dims}"
    yield f"  entries     {about.nnz:,}, {about.density:.3g} of all cells"
    values, weighted = about.values, "" if about.weights is None else "weighted "
    yield (
        f"  values      {values.min:g} to {values.max:g}, quartiles {values.q1:g}, "
        f"{values.median:g}, {values.q3:g}; {weighted}mean {values.mean:.4g}, "
        f"deviation {values.std:.4g}"
    )
    if about.distinct_values is not None:
        shares = {value: 100 * n / about.nnz for value, n in about.distinct_values.items()}
        listed = ", ".join(f"{value:g} ({share:.1f} %)" for value, share in shares.items())
        yield f"              only {listed}"
    if about.weights is not None:
        weights = about.weights
        yield (
            f"  weights     {weights.min:g} to {weights.max:g}, quartiles {weights.q1:g}, "
            f"{weights.median:g}, {weights.q3:g}; {about.nnz * weights.mean:,.9g} in all"
        )


def _memory_line(about: Description) -> str:
    ranks = " x ".join(str(rank) for rank in about.ranks)
    return f"  memory      {about.memory / 2**20:,.1f} MiB for a fit with the ranks {ranks}"


def _row_lines(rows: Sequence[RowCounts]) -> Iterator[str]:
    width = max(18, *(len(row.mode) for row in rows))
    yield f"  {'entries per row':<{width + 2}}" + "".join(f"{head:>11}" for head in ROW_HEADS)
    for row in rows:
        mode, *numbers = _row_cells(row)
        yield f"    {mode:<{width}}" + "".join(f"{number:>11}" for number in numbers)


def _row_cells(row: RowCounts) -> tuple[str, ...]:
    spread = row.spread
    quantiles = (spread.min, spread.q1, spread.median, spread.q3, spread.max)
    numbers = (row.rows, row.empty, *(round(each, 1) for each in quantiles))
    return row.mode, *(f"{number:,.9g}" for number in numbers)


def _tuple_lines(tuples: Sequence[TupleCounts]) -> Iterator[str]:
    width = max(18, *(len(", ".join(each.modes)) for each in tuples))
    different, entries_each = TUPLE_HEADS
    yield f"  {'tuples of':<{width + 2}}{different:>11}{entries_each:>14}"
    for each in tuples:
        modes, distinct, share = _tuple_cells(each)
        yield f"    {modes:<{width}}{distinct:>11}{share:>14}"


def _tuple_cells(each: TupleCounts) -> tuple[str, str, str]:
    return ", ".join(each.modes), f"{each.distinct:,}", f"{each.entries_each:,.2f}"
