"""From the cells that a caller names, in any form, to rows of the factors.

Arrays of whole numbers are always coordinates. Frames and dicts hold labels, found by the names of
the modes; a mode that a dict leaves out is averaged over. Rows of anything else than whole numbers
hold labels too, in the order of the modes. In a mode without labels the indices are the labels.
Lists of whole numbers are coordinates too, unless every label of the model is a whole number: they
may then mean either, and are refused. An array of such is told of, if it has just labels in it.
Texts that are dates as ISO 8601 writes them are those dates, if a mode has dates for labels.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence, Sized
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker.base import checks
from vest_tucker.base.errors import (
    CoordinateError,
    CoordinatesWarning,
    LabelError,
    ModeError,
    OptionError,
    ShapeError,
)
from vest_tucker.base.options import shown
from vest_tucker.base.telling.warn import warn
from vest_tucker.base.types import Coords, Flags, Labels
from vest_tucker.data.frames import Column, column_of, columns_of
from vest_tucker.data.label_arrays import label_array
from vest_tucker.data.labels import (
    ModeLabels,
    default_names,
    listed,
    perhaps,
    show,
    show_some,
)
from vest_tucker.data.sources.dates import as_times
from vest_tucker.data.tensor import SparseTensor
from vest_tucker.model.meaning.meant import NO_OPTION, Advice, StrangeLabels, why_not_kin

# Any: frames of any library that narwhals knows.
CellsLike: TypeAlias = "ArrayLike | Iterable[Sequence[object]] | Mapping[str, object] | Any"
Unseen: TypeAlias = "Flags | None"
# Whom to warn of unseen labels: of all, of those that look like mistakes, or of none.
Told: TypeAlias = Literal["all", "mistakes", "none"]


# What to do if a column of labels is missing.
AVERAGE = 'average="{name}" predicts the average over this mode'
SOME = 10  # labels of a mode that tell its kind
AT_ONCE = 1 << 20  # cells that are predicted before anybody is told how far it is


class Cells(NamedTuple):
    """Cells as rows of the factors.

    ``unseen`` marks labels that the model does not have, whose coordinate is then 0. It is None if
    the cells were given as coordinates; these are not yet compared with the shape. ``columns`` are
    the labels as they were given, if they were given one column per mode. ``left_out`` are modes
    that no label was given for, whose coordinates are 0, too.
    """

    coords: Coords
    unseen: Unseen
    columns: Sequence[Column] | None = None
    left_out: tuple[int, ...] = ()


def are_many(given: CellsLike) -> bool:
    """Tell whether cells are so many that finding and predicting them may take long."""
    if isinstance(given, SparseTensor):
        return given.nnz > AT_ONCE
    columns: list[Any] = list(given.values()) if isinstance(given, Mapping) else [given]
    lengths = [len(each) for each in columns if is_many(each) and hasattr(each, "__len__")]
    return max(lengths, default=0) > AT_ONCE


def find_cells(
    given: CellsLike,
    modes: ModeLabels,
    shape: tuple[int, ...],
    *,
    strict: bool,
    told: Told = "mistakes",
    advice: Advice = NO_OPTION,
    average: Sequence[str] | None = None,
) -> Cells:
    """Return cells given in any form.

    If strict, a label that is not in ``modes`` raises; otherwise one warning tells of all of them,
    as ``told`` says. Modes to ``average`` over need no labels; None if a call has no such option.
    """
    how: dict[str, Any] = {"strict": strict, "told": told, "advice": advice}
    if isinstance(given, Mapping):
        named = _named(given, modes, average or ())
        return cells_of_columns(mapped_columns(given, named), modes, shape, named=named, **how)
    if not isinstance(given, np.ndarray | SparseTensor) and hasattr(type(given), "columns"):
        named = [name for name in modes.names if name not in (average or ())]
        columns = _from_frame(given, named, optional=average is not None)
        return cells_of_columns(columns, modes, shape, named=named, **how)
    if average:
        raise OptionError(
            "average is for cells given as a dict or a frame, whose columns say which modes they "
            "are; rows have a label or a coordinate of every mode"
        )
    if isinstance(given, SparseTensor):
        return _of_tensor(given, modes, shape, **how)
    rows: Any = given
    if is_many(rows) and not hasattr(rows, "__array__"):
        if isinstance(rows, range):  # of numbers, of which no row has several
            raise ShapeError(_not_rows(f"are {rows!r}"))
        rows = list(rows)  # a generator can be read only once
        for number, row in enumerate(rows):
            if isinstance(row, range) and len(row) > modes.order:
                raise ShapeError(_not_rows(f"row {number} is {row!r}"))
        if not rows:
            return Cells(np.empty((0, modes.order), dtype=np.int32), None)
    if _are_coordinates(rows, modes):
        coords = _of_this_order(checks.coordinates(rows), modes)
        if told != "none":
            _look_for_labels(rows, coords, modes, shape)
        return Cells(coords, None)
    return cells_of_columns(_from_rows(rows, modes), modes, shape, **how)


def told_of(unseen: str) -> Told:
    """Return which unseen labels a prediction warns of: by default of all.

    Who has chosen NaN or zero for them expects some; but not slips.
    """
    return "all" if unseen == "mean" else "mistakes"


# --- From each form to one column of labels per mode ----------------------------------------------


def averaged_modes(average: Any, modes: ModeLabels) -> tuple[str, ...]:
    """Return the modes that are to be averaged over, one or several, by their names.

    Examples
    --------
    >>> averaged_modes("hour", ModeLabels(2, ["dish", "hour"]))
    ('hour',)
    """
    try:
        given = (average,) if isinstance(average, str | int) else tuple(islice(average, 1000))
    except TypeError:
        raise OptionError(
            f"average is {shown(average)}; give the name of a mode, or several of "
            f"{listed(modes.names)}"
        ) from None
    numbers = {modes.number(mode) for mode in given}
    if len(numbers) == modes.order:
        raise OptionError(
            f"average names all modes, {listed(modes.names)}, so that no cell is left to predict; "
            f"leave out those that the cells have labels for"
        )
    return tuple(modes.names[number] for number in sorted(numbers))


def _named(given: Mapping[str, Any], modes: ModeLabels, average: Sequence[str]) -> list[str]:
    """Return the modes that a dict has labels for; others are averaged over, unless misspelt."""
    wanted = [name for name in modes.names if name not in average]
    named = [name for name in wanted if name in given]
    strange = [name for name in given if name not in modes.names]
    if not named or (strange and len(named) < len(wanted)):
        left = [name for name in wanted if name not in named]
        if strange:
            known = np.array(modes.names, dtype=object)
            raise ModeError(
                f"there is no mode {strange[0]!r}{perhaps(strange[0], known)}; the modes are "
                f"{listed(modes.names)}, and those that are left out are averaged over"
            )
        raise ModeError(
            f"there is nothing for the mode {listed(left[:1])}; there is {listed(given)}: name a "
            f"mode as the model does ({listed(modes.names)}), or leave out just those to average "
            f"over"
        )
    return named


def mapped_columns(given: Mapping[str, Any], names: Sequence[str]) -> list[Column]:
    """Return one column for each name, all of one length; a single label is repeated."""
    many = {name: label_array(given[name]) for name in names if is_many(given[name])}
    lengths = {name: len(labels) for name, labels in many.items()}
    if len(set(lengths.values())) > 1:
        raise ShapeError(
            f"the modes have different numbers of labels, {lengths}; give as many of each, or a "
            f"single one for all"
        )
    same = np.zeros(next(iter(lengths.values()), 1), dtype=np.intp)
    return [
        Column(many[name]) if name in many else Column(label_array([given[name]]), same)
        for name in names
    ]


def _from_frame(given: Any, names: Sequence[str], *, optional: bool) -> list[Column]:
    """Return the columns of a frame; one that is missing is more often misspelt than left out."""
    table = columns_of(given, names, "predict", advice=AVERAGE if optional else "")
    return [column_of(table[name]) for name in names]


def _from_rows(rows: Any, modes: ModeLabels) -> list[Column]:
    """Return the columns of an array, or of a list of tuples, whose elements keep their types."""
    if hasattr(rows, "__array__"):
        array = np.asanyarray(rows)
        if array.ndim != 2:
            raise ShapeError(_not_rows(f"the array has the shape {array.shape}"))
        return [Column(label_array(each)) for each in _of_this_order(array, modes).T]
    for number, row in enumerate(rows):
        if not is_many(row) or not isinstance(row, Sized):
            raise ShapeError(_not_rows(f"row {number} is {show(row)}"))
        if len(row) != modes.order:
            raise ShapeError(
                f"row {number} has {len(row)} labels but the model has {modes.order} modes; "
                f"give one label per mode"
            )
    return [Column(label_array(each)) for each in zip(*rows, strict=True)]


def _not_rows(what: str) -> str:
    return (
        f"cells must be rows of one label per mode, but {what}; for a single cell write "
        f"[(label, label, ...)]"
    )


def is_many(given: object) -> bool:
    """Whether something holds labels, and is not a single one."""
    single = isinstance(given, str | bytes) or getattr(given, "ndim", 1) == 0
    return isinstance(given, Iterable) and not single


def _are_coordinates(rows: Any, modes: ModeLabels) -> bool:
    """Whether rows hold coordinates, not labels; for a model without labels they always do."""
    if not is_many(rows) or all(labels is None for labels in modes.labels):
        return True
    if hasattr(rows, "__array__"):
        array = np.asarray(rows)
        _require_no_floats(array, modes)
        return array.dtype.kind in "iu" or array.size == 0
    lists = [row for row in rows if is_many(row)]
    if rows and not lists and not all(map(_is_whole, rows)):
        return False  # labels, of a single cell
    if not all(map(_is_whole, itertools.chain.from_iterable(lists))):
        return False
    if lists and _are_like_coordinates(modes):
        raise LabelError(
            f"are {show_some(rows[:1])} and so on labels or coordinates? All labels of the model "
            f"are whole numbers; pass a dict or a frame for labels, an array of whole numbers, as "
            f"np.array(cells, dtype=np.int32), for coordinates"
        )
    return True


def _require_no_floats(array: NDArray[Any], modes: ModeLabels) -> None:
    """Raise if whole numbers are given as floats, which are no labels of some mode."""
    if array.dtype.kind != "f" or array.ndim != 2 or not array.size:
        return
    if not (array == np.trunc(array)).all():
        return
    for name, labels in zip(modes.names, modes.labels, strict=True):
        if labels is None or labels.dtype.kind in "iuf":
            continue
        if labels.dtype.kind != "O" or all(isinstance(each, str) for each in labels[:SOME]):
            raise LabelError(
                f"the cells are an array of floats, but mode {name!r} has other labels, such as "
                f"{show(labels[0])}; coordinates are whole numbers, as cells.astype(np.int32)"
            )


def _look_for_labels(rows: Any, coords: Coords, modes: ModeLabels, shape: tuple[int, ...]) -> None:
    """Tell that whole numbers were taken for coordinates, where labels were meant, or may be.

    Arrays of 32 bits, as the coordinates of tensors are, leave no doubt.
    """
    if not coords.size or all(labels is None for labels in modes.labels):
        return
    instead = "for labels pass a frame, or a dict, as dict(zip(model.modes, cells.T))"
    if coords.min() < 0 or (coords.max(axis=0) >= shape).any():
        outside = (coords < 0) | (coords >= np.array(shape))
        row, mode = (int(at) for at in np.argwhere(outside)[0])
        raise CoordinateError(
            f"row {row} has {coords[row, mode]} in mode {modes.names[mode]!r}: whole numbers are "
            f"coordinates, which lie in 0..{shape[mode] - 1} here; {instead}"
        )
    if getattr(rows, "dtype", None) == np.int32 or not _are_like_coordinates(modes):
        return
    if all((modes.encode(mode, coords[:, mode]) >= 0).all() for mode in range(modes.order)):
        warn(
            f"whole numbers are coordinates, but these are labels of the model, too; {instead}; "
            f"coordinates are beyond doubt as cells.astype(np.int32)",
            CoordinatesWarning,
        )


def _is_whole(given: object) -> bool:
    return isinstance(given, int | np.integer) and not isinstance(given, bool)


def _are_like_coordinates(modes: ModeLabels) -> bool:
    """Whether all labels are whole numbers, and others than the numbers of their rows."""
    whole = [labels for labels in modes.labels if labels is not None and labels.dtype.kind in "iu"]
    return len(whole) == modes.order and not all(
        np.array_equal(labels, np.arange(len(labels))) for labels in whole
    )


def _of_this_order(coords: NDArray[Any], modes: ModeLabels) -> NDArray[Any]:
    if coords.shape[1] != modes.order:
        raise ShapeError(
            f"coordinates have {coords.shape[1]} columns but the model has {modes.order} modes; "
            f"give one row per cell and one column per mode"
        )
    return coords


# --- From labels to rows of the factors -----------------------------------------------------------


def cells_of_columns(
    columns: Sequence[Column],
    modes: ModeLabels,
    shape: tuple[int, ...],
    *,
    strict: bool,
    told: Told = "mistakes",
    advice: Advice = NO_OPTION,
    named: Sequence[str] | None = None,
) -> Cells:
    """Return the cells of one column of labels for each mode that is ``named``, by default all."""
    numbers = range(modes.order) if named is None else [modes.number(name) for name in named]
    strange = StrangeLabels(modes)
    coords = np.zeros((columns[0].length, modes.order), dtype=np.int32)
    for mode, column in zip(numbers, columns, strict=True):
        coords[:, mode] = known_rows(column, modes, mode, shape[mode], strict, strange, advice)
    unseen = coords < 0
    coords[unseen] = 0
    if told != "none":
        strange.warn(mistakes_only=told == "mistakes", advice=advice.warning)
    left_out = tuple(mode for mode in range(modes.order) if mode not in numbers)
    return Cells(coords, unseen, None if left_out else columns, left_out)


def with_times(column: Column, own: Labels | None) -> Column:
    """Return a column with times in place of texts that are some, if those of a mode are times."""
    return Column(as_times(column.labels, own, label_array), column.numbers)


def known_rows(
    column: Column,
    modes: ModeLabels,
    mode: int,
    dim: int,
    strict: bool,
    strange: StrangeLabels | None = None,
    advice: Advice = NO_OPTION,
) -> NDArray[np.int32]:
    """Return rows of the factor, -1 for a label that the model does not have; count these."""
    column = with_times(column, modes.labels[mode])
    found = modes.encode(mode, column.labels)
    if modes.labels[mode] is None:
        found[found >= dim] = -1
    rows = column.rows(found)
    if not (found < 0).any():
        return rows
    if found.max() < 0:
        why = why_not_kin(column.labels, modes.decode(mode, [0]), modes.names[mode])
        if why and strict:
            raise LabelError(why)
        if strange is not None:
            strange.add_kind(mode, why)
    if strict and rows.size and rows.min() < 0:
        row = int(np.argmax(rows < 0))
        label = column.rows(column.labels)[row]
        raise LabelError(
            f"row {row} has {show(label)} in mode {modes.names[mode]!r}, which the model has not "
            f"seen{perhaps(label, modes.labels[mode])}; {advice.error}"
        )
    if strange is not None:
        strange.add(mode, column.labels[found < 0], rows < 0)
    return rows


# --- Another tensor -------------------------------------------------------------------------------


def _of_tensor(
    X: SparseTensor,
    modes: ModeLabels,
    shape: tuple[int, ...],
    strict: bool,
    told: Told,
    advice: Advice,
) -> Cells:
    """Match modes by name and rows by label if both have them, otherwise by number."""
    _of_this_order(X.coords, modes)
    theirs = positions(X.modes, modes)
    coords = X.coords if theirs == list(range(X.order)) else X.coords[:, theirs]
    matched = {
        mode: rows
        for mode, their in enumerate(theirs)
        if (rows := _matched_rows(X, their, modes, mode, shape[mode], strict, advice)) is not None
    }
    if not matched:
        return Cells(np.ascontiguousarray(coords), None)
    coords = np.array(coords, order="C")
    unseen = np.zeros(coords.shape, dtype=bool)
    strange = StrangeLabels(modes)
    for mode, rows in matched.items():
        found = rows[coords[:, mode]]
        unseen[:, mode] = found < 0
        if unseen[:, mode].any():
            labels = X.mode_labels.decode(theirs[mode], np.unique(coords[unseen[:, mode], mode]))
            if (found < 0).all():
                own = modes.decode(mode, [0])
                strange.add_kind(mode, why_not_kin(labels, own, modes.names[mode]))
            strange.add(mode, labels, unseen[:, mode])
        coords[:, mode] = np.maximum(found, 0)
    if told != "none":
        strange.warn(mistakes_only=told == "mistakes", advice=advice.warning)
    return Cells(coords, unseen)


def positions(names: tuple[str, ...], modes: ModeLabels) -> list[int]:
    """Return the tensor's number of each mode of the model: by name if both have given names."""
    default = default_names(modes.order)
    if default in (names, modes.names):
        return list(range(modes.order))
    if set(names) != set(modes.names):
        raise ModeError(f"the tensor has the modes {names} but the model has {modes.names}")
    return [names.index(name) for name in modes.names]


