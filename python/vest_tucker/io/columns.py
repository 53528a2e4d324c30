"""Tables with named columns, however they are stored: which column is what, and then a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from vest_tucker import checks
from vest_tucker.convert.frames import chosen_modes
from vest_tucker.errors import ColumnError, DuplicateError, FileFormatError, OptionError
from vest_tucker.io.atomic import AnyPath
from vest_tucker.io.indexed import Where, repeated, require_finite, tensor_of
from vest_tucker.io.request import Request
from vest_tucker.labels import default_names, listed
from vest_tucker.tensor import SparseTensor


class Columns(NamedTuple):
    """The columns that are modes, the one that is the value, and whether modes hold indices."""

    modes: tuple[str, ...]
    value: str
    index_base: int | None

    @property
    def names(self) -> list[str]:
        """All columns that are needed."""
        return [*self.modes, self.value]


def choose(names: Sequence[str], path: AnyPath, request: Request) -> Columns:
    """Choose columns: the last is the value and all others are modes, unless the caller says so."""
    if not names:
        raise FileFormatError("is empty; the first line should name the columns", path)
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise FileFormatError(f"has two columns called {twice!r}", path)
    given: tuple[str, ...] | None = None
    if request.modes is not None or request.like is not None:
        given = chosen_modes(request.modes, request.like.mode_labels if request.like else None)
    value = request.value or next(
        (name for name in reversed(names) if given is None or name not in given), ""
    )
    modes = tuple(name for name in names if name != value) if given is None else given
    if not value:
        raise ColumnError(
            f"{path}: every column is a mode ({listed(names)}); none is left for the value"
        )
    for name in (*modes, value):
        if name not in names:
            raise ColumnError(f"{path}: there is no column {name!r}; there are {listed(names)}")
    if "" in modes:
        raise FileFormatError(
            f"has a column without a name, perhaps of row numbers; say which columns are modes, as "
            f"modes={[name for name in modes if name]}",
            path,
        )
    if len(modes) < 2:
        raise FileFormatError(
            f"has the columns {listed(names)}; an entry needs two modes or more, and a value", path
        )
    base = request.index_base
    if base is None and request.like is None and modes == default_names(len(modes)):
        base = 0  # so `write` calls the modes of a tensor that has neither names nor labels
    if base is None and request.shape is not None:
        raise OptionError(
            f"{path}: shape is given, but the columns hold labels, which are counted; pass "
            f"index_base= if they hold indices"
        )
    return Columns(modes, value, base)


def tensor_from_table(
    table: Any, columns: Columns, path: AnyPath, where: Where, request: Request
) -> tuple[SparseTensor, int | None]:
    """Make a tensor of an Arrow table; also returns what its indices count from, if it has some."""
    if table.num_rows == 0:
        raise FileFormatError("has no entries", path)
    for name in columns.names:
        if table.column(name).null_count:
            row = int(np.argmax(table.column(name).is_null().to_numpy()))
            raise where(row).error(
                f"has no value in the column {name!r}; leave such rows out", path
            )
    values = table.column(columns.value).to_numpy()
    if values.dtype.kind in "iuf":  # and if not, whoever makes the tensor says so
        require_finite(values, path, where)
    if columns.index_base is not None:
        return _from_indices(table, columns, path, where, request)
    try:
        tensor = SparseTensor.from_frame(
            table, columns.modes, columns.value, like=request.like, duplicates=request.duplicates
        )
    except DuplicateError:
        rows = _repeated_rows(table.select(columns.modes))
        raise repeated(path, *(where(row) for row in rows)) from None
    return tensor, None


def _from_indices(
    table: Any, columns: Columns, path: AnyPath, where: Where, request: Request
) -> tuple[SparseTensor, int]:
    arrays = [table.column(name).to_numpy() for name in columns.modes]
    for name, array in zip(columns.modes, arrays, strict=True):
        if array.dtype.kind not in "iu":
            raise where(0).error(f"the column {name!r} holds no whole numbers to be indices", path)
    values = checks.real_values(table.column(columns.value).to_numpy())
    wanted = Request(
        columns.index_base, request.shape, columns.modes, None, None, request.duplicates
    )
    return tensor_of(np.stack(arrays, axis=1), values, path, where, wanted)


def _repeated_rows(cells: Any) -> tuple[int, int]:
    """Two rows of a table that are equal."""
    rows = cells.append_column("#", [np.arange(cells.num_rows)])
    groups = rows.group_by(cells.column_names).aggregate([("#", "min"), ("#", "max")])
    first, last = groups.column("#_min").to_numpy(), groups.column("#_max").to_numpy()
    pair = int(np.argmin(np.where(first < last, last, cells.num_rows)))
    return int(first[pair]), int(last[pair])
