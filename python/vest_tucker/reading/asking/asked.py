"""What a question names: some modes, with one label or many of each, as rows of the factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from vest_tucker.base.errors import ModeError
from vest_tucker.base.types import Coords, Labels
from vest_tucker.data.frames import Column, column_of, columns_of
from vest_tucker.data.labels import ModeLabels
from vest_tucker.model.cells import cells_of_columns, mapped_columns, with_times

# Labels by the names of modes, one or many or ``...`` for all; or a frame of any library.
Given: TypeAlias = "Mapping[str, object] | Any"


class Asked(NamedTuple):
    """One question per row: the labels named in some modes, and their rows, -1 where unknown."""

    modes: tuple[int, ...]
    labels: tuple[Labels, ...]
    rows: Coords

    @property
    def n(self) -> int:
        """How many questions there are."""
        return len(self.rows)


def read_asked(given: Given, modes: ModeLabels, shape: Sequence[int]) -> Asked:
    """Return what was given for some modes; nothing given is one question about no mode.

    Examples
    --------
    >>> modes = ModeLabels(3, ["user", "dish", "hour"], {"dish": ["soup", "rice"]})
    >>> asked = read_asked({"dish": ["rice", "tea"], "user": 7}, modes, (9, 2, 24))
    >>> asked.modes, asked.rows.tolist()
    ((0, 1), [[7, 1], [7, -1]])
    >>> read_asked({"dish": ...}, modes, (9, 2, 24)).labels
    (array(['soup', 'rice'], dtype=object),)
    """
    if isinstance(given, Mapping):
        columns = _of_mapping(given, modes, shape)
    elif hasattr(type(given), "columns"):
        table = columns_of(given, (), "a question", if_there=modes.names)
        columns = {modes.number(name): column_of(table[name]) for name in table.columns}
        if not columns:
            raise ModeError(f"the frame has no column called like a mode of {modes.names}")
    else:
        raise ModeError(
            f"labels are given as a dict from modes to labels, or as a frame, but {given!r} is "
            f"neither"
        )
    numbers = tuple(sorted(columns))
    if not numbers:
        return Asked((), (), np.empty((1, 0), dtype=np.int32))
    chosen = [with_times(columns[mode], modes.labels[mode]) for mode in numbers]
    dims = tuple(shape[mode] for mode in numbers)
    cells = cells_of_columns(chosen, chosen_modes(modes, numbers), dims, strict=False)
    rows = cells.coords if cells.unseen is None else np.where(cells.unseen, -1, cells.coords)
    return Asked(numbers, tuple(each.rows(each.labels) for each in chosen), rows)


def _of_mapping(
    given: Mapping[str, object], modes: ModeLabels, shape: Sequence[int]
) -> dict[int, Column]:
    named = {}
    for name, labels in given.items():
        mode = modes.number(name)
        everything = isinstance(labels, EllipsisType)
        named[modes.names[mode]] = modes.decode(mode, range(shape[mode])) if everything else labels
    columns = mapped_columns(named, list(named))
    return {modes.number(name): column for name, column in zip(named, columns, strict=True)}


def chosen_modes(modes: ModeLabels, numbers: Sequence[int]) -> ModeLabels:
    """Return names and labels of some of the modes."""
    names = [modes.names[mode] for mode in numbers]
    return ModeLabels(len(names), names, [modes.labels[mode] for mode in numbers])
