"""Arrays, series and wide frames that bring labels of their own: pandas, xarray and their like.

None of these packages is needed: an object is known by what it has. Only to make a ``DataArray``
takes xarray.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from vest_tucker.base.errors import ColumnError, DtypeError, ModeError, ShapeError
from vest_tucker.base.extras import needed_for
from vest_tucker.base.options import texts
from vest_tucker.base.types import Floats, Labels
from vest_tucker.data.label_arrays import label_array
from vest_tucker.data.labels import GivenLabels, ModeLabels, default_names, listed
from vest_tucker.data.sources.zones import local, zone_of

VALUE = "value"  # what the values of a frame are called unless the caller says otherwise


class Labelled(NamedTuple):
    """All cells of an array, and the names and labels that it came with, if it has any."""

    cells: Any
    modes: tuple[str, ...] | None = None
    labels: GivenLabels = None


def with_own_labels(array: Any, modes: Iterable[str] | None, labels: GivenLabels) -> Labelled:
    """Return an array with its own names and labels, unless others are given for these.

    A wide frame has rows and columns for modes; a ``DataArray`` of xarray its dimensions.

    Examples
    --------
    >>> import pandas as pd
    >>> wide = pd.DataFrame({"soup": [4.0], "rice": [2.0]}, index=pd.Index(["ann"], name="who"))
    >>> found = with_own_labels(wide, None, None)
    >>> found.modes, [each.tolist() for each in found.labels]
    (('who', 'mode_1'), [['ann'], ['soup', 'rice']])
    """
    if hasattr(array, "dims") and hasattr(array, "data_vars"):
        names = [str(name) for name in array.data_vars]
        raise DtypeError(
            f"a Dataset of xarray has several variables, {names}; choose the one that has the "
            f"values, as dataset[{names[0] if names else 'name'!r}]"
        )
    if hasattr(array, "dims") and hasattr(array, "coords"):
        own = _of_dimensions(array)
    elif hasattr(type(array), "columns") and hasattr(type(array), "to_numpy"):
        own = _of_wide_frame(array)
    else:
        return Labelled(array, None if modes is None else texts("modes", modes), labels)
    named = tuple(own.modes or ()) if modes is None else texts("modes", modes)
    if labels is None:
        return own._replace(modes=named)
    given = ModeLabels(len(named), named, labels).labels
    both = zip(given, own.labels, strict=True)  # type: ignore[arg-type]
    return Labelled(own.cells, named, [mine if one is None else one for one, mine in both])


def _of_dimensions(array: Any) -> Labelled:
    """Return the cells of an array whose dimensions have names, and some of them coordinates."""
    modes = tuple(str(name) for name in array.dims)
    labels = [_coordinates(array, name) if name in array.coords else None for name in array.dims]
    return Labelled(np.asarray(array), modes, labels)


def _coordinates(array: Any, name: object) -> Labels:
    index: Any = getattr(array, "indexes", {}).get(name)
    zoned = getattr(index, "tz", None) is not None  # NumPy would drop the zone
    return label_array(index if zoned else np.asarray(array.coords[name]))


def data_array(cells: Callable[[], Floats], modes: ModeLabels) -> Any:
    """Return all cells as a ``DataArray`` of xarray: modes are dimensions, labels coordinates.

    A mode without labels is a dimension without coordinates. Times with a zone are pandas's, which
    know it. The cells are asked for once xarray is there: they may take long.
    """
    with needed_for("to_xarray", "xarray"):
        import pandas as pd  # which xarray needs
        import xarray
    own = dict(zip(modes.names, modes.labels, strict=True))
    coords = {
        name: labels if zone_of(labels) is None else pd.Index(local(labels))
        for name, labels in own.items()
        if labels is not None
    }
    return xarray.DataArray(cells(), coords, dims=modes.names)


def _of_wide_frame(frame: Any) -> Labelled:
    """Return the cells of a frame with a row for each label of one mode, a column of the other."""
    axes = [getattr(frame, "index", None), frame.columns]
    for what, axis in zip(("index", "columns"), axes, strict=True):
        if getattr(axis, "nlevels", 1) > 1:
            has = "have" if what == "columns" else "has"
            raise ShapeError(
                f"the {what} of the frame {has} {axis.nlevels} levels, so that it is not a matrix; "
                f"frame.stack(...) makes a Series of it, which SparseTensor.from_frame takes"
            )
    names = [getattr(axis, "name", None) for axis in axes]
    modes = tuple(
        default if name is None else str(name)
        for name, default in zip(names, default_names(2), strict=True)
    )
    return Labelled(
        _numbers(frame), modes, [None if _is_plain(a) else label_array(a) for a in axes]
    )


def _numbers(frame: Any) -> Any:
    """Return the cells as numbers; gaps of the types of pandas that have any become NaN."""
    kinds = [getattr(dtype, "kind", "O") for dtype in getattr(frame, "dtypes", ())]
    cells = frame.to_numpy()
    if cells.dtype.kind == "O" and kinds and set(kinds) <= set("iuf"):
        return frame.to_numpy(dtype=np.float64, na_value=np.nan)
    return cells


def _is_plain(axis: Any) -> bool:
    """Whether the labels of an axis are no more than the numbers of its rows, and nameless."""
    if axis is None:
        return True
    is_range = type(axis).__name__ == "RangeIndex" and axis.name is None
    return is_range and (axis.start, axis.step) == (0, 1)


def as_rows(frame: Any, names: Iterable[object]) -> Any:
    """Return a frame of pandas with those levels of its index as columns that are asked for.

    Other frames have no index, and are returned as they are.
    """
    if not hasattr(type(frame), "reset_index"):  # of the class: a lazy frame warns if it is asked
        return frame
    levels = list(getattr(frame.index, "names", ()))
    wanted = [
        name
        for name in names
        if isinstance(name, str) and name in levels and name not in frame.columns
    ]
    return frame.reset_index(level=wanted) if wanted else frame


def series_as_rows(series: Any, value: str) -> tuple[Any, tuple[str, ...]]:
    """Return a series of pandas with an index of several levels as a frame, and its levels."""
    levels = list(getattr(series.index, "names", ()))
    if len(levels) < 2:
        raise ShapeError(
            f"a Series needs an index of two levels or more, one for each mode, but this one has "
            f"{len(levels)}; give a frame with a column for each mode"
        )
    if any(not isinstance(name, str) for name in levels):
        raise ModeError(
            f"the levels of the index are called {levels}; name each of them, as "
            f"series.rename_axis(['who', 'dish'])"
        )
    if value in levels:
        raise ModeError(f"a level is called {value!r}, as the values are; pass another value=")
    return series.rename(value).reset_index(), tuple(levels)


def only_column(frame: Any, value: str) -> Any:
    """Return the only column of a frame of pandas whose index has several levels, as a series.

    Its name does not matter to who has not named the values. Everything else is returned as it is.
    """
    if not hasattr(type(frame), "reset_index") or not hasattr(type(frame), "columns"):
        return frame
    if len(frame.columns) != 1 or getattr(frame.index, "nlevels", 1) < 2:
        return frame
    if value not in (VALUE, frame.columns[0]):
        raise ColumnError(f"there is no column {value!r}; there are {listed(frame.columns)}")
    return frame[frame.columns[0]]


def is_series(frame: Any) -> bool:
    """Whether something is a series of pandas, or of a package that does as it does."""
    own = type(frame)
    return hasattr(own, "rename_axis") and not hasattr(own, "columns")
