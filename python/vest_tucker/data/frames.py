"""Entries of data frames, and data frames of entries: pandas, polars, Arrow and others."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import (
    ColumnError,
    DtypeError,
    LabelError,
    MissingPackageError,
    NonFiniteError,
    OptionError,
    WeightError,
)
from vest_tucker.base.extras import needed_for
from vest_tucker.base.options import check_choice, check_text, several, type_text
from vest_tucker.base.types import Flags, Floats, Indices, Labels
from vest_tucker.data.entries import Entries
from vest_tucker.data.label_arrays import Lookup, in_order, label_array, nulls
from vest_tucker.data.labels import ModeLabels, listed, perhaps, show, show_some
from vest_tucker.data.numbering import numbered
from vest_tucker.data.sources.gaps import Missing, row_as_given, rows_without_gaps
from vest_tucker.data.sources.labelled import as_rows
from vest_tucker.data.sources.zones import without_zone, zone_of, zoned

if TYPE_CHECKING:
    import narwhals as nw

Kind = TypeVar("Kind", bound=np.generic)
Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)

# Units of NumPy's dates and times that frames lack -> the next finer unit that all frames have.
FINER = {"Y": "D", "M": "D", "W": "D", "h": "ms", "m": "ms", "s": "ms", "ps": "ns", "fs": "ns"}


def frame_entries(
    frame: Any,
    modes: Sequence[str],
    value: str,
    given: Mapping[str, Any] | ModeLabels,
    weight: str | None = None,
    kept: NDArray[np.intp] | None = None,
) -> Entries:
    """Return one entry per row of a frame.

    ``given`` has all labels of some modes, by name, or the labels of all modes, as of another
    tensor. Other labels in the frame are errors. ``kept`` has the numbers that errors give the
    rows, if others were dropped.
    """
    numbers = [value] if weight is None else [value, weight]
    table = columns_of(frame, [*modes, *numbers], "from_frame")
    is_fixed = isinstance(given, ModeLabels)
    named = given if isinstance(given, ModeLabels) else ModeLabels(len(modes), modes, given)
    coords = np.empty((len(table), len(modes)), dtype=np.int32)
    labels: list[Labels | None] = []
    for mode, name in enumerate(modes):
        column = table[name]
        _require_no_nulls(column, kept)
        own, coords[:, mode] = encoded(column, named, mode, fixed=is_fixed, kept=kept)
        labels.append(own)
    values = _numbers(table[value], "value", kept)
    weights = None if weight is None else _numbers(table[weight], "weight", kept)
    if not is_fixed:
        named = ModeLabels(len(modes), modes, labels)
    smallest = coords.max(axis=0, initial=-1) + 1
    return Entries(coords, values, named.shape(smallest.tolist()), named, weights)


def whole_rows(
    frame: Any, names: Sequence[str], missing: Missing
) -> tuple[Any, NDArray[np.intp] | None]:
    """Return the columns of a frame without rows that have gaps, and the numbers of the others.

    These are None if all rows are kept.
    """
    if missing == "raise":
        return frame, None
    table = columns_of(frame, names, "from_frame")
    kept = rows_without_gaps(gaps_of(table))
    return table if kept is None else table[kept], kept


def columns_of(
    frame: Any,
    names: Sequence[object],
    who: str,
    *,
    if_there: Sequence[str] = (),
    everything: bool = False,
    advice: str = "",
) -> nw.DataFrame[Any]:
    """Return the named columns of a frame of any library; a lazy one collects only these.

    Levels of the index of a frame of pandas are columns, too.
    Columns called as in ``if_there`` come with them if the frame has them, or all others. What to
    do if one is missing, ``advice`` says.
    """
    with needed_for("a data frame", "frame"):
        import narwhals as nw
        from narwhals.exceptions import DuplicateError
    if (type(frame).__module__, type(frame).__name__) == ("pyarrow.lib", "RecordBatch"):
        frame = importlib.import_module("pyarrow").Table.from_batches([frame])
    frame = as_rows(frame, (*names, *if_there))
    try:
        table = nw.from_native(frame)
    except (TypeError, DuplicateError) as error:
        cause = "; its column names repeat" if isinstance(error, DuplicateError) else ""
        raise DtypeError(
            f"{who} needs a data frame of pandas, polars or Arrow with distinct column names, but "
            f"got {type_text(frame)}{cause}"
        ) from error
    there = table.collect_schema().names()
    require_columns(names, there, advice=advice)
    others = [name for name in there if name not in names] if everything else if_there
    table = table.select(*names, *(name for name in others if name in there))
    return table.collect() if isinstance(table, nw.LazyFrame) else table


def require_columns(
    names: Sequence[object], there: Sequence[str], where: str = "", *, advice: str = ""
) -> None:
    """Raise unless all names are those of columns that are there, each asked for once.

    ``advice``, with ``{name}`` for the name, says what to do if a column is missing.
    """
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise ColumnError(
                f"{where}the column {name!r} must be named by a text; rename it first"
            )
        if name not in there:
            do = f"; {advice.format(name=name)}" if advice else ""
            free = [each for each in there if each not in names]
            meant = perhaps(name, np.array(free, dtype=object))
            raise ColumnError(
                f"{where}there is no column {name!r}{meant}; there are {listed(there)}{do}"
            )
        if name in names[:place]:
            raise ColumnError(
                f"{where}the column {name!r} is asked for twice; name each column once"
            )


def make_frame(columns: Mapping[str, Labels], backend: Backend | None, like: str = "") -> Any:
    """Make a frame of the library that ``backend`` names; by default of one ``like`` another.

    If that is "", it is of the first installed library; but of polars, if this is the only one that
    a program has loaded.
    """
    with needed_for("a data frame", "frame"):
        import narwhals as nw
    if backend is None:
        backend = next((name for name in BACKENDS if name == like), None) or installed()
    check_choice("backend", backend, BACKENDS)
    data = {name: _storable(column) for name, column in columns.items()}
    with needed_for(f"a {backend} frame"):
        importlib.import_module(backend)
    try:
        frame = nw.from_dict(data, backend=backend)
        zones = {name: zone_of(column) for name, column in columns.items()}
        local = (
            nw.col(name).dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
            for name, zone in zones.items()
            if zone is not None
        )
        return frame.with_columns(*local).to_native()
    except (TypeError, ValueError, OverflowError) as error:  # a column of several types
        raise DtypeError(f'{backend} cannot hold this, try "pandas": {error}') from error


def library_of(frame: Any) -> str:
    """Return whether a frame is of pandas or polars; "" if neither. Arrow's may be a file's."""
    name = type(frame).__module__.partition(".")[0]
    return name if name in ("pandas", "polars") else ""


def installed() -> Backend:
    """Return the first library of frames that is installed; polars, if only that is loaded."""
    if "polars" in sys.modules and "pandas" not in sys.modules:
        return "polars"
    for name in BACKENDS:
        if importlib.util.find_spec(name) is not None:
            return name
    raise MissingPackageError(
        f"a data frame needs one of the packages {listed(BACKENDS)}, but none is installed; "
        f"pip install {BACKENDS[0]} brings one"
    )


def _storable(column: Labels) -> Any:
    if column.dtype.kind == "O":
        return column.tolist()  # polars does not recognise text in an array of objects
    if column.dtype.kind in "mM":
        unit = np.datetime_data(column.dtype)[0]
        return without_zone(column).astype(f"{column.dtype.kind}8[{FINER.get(unit, unit)}]")
    return column


def gaps_of(table: nw.DataFrame[Any]) -> dict[str, Flags]:
    """Mark what is missing in each column of a frame."""
    return {name: _gaps(table[name]) for name in table.columns}


def _gaps(column: nw.Series[Any]) -> Flags:
    """Mark what is missing in a column; NaN is, too."""
    import narwhals as nw

    gaps = column.is_null()
    if column.dtype in (nw.Float32, nw.Float64):  # those of polars may be NaN and yet not null
        gaps = gaps | column.is_nan().fill_null(False)
    return gaps.to_numpy().astype(bool)


def _require_no_nulls(column: nw.Series[Any], kept: NDArray[np.intp] | None) -> None:
    missing = column.is_null()
    if missing.any():
        row = row_as_given(int(missing.to_numpy().argmax()), kept)
        raise LabelError(null_message(column.name, row))


def null_message(name: str, row: int, *, option: bool = True) -> str:
    """Say that a label is missing, and what to do about it; some calls have no option for that."""
    by = ', as by missing="drop",' if option else ""
    return (
        f"row {row} has no label in the column {name!r}; drop such rows{by} or fill them with a "
        f"label of their own"
    )


def encoded(
    series: nw.Series[Any],
    named: ModeLabels,
    mode: int,
    *,
    fixed: bool,
    can_drop: bool = True,
    kept: NDArray[np.intp] | None = None,
) -> tuple[Labels | None, Indices]:
    """Return the labels of a mode and the index of each row among them.

    If ``fixed``, a mode that has no labels in ``named`` has indices, and gets no labels here.
    ``can_drop`` says whether the caller has an option that drops rows without a label, and ``kept``
    which rows it has left.
    """
    try:
        column = column_of(series)
        is_new = named.labels[mode] is None and not fixed
        are_whole = column.labels.dtype == np.int64 and column.numbers is None
        if is_new and are_whole and len(series):
            return numbered(column.labels)  # int64 has no missing values
        missing = nulls(column.labels)  # NaN is not null in polars, so it may still be there
        own = named.labels[mode]
        if is_new:
            own = _in_order(series.dtype, column.labels[~missing])
            named = ModeLabels(named.order, named.names, {named.names[mode]: own})
    except (LabelError, TypeError) as error:  # lists, for example
        items = enumerate(series.to_list())
        odd = (
            f"row {row_as_given(row, kept)} has {item!r}; "
            for row, item in items
            if not _is_label(item)
        )
        raise LabelError(
            f"the column {series.name!r} does not hold labels: {next(odd, '')}{error}"
        ) from error
    if missing.any():
        row = row_as_given(int(column.rows(missing).argmax()), kept)
        raise LabelError(null_message(series.name, row, option=can_drop))
    found = named.encode(mode, column.labels)
    rows = column.rows(found)
    unseen = found < 0
    if unseen.any():
        first = row_as_given(int((rows < 0).argmax()), kept)
        raise LabelError(_unseen_message(series.name, column.labels[unseen], own, first))
    return own, rows


class Column(NamedTuple):
    """Labels of one mode, one per row; or the distinct labels, and each row's number among them."""

    labels: Labels
    numbers: NDArray[np.intp] | None = None

    @property
    def length(self) -> int:
        """How many rows there are."""
        return len(self.labels if self.numbers is None else self.numbers)

    def rows(self, of_labels: NDArray[Kind]) -> NDArray[Kind]:
        """Return for each row the element of ``of_labels`` that belongs to its label."""
        return of_labels if self.numbers is None else of_labels[self.numbers]


