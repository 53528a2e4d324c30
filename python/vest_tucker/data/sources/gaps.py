"""Rows with gaps, where something is missing: they are refused, or dropped and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import EmptyTensorError, GapsWarning
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.types import Flags

# What to do with rows that lack a label, the value or the weight.
Missing: TypeAlias = Literal["raise", "drop"]


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
