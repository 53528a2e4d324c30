"""Rows with gaps, where something is missing: they are refused, or dropped and counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import (
    DuplicateError,
    EmptyTensorError,
    GapsWarning,
    NonFiniteError,
    WeightError,
)
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.types import Flags

# What to do with rows that lack a label, the value or the weight.
Missing: TypeAlias = Literal["raise", "drop"]
# How messages about entries begin, which know nothing of rows that were dropped.
ROWS = re.compile(r"^(rows?|entry) (\d+)(?: and (\d+))?(?= )")


def rows_without_gaps(
    gaps: Mapping[str, Flags], file: str = "", place: Callable[[int], str] = "row {}".format
) -> NDArray[np.intp] | None:
    """Return the numbers of the rows without gaps, None for all; one warning tells of the others.

    ``gaps`` marks the gaps of each column, ``file`` is how a message begins, and ``place`` returns
    what a row is called in it.

    Examples
    --------
    >>> rows_without_gaps({"who": np.array([False, False]), "stars": np.array([False, False])})
    """
    dropped = Dropped.of(gaps, place)
    dropped.tell(file)
    return dropped.kept(gaps) if dropped.number else None


@contextmanager
def rows_as_given(kept: NDArray[np.intp] | None) -> Iterator[None]:
    """Let errors about entries name rows as the caller counts them, with those that were dropped.

    Examples
    --------
    >>> with rows_as_given(np.array([0, 2, 5])):
    ...     raise DuplicateError("rows 1 and 2 are both the cell (0, 0)")
    Traceback (most recent call last):
    vest_tucker.errors.DuplicateError: rows 2 and 5 are both the cell (0, 0)
    """
    try:
        yield
    except (DuplicateError, NonFiniteError, WeightError) as error:
        if kept is None:
            raise
        raise type(error)(ROWS.sub(lambda found: _as_given(found, kept), str(error))) from None


def row_as_given(row: int, kept: NDArray[np.intp] | None) -> int:
    """Return the number of a row as the caller counts it, with those that were dropped.

    Examples
    --------
    >>> row_as_given(1, np.array([0, 2, 5])), row_as_given(1, None)
    (2, 1)
    """
    return row if kept is None else int(kept[row])


def _as_given(found: re.Match[str], kept: NDArray[np.intp]) -> str:
    one, first, second = found.groups()
    word = "row" if one == "entry" else one
    return f"{word} {kept[int(first)]}" + (f" and {kept[int(second)]}" if second else "")


class Dropped(NamedTuple):
    """How many rows have gaps, of how many; and for each column how many, and the first of them."""

    number: int
    rows: int
    columns: dict[str, tuple[int, str]]

    @classmethod
    def of(
        cls, gaps: Mapping[str, Flags], place: Callable[[int], str] = "row {}".format
    ) -> Dropped:
        """Count the gaps of each column."""
        gap = np.logical_or.reduce(list(gaps.values()))
        columns = {
            name: (int(each.sum()), place(int(each.argmax())))
            for name, each in gaps.items()
            if each.any()
        }
        return Dropped(int(gap.sum()), len(gap), columns)

    def __add__(self, other: object) -> Dropped:
        """Count those of the rows that follow, too."""
        if not isinstance(other, Dropped):
            return NotImplemented
        columns = dict(self.columns)
        for name, (number, place) in other.columns.items():
            before, first = columns.get(name, (0, place))
            columns[name] = (before + number, first)
        return Dropped(self.number + other.number, self.rows + other.rows, columns)

    @staticmethod
    def kept(gaps: Mapping[str, Flags]) -> NDArray[np.intp]:
        """Return the numbers of the rows without gaps."""
        return np.flatnonzero(~np.logical_or.reduce(list(gaps.values())))

    def tell(self, file: str = "") -> None:
        """Warn of the rows that are dropped; raise if none is left."""
        if not self.number:
            return
        counted = ", ".join(
            f"{number:,} in the column {name!r} (first in {place})"
            for name, (number, place) in self.columns.items()
        )
        if self.number == self.rows:
            raise EmptyTensorError(
                f"{file}each of the {self.rows:,} rows has a gap: {counted}; there is nothing left "
                f"to take"
            )
        were = "was" if self.number == 1 else "were"
        warn(
            f"{file}{self.number:,} of {self.rows:,} rows {were} dropped for gaps: {counted}",
            GapsWarning,
        )