def column_of(series: nw.Series[Any]) -> Column:
    """Return a column of a frame as labels; gaps become the label None.

    Distinct texts are found by the library of the frame, distinct objects by Python.
    """
    import narwhals as nw

    if series.dtype in (nw.Object, nw.Unknown):
        items = series.to_list()
        try:
            table = {item: number for number, item in enumerate(dict.fromkeys(items))}
        except TypeError:  # lists, for example, which cannot be labels
            return Column(label_array(items))
        numbers = np.fromiter(map(table.__getitem__, items), np.intp, len(items))
        return Column(label_array(table), numbers)
    if series.dtype not in (nw.String, nw.Categorical, nw.Enum):
        times = label_array(series.to_numpy())
        return Column(zoned(times, getattr(series.dtype, "time_zone", None)))
    distinct = series.drop_nulls().unique().to_list()
    if not distinct:
        return Column(label_array([None] * len(series)))
    coded = series.replace_strict(distinct, list(range(len(distinct))), return_dtype=nw.Int64)
    if not coded.is_null().any():
        return Column(label_array(distinct), coded.to_numpy())
    numbers = coded.fill_null(len(distinct)).to_numpy()  # pandas has floats where nulls were
    return Column(label_array([*distinct, None]), numbers.astype(np.intp, copy=False))


