"""Rows with gaps, where something is missing: they are refused, or dropped and counted."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import numpy as np

from vest_tucker.base.errors import EmptyTensorError
from vest_tucker.base.types import Flags, Indices

# What to do with rows that lack a label, the value or the weight.
Missing: TypeAlias = Literal["raise", "drop"]


def rows_without_gaps(
    gaps: Mapping[str, Flags], file: str = "", place: Callable[[int], str] = "row {}".format
) -> Indices | None:
    """Return the numbers of the rows without gaps, None for all; one warning tells of the others.

    ``gaps`` marks the gaps of each column, ``file`` is how a message begins, and ``place`` returns
    what a row is called in it.

    Examples
    --------
    >>> rows_without_gaps({"who": np.array([False, False]), "stars": np.array([False, False])})
    """
    gap = np.logical_or.reduce(list(gaps.values()))
    number, of = int(gap.sum()), f"{len(gap):,} rows"
    if not number:
        return None
    columns = {name: each for name, each in gaps.items() if each.any()}
    counted = ", ".join(
        f"{int(each.sum()):,} in the column {name!r} (first in {place(int(each.argmax()))})"
        for name, each in columns.items()
    )
    if number == len(gap):
        raise EmptyTensorError(
            f"{file}each of the {of} has a gap: {counted}; there is nothing left to take"
        )
    warnings.warn(
        f"{file}{number:,} of {of} {'was' if number == 1 else 'were'} dropped for gaps: {counted}",
        UserWarning,
        stacklevel=_outside(),
    )
    return np.flatnonzero(~gap)


def _outside() -> int:
    """Return the stack level, for a warning of the caller, of whoever called this library."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("vest_tucker."):
        level, frame = level + 1, frame.f_back
    return level
