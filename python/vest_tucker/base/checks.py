"""Checks of arrays, shapes and ranks, each in one place; what they return is normalised.

Coordinates become C-contiguous, aligned int32 arrays (n, N), values such arrays of float64 (n,).
Arrays that are so already are not copied. That coordinates lie inside the shape and that values
are finite is checked by `_core`, which reads all of them anyway.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker.base.errors import (
    AllZeroError,
    CoordinateError,
    DtypeError,
    EmptyTensorError,
    NonFiniteError,
    NotEnoughMemoryError,
    RankError,
    ScaleError,
    ShapeError,
    VarianceError,
)
from vest_tucker.base.options import type_text
from vest_tucker.base.types import Coords, Floats

MOST_BY_ITSELF = 10  # the rank of a mode that a dict of ranks does not name
INT32_MAX = 2**31 - 1
HUGE = INT32_MAX // 8  # numbers of a range that nobody means to be written out
# The C++ core stores sets of modes in 64 bits; arrays of NumPy before 2.0 have at most 32 modes.
MAX_ORDER = 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 32
# Accepted norms: their squares, and those of far smaller residuals, are normal doubles.
NORM_RANGE = (1e-140, 1e140)


def coordinates(coords: ArrayLike) -> Coords:
    """Return coordinates of any integer dtype as int32 (n, N)."""
    array = as_array(coords, "coordinates")
    if array.ndim != 2:
        hint = "; for a single entry write [[i, j, k]]" if array.ndim == 1 else ""
        raise ShapeError(
            f"coordinates must have the shape (n, N), one row per entry and one column per mode, "
            f"but have {array.shape}{hint}"
        )
    if array.size == 0:
        return np.empty(array.shape, dtype=np.int32)
    if array.dtype.kind == "f":
        raise DtypeError(_float_coordinates(array))
    if array.dtype.kind not in "iu":
        raise DtypeError(
            f"coordinates must be integers but have the dtype {array.dtype} (row 0 is "
            f"{array[0].tolist()}); SparseTensor.from_frame numbers the labels of a data frame, or "
            f"convert with .astype(np.int64)"
        )
    if not np.can_cast(array.dtype, np.int32):
        _fits_int32(array)
    return np.require(array, np.int32, ["C", "A"])


def as_array(given: ArrayLike, what: str) -> NDArray[Any]:
    """Return anything as an array; raise if it is ragged or if masked elements would be lost."""
    # Plain arrays skip the question, because asking it loads NumPy's module of masked arrays.
    if isinstance(given, np.ndarray) and type(given) is not np.ndarray and np.ma.is_masked(given):
        hidden = np.argwhere(np.atleast_1d(np.ma.getmaskarray(given)))
        raise DtypeError(
            f"the {what} are masked: {len(hidden):,} elements are hidden, the first of them in "
            f"row {hidden[0][0]}; drop the masked rows, as with values.compressed() and "
            f"coords[~values.mask]"
        )
    inside = given[:1000] if isinstance(given, list | tuple) else []
    huge = [each for each in (given, *inside) if isinstance(each, range) and len(each) > HUGE]
    if huge:  # NumPy would write all of it out
        raise ShapeError(f"the {what} are {huge[0]!r}; give an array, or a list of what is meant")
    try:
        return np.asarray(given)
    except MemoryError as error:  # of a range deep inside, for instance
        raise NotEnoughMemoryError(f"there is not enough memory for the {what}") from error
    except ValueError as error:
        raise ShapeError(_ragged(given, what) or f"the {what} are not an array: {error}") from error


def _ragged(rows: Any, what: str) -> str:
    """Say which row of nested lists is the first of another length; "" if all have the same."""
    try:
        lengths = [len(row) if isinstance(row, Sized) else 1 for row in rows]
    except TypeError:
        return ""
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            return f"row {row} of the {what} has the length {length}, but row 0 has {lengths[0]}"
    return ""


def _float_coordinates(array: NDArray[Any]) -> str:
    """Why coordinates of a float dtype are refused, and what would help."""
    whole = np.isfinite(array) & (np.trunc(array) == array)
    if whole.all():
        _fits_int32(array)  # larger ones would become others as integers
        return (
            f"coordinates must be integers but have the dtype {array.dtype}; all of them are "
            f"whole numbers, so coords.astype(np.int64) is what you want"
        )
    row, mode = (int(k) for k in np.argwhere(~whole)[0])
    return (
        f"coordinates must be integers, but row {row} has {array[row, mode]} in mode {mode}; "
        f"are the values among the coordinates, or the columns mixed up?"
    )


def _fits_int32(array: NDArray[Any]) -> None:
    # The two whole-array extremes are cheap; only a failure looks for the row.
    if array.max() <= INT32_MAX and array.min() >= -INT32_MAX:
        return
    row, mode = (int(k) for k in np.argwhere((array > INT32_MAX) | (array < -INT32_MAX))[0])
    raise CoordinateError(
        f"row {row} has the coordinate {array[row, mode]} in mode {mode}, beyond the 32-bit range "
        f"(0 to {INT32_MAX - 1}); number the labels of that mode from 0 without gaps"
    )


def real_values(values: ArrayLike) -> Floats:
    """Return values of any integer or floating dtype as float64 (n,)."""
    array = as_array(values, "values")
    if array.ndim != 1:
        raise ShapeError(
            f"values must have the shape (n,), one per entry, but have {array.shape}; "
            f"np.ravel(values) may help"
        )
    return _as_float64(array, "values")


def entry_weights(weights: ArrayLike | None, n: int) -> Floats | None:
    """Return the weights of n entries as float64 (n,); None for none. `_core` checks each."""
    if weights is None:
        return None
    array = as_array(weights, "weights")
    if array.shape != (n,):
        raise ShapeError(
            f"the weights have the shape {array.shape}, but there are {n} entries; give one weight "
            f"per entry, or None if all count the same"
        )
    return _as_float64(array, "weights")


def _as_float64(array: NDArray[Any], what: str) -> Floats:
    if array.size and array.dtype.kind not in "iuf":
        raise DtypeError(
            f"{what} must be real numbers but have the dtype {array.dtype} (the first is "
            f"{array.flat[0]!r}); convert with np.asarray({what}, dtype=float) if that is meant"
        )
    return np.require(array, np.float64, ["C", "A"])


def entries(coords: ArrayLike, values: ArrayLike) -> tuple[Coords, Floats]:
    """Return checked coordinates and values: as many of one as of the other, and at least one."""
    checked_values = real_values(values)
    n = len(checked_values)
    given = as_array(coords, "coordinates")
    if n == 0 or given.size == 0:
        raise EmptyTensorError("a tensor needs at least one observed entry, but there is none")
    checked_coords = coordinates(given)
    if len(checked_coords) != n:
        transposed = checked_coords.shape[1] == n
        hint = "; they look transposed: pass coords.T" if transposed else ""
        raise ShapeError(
            f"{len(checked_coords)} rows of coordinates but {n} values; "
            f"each entry needs one of each{hint}"
        )
    return checked_coords, checked_values


def tensor_shape(shape: Iterable[int] | None, coords: Coords) -> tuple[int, ...]:
    """Return the dimensions as ints; by default they are just large enough for the coordinates."""
    dims = _smallest_shape(coords) if shape is None else integers(shape)
    if len(dims) != coords.shape[1]:
        raise ShapeError(
            f"the shape {dims} has {len(dims)} modes but the coordinates have "
            f"{coords.shape[1]} columns; give one dimension per column"
        )
    return dimensions(dims)


def _smallest_shape(coords: Coords) -> tuple[int, ...]:
    tops = coords.max(axis=0)
    if (tops < 0).any() or (tops == INT32_MAX).any():  # no dimension is large or small enough
        row, mode = (int(k) for k in np.argwhere((coords < 0) | (coords == INT32_MAX))[0])
        raise CoordinateError(
            f"row {row} has the coordinate {coords[row, mode]} in mode {mode}; coordinates go from "
            f"0 to {INT32_MAX - 1}: number the labels of that mode from 0 without gaps"
        )
    return tuple(int(top) + 1 for top in tops)


def dimensions(shape: Iterable[int]) -> tuple[int, ...]:
    """Return the checked dimensions of a tensor of order 2 to `MAX_ORDER`."""
    dims = integers(shape)
    if len(dims) < 2:
        raise ShapeError(
            f"a tensor needs at least 2 modes, but the shape is {dims}; Tucker factorization of a "
            f"single mode has nothing to factor"
        )
    if len(dims) > MAX_ORDER:
        raise ShapeError(f"the shape has {len(dims)} modes; at most {MAX_ORDER} can be handled")
    for mode, dim in enumerate(dims):
        if not 1 <= dim <= INT32_MAX:
            raise ShapeError(
                f"mode {mode} has the dimension {dim}; dimensions go from 1 to {INT32_MAX}"
            )
    return dims


def integers(numbers: Iterable[int]) -> tuple[int, ...]:
    """Return whole numbers, given in any iterable, as Python ints."""
    try:
        given = tuple(islice(numbers, 1000))  # of a few modes, not of range(10**9)
        if not any(isinstance(number, bool | np.bool_) for number in given):
            return tuple(operator.index(number) for number in given)
    except TypeError:
        pass
    raise ShapeError(f"expected whole numbers, one per mode, but got {numbers!r}")


def tucker_ranks(ranks: int | Iterable[int], shape: Sequence[int]) -> tuple[int, ...]:
    """Return one rank J_n per mode, 1 <= J_n <= I_n; a single int is the rank of every mode."""
    try:
        checked = integers(ranks if isinstance(ranks, Iterable) else (ranks,) * len(shape))
    except ShapeError as error:
        raise RankError(f"ranks: {error}") from None
    if len(checked) != len(shape):
        raise RankError(
            f"{len(checked)} ranks {checked} for a tensor with {len(shape)} modes; "
            f"give one per mode, or a single number for all of them"
        )
    for mode, (rank, dim) in enumerate(zip(checked, shape, strict=True)):
        if not 1 <= rank <= dim:
            raise RankError(
                f"the rank of mode {mode} is {rank}, but must be from 1 to its dimension {dim}"
            )
    if math.prod(checked) > INT32_MAX:
        raise RankError(
            f"ranks {checked} ask for a core of {math.prod(checked):,} elements; "
            f"at most {INT32_MAX:,} can be handled: lower some of them"
        )
    return checked


def most_ranks(
    ranks: Any, shape: Sequence[int], number: Callable[[str | int], int]
) -> tuple[int, ...] | None:
    """Return the largest rank that each mode may have; None for "auto".

    One number is for every mode, and no rank exceeds its dimension; a dict has the ranks of some
    modes, by name or number, and leaves the others their dimension, up to 10.

    Examples
    --------
    >>> most_ranks(5, (100, 3, 20), int)
    (5, 3, 5)
    >>> most_ranks({0: 8}, (100, 3, 20), int)
    (8, 3, 10)
    """
    if isinstance(ranks, str):
        if ranks != "auto":
            raise RankError(f'ranks is {ranks!r}; choose "auto", or numbers')
        return None
    if isinstance(ranks, Mapping):
        largest = [min(dim, MOST_BY_ITSELF) for dim in shape]
        for mode, rank in ranks.items():
            (largest[number(mode)],) = integers((rank,))
        return tucker_ranks(largest, shape)
    if not isinstance(ranks, Iterable):
        (rank,) = integers((ranks,))
        if rank < 1:
            raise RankError(f"ranks is {rank}, but must be at least 1")
        return tuple(min(rank, dim) for dim in shape)
    return tucker_ranks(ranks, shape)


def tucker_parts(
    core: ArrayLike, factors: Iterable[ArrayLike], *, wide: bool = False
) -> tuple[Floats, tuple[Floats, ...]]:
    """Return a core and factors that fit each other and have finite elements only."""
    checked_core, checked = matching_parts(core, factors, wide=wide)
    _finite(checked_core, "the core")
    for mode, factor in enumerate(checked):
        _finite(factor, f"factor {mode}")
    return checked_core, checked


def matching_parts(
    core: ArrayLike, factors: Iterable[ArrayLike], *, wide: bool = False
) -> tuple[Floats, tuple[Floats, ...]]:
    """Return a core and factors that fit each other as float64: A(n) is I_n x J_n for mode n.

    The elements are not checked, so that it costs nothing if the arrays have the right form. With
    ``wide`` a factor may have more columns than rows, as one with a constant column can.
    """
    checked_core = _as_float64(as_array(core, "elements of the core"), "core")
    checked = tuple(
        _as_float64(as_array(factor, f"elements of factor {mode}"), "factors")
        for mode, factor in enumerate(islice(_several(factors), checked_core.ndim + 1))
    )
    if len(checked) != checked_core.ndim:
        there = "more" if len(checked) > checked_core.ndim else str(len(checked))
        raise ShapeError(
            f"the core has {checked_core.ndim} modes but there are {there} factors; "
            f"give one factor per mode"
        )
    for mode, (factor, rank) in enumerate(zip(checked, checked_core.shape, strict=True)):
        if factor.ndim != 2 or factor.shape[1] != rank:
            raise ShapeError(
                f"factor {mode} has the shape {factor.shape} but the core has the rank {rank} in "
                f"that mode; expected (dimension, {rank})"
            )
    dims = dimensions(len(factor) for factor in checked)
    tucker_ranks(checked_core.shape, (INT32_MAX,) * len(dims) if wide else dims)
    return checked_core, checked


def _several(factors: Any) -> Iterable[ArrayLike]:
    if not isinstance(factors, Iterable) or (isinstance(factors, np.ndarray) and not factors.ndim):
        raise ShapeError(f"factors must be a list of arrays, but are {type_text(factors)}")
    found: Iterable[ArrayLike] = factors
    return found


def _finite(array: Floats, what: str) -> None:
    # A sum shows NaN and infinities without an array of flags. Finite elements may overflow it too,
    # so only then all elements are looked at.
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not np.isfinite(array.sum())
    if suspicious and not np.isfinite(array).all():
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise NonFiniteError(f"{what} has {array[where]} at {where}; all must be finite numbers")


def variances(given: ArrayLike, shape: tuple[int, ...], what: str) -> Floats:
    """Return the variances of a part of this shape as float64: finite, and none below 0."""
    array = _as_float64(as_array(given, f"variances of {what}"), "variances")
    if array.shape != shape:
        raise ShapeError(
            f"the variances of {what} have the shape {array.shape} but its elements {shape}; "
            f"give one variance per element"
        )
    _finite(array, f"the variance of {what}")
    if array.size and array.min() < 0.0:
        where = tuple(int(k) for k in np.argwhere(array < 0.0)[0])
        raise VarianceError(
            f"the variance of {what} has {array[where]} at {where}; variances are at least 0"
        )
    return array


def norm(norm: float, values: Floats) -> float:
    """Return the norm that errors are relative to; raise if its square is not a normal double."""
    low, high = NORM_RANGE
    if norm == 0.0 and not values.any():
        raise AllZeroError(
            f"all {len(values):,} values are zero, so an error relative to their norm is undefined"
        )
    if not low < norm < high:
        peak = float(np.abs(values).max())
        raise ScaleError(
            f"the values have the norm {norm:g} (largest magnitude {peak:g}), whose square leaves "
            f"the range of double precision; divide the values by {peak:g} first"
        )
    return norm
