"""The tensor that goes in: coordinates and values of the observed entries, checked once."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker import _core, checks
from vest_tucker.checks import Coords, Floats
from vest_tucker.errors import (
    ChangedArrayError,
    CoordinateError,
    DtypeError,
    DuplicateError,
    NonFiniteError,
    OptionError,
)

Scalar = TypeVar("Scalar", bound=np.generic)
Duplicates = Literal["error", "mean", "sum", "first", "last"]

CHANGED = (
    "the arrays of this tensor were changed after it was made; make a new SparseTensor of them, or "
    "give it copies in the first place"
)


class SparseTensor:
    """Observed entries of a tensor of order 2 or more; whatever is absent is unknown, not zero.

    Parameters
    ----------
    coords : array_like of int, shape (n, N)
        One row per entry, one column per mode, counted from 0.
    values : array_like of float, shape (n,)
        The observed values, all finite.
    shape : sequence of int, optional
        The dimensions; by default just large enough for the coordinates.
    duplicates : {"error", "mean", "sum", "first", "last"}
        What to do with cells that appear more than once.

    Notes
    -----
    Arrays that already are C-contiguous int32 and float64 are borrowed, not copied: do not change
    them while the tensor is in use (`fit` raises if it notices). Everything else is converted once.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0, 1], [2, 1, 0], [1, 3, 1]], [4.0, 3.5, 1.0])
    >>> X
    SparseTensor(shape=(3, 4, 2), nnz=3, density=0.125)
    >>> X.coords[1].tolist(), X.values[1].item()
    ([2, 1, 0], 3.5)
    """

    __slots__ = ("_coords", "_handle", "_values")

    _coords: Coords
    _values: Floats
    _handle: _core.SparseTensor

    def __init__(
        self,
        coords: ArrayLike,
        values: ArrayLike,
        shape: Iterable[int] | None = None,
        *,
        duplicates: Duplicates = "error",
    ) -> None:
        if duplicates not in get_args(Duplicates):
            choices = ", ".join(f'"{choice}"' for choice in get_args(Duplicates))
            raise OptionError(f"duplicates is {duplicates!r}; choose one of {choices}")
        checked_coords, checked_values = checks.entries(coords, values)
        dims = checks.tensor_shape(shape, checked_coords)
        handle = _core.SparseTensor(checked_coords, checked_values, dims)
        repeated = handle.find_duplicate()
        if repeated is not None:
            if duplicates == "error":
                raise DuplicateError(_duplicate_message(checked_coords, checked_values, *repeated))
            checked_coords, checked_values = merge(checked_coords, checked_values, duplicates)
            handle = _core.SparseTensor(checked_coords, checked_values, dims)
        self._coords = _read_only(checked_coords)
        self._values = _read_only(checked_values)
        self._handle = handle

    @property
    def coords(self) -> Coords:
        """Coordinates, int32 (n, N), read-only."""
        return self._coords

    @property
    def values(self) -> Floats:
        """Values, float64 (n,), read-only."""
        return self._values

    @property
    def shape(self) -> tuple[int, ...]:
        """Dimensions I_1, ..., I_N."""
        return tuple(self._handle.shape)

    @property
    def order(self) -> int:
        """Number of modes N."""
        return self._handle.order

    @property
    def nnz(self) -> int:
        """Number of observed entries (zeros among them count: they were observed)."""
        return self._handle.nnz

    def __len__(self) -> int:
        return self.nnz

    @property
    def density(self) -> float:
        """Share of the cells that were observed."""
        return self.nnz / math.prod(self.shape)

    @property
    def norm(self) -> float:
        """Frobenius norm over the observed entries."""
        return self._handle.norm

    @property
    def mean(self) -> float:
        """Mean of the observed values."""
        return float(self._values.mean())

    def __repr__(self) -> str:
        return f"SparseTensor(shape={self.shape}, nnz={self.nnz}, density={self.density:.3g})"

    def __reduce__(self) -> tuple[type[SparseTensor], tuple[Coords, Floats, tuple[int, ...]]]:
        return SparseTensor, (self._coords, self._values, self.shape)


def require_tensor(X: object, who: str) -> None:
    """Raise unless ``X`` is a tensor, in the name of the function that needs one."""
    if not isinstance(X, SparseTensor):
        raise DtypeError(
            f"{who} needs a SparseTensor(coords, values), but got a {type(X).__name__}"
        )


def require_unchanged(X: SparseTensor) -> None:
    """Raise if the arrays a tensor borrows no longer are what was checked when it was made."""
    # One pass, little beside an iteration; kernels trust that no coordinate leaves the shape.
    try:
        norm = _core.SparseTensor(X.coords, X.values, X.shape).norm
    except (CoordinateError, NonFiniteError) as error:
        raise ChangedArrayError(f"{CHANGED}: now {error}") from error
    if norm != X.norm:
        raise ChangedArrayError(f"{CHANGED}: their norm was {X.norm:g} and is {norm:g}")


def merge(coords: Coords, values: Floats, how: Duplicates) -> tuple[Coords, Floats]:
    """One entry per cell, in the order in which the cells first appear.

    Examples
    --------
    >>> import numpy as np
    >>> coords, values = merge(np.array([[1, 1], [0, 2], [1, 1]]), np.array([5.0, 1.0, 2.0]), "sum")
    >>> coords.tolist(), values.tolist()
    ([[1, 1], [0, 2]], [7.0, 1.0])
    """
    # The sort is stable, so within a cell the entries stay in the order given.
    by_cell = np.lexsort(coords.T[::-1])
    is_first = np.ones(len(by_cell), dtype=bool)
    is_first[1:] = (np.diff(coords[by_cell], axis=0) != 0).any(axis=1)
    begins = np.flatnonzero(is_first)
    ends = np.append(begins[1:], len(by_cell))
    if how == "first":
        merged = values[by_cell[begins]]
    elif how == "last":
        merged = values[by_cell[ends - 1]]
    elif how == "mean":
        merged = _means(values[by_cell], begins, ends - begins)
    else:
        merged = _sums(values[by_cell], begins)
        if not np.isfinite(merged).all():
            cell = int(np.flatnonzero(~np.isfinite(merged))[0])
            raise NonFiniteError(
                f"the sum of the {ends[cell] - begins[cell]} duplicates of the cell "
                f"{tuple(coords[by_cell[begins[cell]]].tolist())} is {merged[cell]}, beyond the "
                f'range of double precision; scale the values, or pass duplicates="mean"'
            )
    appeared = by_cell[begins]
    in_order = np.argsort(appeared)
    return np.ascontiguousarray(coords[appeared[in_order]]), merged[in_order]


def _sums(values: Floats, begins: NDArray[np.intp]) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.add.reduceat(values, begins)


def _means(values: Floats, begins: NDArray[np.intp], counts: NDArray[np.intp]) -> Floats:
    means: Floats = _sums(values, begins) / counts
    overflown = ~np.isfinite(means)
    if overflown.any():  # dividing before adding rounds more often, but stays in range
        shares = _sums(values / np.repeat(counts, counts), begins)
        largest = np.finfo(np.float64).max
        means[overflown] = shares[overflown].clip(-largest, largest)
    return means


def _duplicate_message(coords: Coords, values: Floats, earlier: int, later: int) -> str:
    cell = tuple(coords[later].tolist())
    return (
        f"rows {earlier} and {later} are both the cell {cell}, with the values "
        f"{values[earlier]:g} and {values[later]:g}; remove one, or pass "
        f'duplicates="mean", "sum", "first" or "last"'
    )


def _read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    view = array.view()
    view.flags.writeable = False
    return view