def _matched_rows(
    X: SparseTensor,
    their: int,
    modes: ModeLabels,
    mode: int,
    dim: int,
    strict: bool,
    advice: Advice,
) -> NDArray[np.int32] | None:
    """Return the model's row for each row of a tensor's mode; None if the rows are the same."""
    labels, own = X.labels[their], modes.labels[mode]
    if labels is None or own is None:
        require_kin_rows(X, their, modes, mode, dim)
        return None
    if labels is own or np.array_equal(labels, own):
        return None
    used = np.zeros(len(labels), dtype=bool)
    used[X.coords[:, their]] = True
    rows = np.full(len(labels), -1, dtype=np.int32)
    rows[used] = known_rows(Column(labels[used]), modes, mode, dim, strict, advice=advice)
    return rows


def require_kin_rows(X: SparseTensor, their: int, modes: ModeLabels, mode: int, dim: int) -> None:
    """Raise if only one of the two has labels in a mode and the numbers of rows differ."""
    labels, own = X.labels[their], modes.labels[mode]
    if (labels is None) != (own is None) and X.shape[their] != dim:
        with_them, without = ("tensor", "model") if own is None else ("model", "tensor")
        raise LabelError(
            f"in mode {modes.names[mode]!r} the {with_them} has labels and the {without} has "
            f"none, and the tensor has {X.shape[their]:,} rows but the model {dim:,}, so which "
            f"belong together is unknown; give labels to both or to none"
        )
