"""Cells that an answer leaves out: for each question, the rows that it must not name, sorted.

What was seen is matched with the questions in the modes that both name. A label that the model does
not have can be matched too: a new user has seen films as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import ModeError, ShapeError
from vest_tucker.base.types import Coords, Counts, Flags, Indices
from vest_tucker.data.frames import Column, column_of, columns_of
from vest_tucker.data.label_arrays import in_order, joined, nulls
from vest_tucker.data.labels import ModeLabels, default_names, listed
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.model.cells import (
    CellsLike,
    cells_of_columns,
    find_cells,
    mapped_columns,
    require_kin_rows,
)
from vest_tucker.reading.asking.asked import Asked

Keys: TypeAlias = NDArray[np.int64]
MOST_KEYS = 2**62  # so that the sum of a key and a row is still an int64


class Excluded(NamedTuple):
    """The rows to leave out, question after question, and where those of each begin and end."""

    rows: Indices
    begin: Counts
    end: Counts

    def lists(self, chosen: slice) -> tuple[Counts, Indices]:
        """Return the lists of some questions one after the other, as bounds and rows.

        Examples
        --------
        >>> import numpy as np
        >>> excluded = Excluded(np.array([3, 5, 9], np.int32), np.array([0, 2]), np.array([2, 3]))
        >>> [each.tolist() for each in excluded.lists(slice(1, 2))]
        [[0, 1], [9]]
        """
        begin = self.begin[chosen]
        lengths = self.end[chosen] - begin
        bounds = np.zeros(len(begin) + 1, dtype=np.int64)
        np.cumsum(lengths, out=bounds[1:])
        places = np.repeat(begin - bounds[:-1], lengths) + np.arange(bounds[-1])
        return bounds, self.rows[places]


def nothing_excluded(n: int) -> Excluded:
    """Return empty lists for n questions."""
    none = np.zeros(n, dtype=np.int64)
    return Excluded(np.empty(0, dtype=np.int32), none, none)


def find_excluded(
    exclude: CellsLike, modes: ModeLabels, shape: Sequence[int], asked: Asked, along: int
) -> Excluded:
    """Return the rows of mode ``along`` that were seen together with what each question names."""
    shared = _shared_modes(exclude, modes, asked, along)
    known = _with_asked_labels(modes, asked, shared, along)
    wanted = _codes(asked, shared, known)
    numbers = [*(asked.modes[each] for each in shared), along]
    lengths = [max(shape[mode], 1 + int(codes.max(initial=-1))) for mode, codes in
               zip(numbers, wanted.T, strict=False)]  # fmt: skip
    seen, valid = _seen(exclude, known, numbers, (*lengths, shape[along]))
    # Most of what was seen belongs to no question if these are few, and is not sorted then.
    for column, codes in enumerate(wanted.T):
        is_asked = np.zeros(lengths[column], dtype=bool)
        is_asked[codes[codes >= 0]] = True
        valid &= is_asked[seen[:, column]]
    seen = seen[valid]
    keys = _keys(np.concatenate([wanted, seen[:, :-1]]), lengths, MOST_KEYS // shape[along])
    ours, theirs = keys[: asked.n], keys[asked.n :]
    # Not np.unique, whose hash table takes several times as long as a sort of millions of numbers.
    cells = np.sort(theirs * shape[along] + seen[:, -1])
    cells = cells[np.diff(cells, prepend=-1) != 0]
    theirs, rows = cells // shape[along], (cells % shape[along]).astype(np.int32)
    begin = np.searchsorted(theirs, ours, side="left").astype(np.int64)
    end = np.searchsorted(theirs, ours, side="right").astype(np.int64)
    end[(wanted < 0).any(axis=1)] = 0
    return Excluded(rows, np.minimum(begin, end), end)


def _shared_modes(
    exclude: CellsLike, modes: ModeLabels, asked: Asked, along: int
) -> tuple[int, ...]:
    """Return the places, among the modes asked about, of those that the exclusion names too."""
    names = _names(exclude, modes)
    if names is None:  # rows of labels, in the order of the modes asked about
        return tuple(range(len(asked.modes)))
    if modes.names[along] not in names:
        raise ModeError(
            f"what is to be left out does not name the mode {modes.names[along]!r}; there is "
            f"{listed(names)}"
        )
    return tuple(k for k, mode in enumerate(asked.modes) if modes.names[mode] in names)


def _names(exclude: Any, modes: ModeLabels) -> Sequence[str] | None:
    """Return the modes that the exclusion names; None for rows of labels, which name none."""
    if isinstance(exclude, SparseTensor):
        by_number = default_names(modes.order) in (exclude.modes, modes.names)
        return modes.names if by_number and exclude.order == modes.order else exclude.modes
    if isinstance(exclude, Mapping):
        return list(exclude)
    if isinstance(exclude, np.ndarray) or not hasattr(type(exclude), "columns"):
        return None
    return list(columns_of(exclude, (), "exclude", if_there=modes.names).columns)


def _with_asked_labels(
    modes: ModeLabels, asked: Asked, shared: Sequence[int], along: int
) -> ModeLabels:
    """Return the modes that both name, and ``along``; labels asked about follow the known ones."""
    names, labels = [], []
    for each in shared:
        own = modes.labels[asked.modes[each]]
        unknown = asked.labels[each][asked.rows[:, each] < 0]
        unknown = unknown[~nulls(unknown)]
        if own is not None and unknown.size:
            own = joined(own, in_order(unknown))
        names.append(modes.names[asked.modes[each]])
        labels.append(own)
    return ModeLabels(len(names) + 1, [*names, modes.names[along]], [*labels, modes.labels[along]])


def _codes(asked: Asked, shared: Sequence[int], known: ModeLabels) -> Coords:
    """Return the numbers of the labels asked about, those that the model does not have included."""
    codes = asked.rows[:, list(shared)]
    for column, each in enumerate(shared):
        unknown = codes[:, column] < 0
        if unknown.any():
            codes[unknown, column] = known.encode(column, asked.labels[each][unknown])
    return codes


def _seen(
    exclude: CellsLike, known: ModeLabels, numbers: Sequence[int], shape: tuple[int, ...]
) -> tuple[Coords, Flags]:
    """Return the cells seen, in the modes of ``known``, and which of them have known labels."""
    if isinstance(exclude, SparseTensor):
        columns = _of_tensor(exclude, known, numbers, shape)
    elif isinstance(exclude, Mapping):
        columns = mapped_columns(exclude, known.names)
    elif not isinstance(exclude, np.ndarray) and hasattr(type(exclude), "columns"):
        table = columns_of(exclude, known.names, "exclude")
        columns = [column_of(table[name]) for name in known.names]
    else:
        try:
            cells = find_cells(exclude, known, shape, strict=False, told="none")
        except ShapeError as error:
            raise ShapeError(
                f"what is to be left out is given as rows, which need a label for each of "
                f"{listed(known.names)}: {error}"
            ) from error
        inside = (cells.coords >= 0) & (cells.coords < shape)
        unseen = ~inside if cells.unseen is None else cells.unseen
        return np.where(unseen, 0, cells.coords), ~np.any(unseen, axis=1)
    cells = cells_of_columns(columns, known, shape, strict=False, told="none")
    assert cells.unseen is not None, "cells found by labels say which were not found"
    return cells.coords, ~np.any(cells.unseen, axis=1)


def _of_tensor(
    X: SparseTensor, known: ModeLabels, numbers: Sequence[int], shape: tuple[int, ...]
) -> list[Column]:
    """Return the columns of a tensor, its modes found by name, or by number if it has no names."""
    columns = []
    for mode, name in enumerate(known.names):
        their = X.modes.index(name) if name in X.modes else numbers[mode]
        labels = X.labels[their]
        if labels is None or known.labels[mode] is None:
            require_kin_rows(X, their, known, mode, shape[mode])
            labels = known.decode(mode, np.arange(X.shape[their]))
        columns.append(Column(labels, X.coords[:, their].astype(np.intp)))
    return columns


def _keys(codes: Coords, lengths: Sequence[int], most: int) -> Keys:
    """Return one number for each row of codes, the same for the same rows, and below ``most``."""
    keys = np.zeros(len(codes), dtype=np.int64)
    size = 1
    for column, length in zip(codes.T, lengths, strict=True):
        if size * length > MOST_KEYS:
            keys, size = _renumbered(keys)
        keys = keys * length + column
        size *= length
    return keys if size <= most else _renumbered(keys)[0]


def _renumbered(keys: Keys) -> tuple[Keys, int]:
    """Return keys from 0 without gaps, and how many differ."""
    distinct, renumbered = np.unique(keys, return_inverse=True)
    return renumbered.astype(np.int64, copy=False), len(distinct)