def _is_label(item: object) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def _in_order(dtype: nw.dtypes.DType, labels: Labels) -> Labels:
    """Return the distinct labels, sorted; those of an ordered category in its order."""
    import narwhals as nw

    if not isinstance(dtype, nw.Enum):
        return in_order(labels)
    categories = label_array(dtype.categories)
    return categories[np.unique(Lookup(categories).find(labels))]


def _unseen_message(name: str, unseen: Labels, own: Labels | None, row: int) -> str:
    distinct = in_order(unseen)
    if own is None:
        return (
            f"row {row} of the column {name!r} has {show(unseen[0])}, but that mode has no labels, "
            f"just indices from 0"
        )
    return (
        f"the column {name!r} has {len(distinct):,} labels that are not among the {len(own):,} "
        f"given (such as {show_some(own[:1])}): {show_some(distinct)}, first in row {row}; drop "
        f"these rows, or make both tensors with the same labels"
    )


def _numbers(column: nw.Series[Any], what: str, kept: NDArray[np.intp] | None) -> Floats:
    import narwhals as nw

    missing = column.is_null()
    if missing.any():
        row = row_as_given(int(missing.to_numpy().argmax()), kept)
        raise (NonFiniteError if what == "value" else WeightError)(
            f"row {row} has no {what} in the column {column.name!r}; drop such rows, as by "
            f'missing="drop": a cell that is left out is missing already'
        )
    if not column.dtype.is_numeric():
        first = _first_that_is_none(column, kept)
        raise DtypeError(
            f"the {what}s must be real numbers, but the column {column.name!r} is "
            f"{column.dtype}{first}; convert it first if that is meant"
        )
    return np.asarray(column.cast(nw.Float64).to_numpy())


