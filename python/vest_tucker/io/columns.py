"""From a table with named columns to a tensor: which are modes, which the value and the weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from vest_tucker.base import checks
from vest_tucker.base.errors import (
    ColumnError,
    DamagedFileError,
    DtypeError,
    DuplicateError,
    FileFormatError,
    LabelError,
    ModesWarning,
    OptionError,
)
from vest_tucker.base.telling.steps import underway
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.types import AnyPath, Flags, Labels
from vest_tucker.data.frames import chosen_modes, require_columns
from vest_tucker.data.labels import default_names, listed, show_some
from vest_tucker.data.sources.gaps import rows_without_gaps
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.io.arrow import arrow
from vest_tucker.io.indexed import (
    Where,
    among,
    repeated,
    require_finite,
    require_weights,
    tensor_of,
)
from vest_tucker.io.read_options import Request
from vest_tucker.io.safety.limits import require_columns_to_parse, require_modes

# A column that becomes a mode though nobody said so looks like none if it has a label for nearly
# every entry, of so many at least, or more different numbers with fractions than these.
NEARLY, MANY_ENTRIES, MANY_NUMBERS = 0.9, 100, 50
WRITTEN = ("value", "weight")  # the last columns of a table that `write` has made, with weights


class Columns(NamedTuple):
    """What the columns of a table are.

    Attributes
    ----------
    modes : tuple of str
        The columns that are modes.
    value : str
        The column that is the value.
    index_base : int or None
        What the modes count from if all of them hold indices; None if some hold labels.
    rows : tuple of (int or None), or None
        For each mode that holds indices from 0, beside others that hold labels, its number of rows;
        None for a mode with labels.
    weight : str or None
        The column that is the weight, if there is one.
    is_asked_for : bool
        Whether the caller said which column is the value.
    """

    modes: tuple[str, ...]
    value: str
    index_base: int | None
    rows: tuple[int | None, ...] | None = None
    weight: str | None = None
    is_asked_for: bool = False

    @property
    def why_value(self) -> str:
        """Say why a column is the value, for a message about what it has instead of numbers."""
        why = "value= named it" if self.is_asked_for else "the last column that is not a mode is"
        return f"; {self.value!r} is read as the value, for {why}: say value= and modes= if not so"

    @property
    def names(self) -> list[str]:
        """All columns that are needed."""
        return [*self.modes, *self.numbers]

    @property
    def numbers(self) -> list[str]:
        """The columns that are not modes."""
        return [self.value] if self.weight is None else [self.value, self.weight]


def choose(
    names: Sequence[str],
    path: AnyPath,
    request: Request,
    rows: Mapping[str, int | None] | None = None,
    weight: str | None = None,
) -> Columns:
    """Choose columns: the last is the value and all others are modes, unless the caller says so.

    ``rows`` and ``weight`` are what the file itself says: how many rows each mode has, None if it
    has labels; and the column of weights.
    """
    _require_distinct(names, path)
    given: tuple[str, ...] | None = None
    if request.modes is not None or request.like is not None:
        given = chosen_modes(request.modes, request.like.mode_labels if request.like else None)
    if weight is None and rows is None and tuple(names[-2:]) == WRITTEN:
        weight = WRITTEN[1]
    if request.weight is not None or weight in ((given or ()) + (request.value,)):
        weight = request.weight
    not_value = (*(given or ()), *([] if weight is None else [weight]))
    value = request.value or _last_besides(not_value, names, path)
    others = [value] if weight is None else [value, weight]
    modes = tuple(name for name in names if name not in others) if given is None else given
    require_modes(len(modes), path, "say which columns are modes, as modes=[...]")
    require_columns((*modes, *others), names, f"{path}: ")
    _require_modes(modes, names, path)
    return _with_meaning(modes, value, path, request, rows)._replace(
        weight=weight, is_asked_for=request.value is not None
    )


def _require_distinct(names: Sequence[str], path: AnyPath) -> None:
    if not names:
        raise FileFormatError("is empty; the first line should name the columns", path)
    require_columns_to_parse(len(names), path)
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise FileFormatError(f"has two columns called {name!r}", path)
        seen.add(name)


def _last_besides(modes: Sequence[str], names: Sequence[str], path: AnyPath) -> str:
    """Return the last column that is not a mode."""
    value = next((name for name in reversed(names) if name not in modes), "")
    if not value:
        raise ColumnError(
            f"{path}: every column is a mode ({listed(names)}); none is left for the value"
        )
    return value


def _require_modes(modes: Sequence[str], names: Sequence[str], path: AnyPath) -> None:
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


def _with_meaning(
    modes: tuple[str, ...],
    value: str,
    path: AnyPath,
    request: Request,
    rows: Mapping[str, int | None] | None,
) -> Columns:
    """Find out whether the modes hold labels or indices."""
    base = request.index_base
    if base is None and request.like is None:
        if rows is not None and set(modes) <= set(rows):
            own = tuple(rows[mode] for mode in modes)
            if request.shape is None:
                return Columns(modes, value, None, own)
            base = None if None in own else 0
        elif modes == default_names(len(modes)):
            base = 0  # `write` uses these names for a tensor that has neither names nor labels
    if base is None and request.shape is not None:
        raise OptionError(
            f"{path}: shape is given, but the columns hold labels, which are counted; pass "
            f"index_base= if they hold indices"
        )
    return Columns(modes, value, base)


def tensor_from_table(
    table: Any, columns: Columns, path: AnyPath, where: Where, request: Request
) -> tuple[SparseTensor, int | None]:
    """Make a tensor of an Arrow table; also return what its indices count from, or None."""
    if table.num_rows == 0:
        raise FileFormatError("has no entries", path)
    underway().say("finding labels")
    if request.missing == "drop":
        gaps = {name: _gaps(table.column(name)) for name in columns.names}
        kept = rows_without_gaps(gaps, f"{path}: ", lambda row: where(row).name)
        if kept is not None:
            table, where = table.take(kept), among(kept, where)
    for name in columns.names:
        if table.column(name).null_count:
            row = int(np.argmax(table.column(name).is_null().to_numpy()))
            raise where(row).error(
                f'has no value in the column {name!r}; leave such rows out, or say missing="drop"',
                path,
            )
    for name, require in zip(columns.numbers, (require_finite, require_weights), strict=False):
        numbers = table.column(name).to_numpy()
        if numbers.dtype.kind in "iuf":  # all else is refused when the tensor is made
            require(numbers, path, where)
    if columns.index_base is not None:
        return _from_indices(table, columns, path, where, request)
    try:
        tensor = SparseTensor.from_frame(
            table, columns.modes, columns.value, like=request.like, duplicates=request.duplicates,
            weight=columns.weight, count_as_weight=request.count_as_weight,
        )  # fmt: skip
    except DtypeError as error:
        if repr(columns.value) not in str(error):
            raise
        raise DtypeError(f"{path}: {error}{columns.why_value}") from None
    except DuplicateError:
        rows = _repeated_rows(table.select(columns.modes))
        raise repeated(path, *(where(row) for row in rows)) from None
    if columns.rows is None and request.modes is None and request.like is None:
        _tell_of_strange_modes(tensor)
    if columns.rows is None or not any(columns.rows):
        return tensor, None
    return _with_rows(tensor, columns.rows, path), 0 if all(columns.rows) else None


def _tell_of_strange_modes(tensor: SparseTensor) -> None:
    """Warn of columns that were taken for modes, but look like numbers of rows or like values."""
    labels = zip(tensor.modes, tensor.labels, strict=True)
    strange = {
        name: why
        for name, own in labels
        if own is not None and (why := _why_no_mode(own, tensor.nnz))
    }
    if strange:
        what = "; ".join(f"{name!r} {why}" for name, why in strange.items())
        others = [name for name in tensor.modes if name not in strange]
        advice = f"say which columns are modes, as modes={others or list(tensor.modes)}"
        warn(f"every column but the value became a mode, also {what}: {advice}", ModesWarning)


def _why_no_mode(own: Labels, entries: int) -> str:
    """Say why a column is hardly a mode; "" if it may well be one.

    Examples
    --------
    >>> _why_no_mode(np.arange(95), 100), _why_no_mode(np.arange(60), 100)
    ('has 95 labels for 100 entries', '')
    """
    if entries >= MANY_ENTRIES and len(own) > NEARLY * entries:
        return f"has {len(own):,} labels for {entries:,} entries"
    if own.dtype.kind == "f" and len(own) > MANY_NUMBERS and (own != np.trunc(own)).any():
        return f"has {len(own):,} different numbers with fractions"
    return ""


def _gaps(column: Any) -> Flags:
    gaps: Flags = column.is_null(nan_is_null=True).to_numpy()
    return gaps


def _with_rows(tensor: SparseTensor, rows: Sequence[int | None], path: AnyPath) -> SparseTensor:
    """Turn labels that are indices from 0 into indices, in modes whose number of rows is given."""
    coords, shape, labels = tensor.coords.copy(), list(tensor.shape), list(tensor.labels)
    for mode, dim in enumerate(rows):
        own = labels[mode]
        if dim is None or own is None:
            continue
        if own.dtype.kind != "i" or own[0] < 0 or own[-1] >= dim:
            raise DamagedFileError(
                f"the column {tensor.modes[mode]!r} should hold indices from 0 to {dim - 1}, but "
                f"has {show_some(own[[0, -1]])}",
                path,
            )
        coords[:, mode] = own[coords[:, mode]]
        shape[mode], labels[mode] = dim, None
    return SparseTensor(
        coords, tensor.values, shape, modes=tensor.modes, labels=labels, weights=tensor.weights
    )


def table_of(tensor: SparseTensor, value: str, weight: str) -> Any:
    """Return an Arrow table: a column of labels, or of indices from 0, per mode, and the values.

    The last column are the weights, if there are any.
    """
    pa = arrow("writing a table")
    try:
        table = tensor.to_frame(value=value, weight=weight, backend="pyarrow")
        if any(map(pa.types.is_nested, table.schema.types)):
            raise DtypeError("they are lists")
    except DtypeError as error:
        raise not_storable(error) from error
    return table


def not_storable(why: Exception) -> LabelError:
    """Return the error for labels that a format cannot hold."""
    return LabelError(
        f"the labels cannot be written ({why}); make those of each mode text, numbers, dates or "
        f"times"
    )


def _from_indices(
    table: Any, columns: Columns, path: AnyPath, where: Where, request: Request
) -> tuple[SparseTensor, int]:
    arrays = [table.column(name).to_numpy() for name in columns.modes]
    for name, array in zip(columns.modes, arrays, strict=True):
        if array.dtype.kind not in "iu":
            raise where(0).error(
                f"the column {name!r} does not hold whole numbers, as indices are", path
            )
    values = checks.real_values(table.column(columns.value).to_numpy())
    like, shape = request.like, request.shape
    if like is not None:
        if shape not in (None, like.shape):
            raise OptionError(f"shape is {shape}, but that of the other tensor is {like.shape}")
        shape = like.shape
    weights = None
    if columns.weight is not None:
        weights = checks.real_values(table.column(columns.weight).to_numpy())
    wanted = Request(
        columns.index_base, shape, columns.modes, duplicates=request.duplicates,
        count_as_weight=request.count_as_weight,
    )  # fmt: skip
    tensor, base = tensor_of(np.stack(arrays, axis=1), values, path, where, wanted, weights)
    if like is not None:
        tensor = SparseTensor(
            tensor.coords, tensor.values, shape, labels=like.mode_labels, weights=tensor.weights
        )
    return tensor, base


def _repeated_rows(cells: Any) -> tuple[int, int]:
    """Return two rows of a table that are equal."""
    rows = cells.append_column("#", [np.arange(cells.num_rows)])
    groups = rows.group_by(cells.column_names).aggregate([("#", "min"), ("#", "max")])
    first, last = groups.column("#_min").to_numpy(), groups.column("#_max").to_numpy()
    pair = int(np.argmin(np.where(first < last, last, cells.num_rows)))
    return int(first[pair]), int(last[pair])