def _first_that_is_none(column: nw.Series[Any], kept: NDArray[np.intp] | None) -> str:
    """Say which is the first value that is no number, of text in which most may be some."""
    values = column.to_list()
    for row, value in enumerate(values):
        if not _is_number(value):
            where = row_as_given(row, kept)
            return f" (the first that is none is {value!r}, in row {where})"
    return f" (the first is {values[0]!r})" if values else ""


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    except OverflowError:  # a number, though too large
        return True
    return True


def decoded(entries: Entries, value: str, weight: str = "weight") -> dict[str, Labels]:
    """Return the columns of a tidy frame: a label per mode, the value, and perhaps the weight."""
    names = entries.labels.names
    check_text("value", value)
    check_text("weight", weight)
    if value in names:
        raise ColumnError(
            f'a mode is called {value!r} already; name the values otherwise, as value="x"'
        )
    if entries.weights is not None and weight in (*names, value):
        raise ColumnError(
            f'a column is called {weight!r} already; name the weights otherwise, as weight="w"'
        )
    columns = {
        name: entries.labels.decode(mode, entries.coords[:, mode])
        for mode, name in enumerate(names)
    }
    columns[value] = entries.values
    return columns if entries.weights is None else {**columns, weight: entries.weights}


def chosen_modes(modes: Iterable[str] | None, like: ModeLabels | None) -> tuple[str, ...]:
    """Return the columns that are modes: those asked for, or those of the other tensor."""
    if modes is None and like is not None:
        return like.names
    if modes is None or isinstance(modes, str):
        raise OptionError(
            f"modes is {modes!r}; name the columns that are modes, as modes=['user', 'movie']"
        )
    chosen = tuple(several("modes", modes))
    texts_only = all(isinstance(each, str) for each in chosen)
    if like is not None and not (texts_only and chosen == like.names):
        raise OptionError(
            f"modes {listed(chosen)} are not those of the other tensor, {listed(like.names)}; "
            f"leave them out, or rename the columns"
        )
    return chosen
