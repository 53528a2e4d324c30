"""The tensor to fit: coordinates and values of the observed entries, checked once.

`from_frame`, `to_frame`, `from_scipy`, `from_sparse`, `from_dense`, `densest` and `describe` are
methods of `SparseTensor` too; they are in ``conversions.py``, `rows_frame` and `plot` in
``observed.py``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker import _core
from vest_tucker.base import checks
from vest_tucker.base.errors import (
    ChangedArrayError,
    CoordinateError,
    DtypeError,
    DuplicateError,
    NonFiniteError,
    WeightError,
)
from vest_tucker.base.extras import Later
from vest_tucker.base.options import type_text
from vest_tucker.base.public import public
from vest_tucker.base.text_table import LONGEST_LINE, shorten
from vest_tucker.base.types import Coords, Floats
from vest_tucker.data.duplicates import ADVICE, Duplicates, check_merge, merge
from vest_tucker.data.entries import Entries
from vest_tucker.data.labels import GivenLabels, ModeLabels
from vest_tucker.data.observed import Observed
from vest_tucker.data.per_row import mean_of, total
from vest_tucker.data.same import same_entries

if TYPE_CHECKING:
    from vest_tucker.reading import html
else:
    html = Later("vest_tucker.reading.html")  # only notebooks ask for it

Scalar = TypeVar("Scalar", bound=np.generic)

CHANGED = (
    "the arrays of this tensor were changed after it was made; make a new SparseTensor of them, or "
    "give it copies in the first place"
)


@public
class SparseTensor(Observed):
    """Observed entries of a tensor of order 2 or more; all other cells are unknown, not zero.

    Parameters
    ----------
    coords : array_like of int, shape (n, N)
        One row per entry, one column per mode, counted from 0.
    values : array_like of float, shape (n,)
        The observed values, all finite.
    shape : sequence of int, optional
        The dimensions; by default as many as there are labels, or else just large enough for the
        coordinates.
    modes : sequence of str, optional
        Names of the modes, all different; by default "mode_0", "mode_1", and so on.
    labels : sequence or dict, optional
        What the rows of each mode stand for, in the order of their indices: for each mode a list of
        distinct labels of any kind, or None; or a dict from names of modes to such lists.
    duplicates : {"error", "mean", "median", "sum", "count", "min", "max", "first", "last"}
        What to do with cells that appear more than once. With weights, means and medians are
        weighted, and the weights of what is merged add up; "first" and "last" keep one entry as it
        is.
    weights : array_like of float, shape (n,), optional
        How many entries each entry counts as, all positive and finite; by default each counts once.
        An entry that is the mean of 200 observations, with the weight 200, says as much as 200
        entries of one observation each: in errors, offsets, penalties and fits.
    count_as_weight : bool
        For the duplicates "mean" and "median": whether a cell weighs as many entries as were
        averaged.

    Notes
    -----
    Arrays that already are C-contiguous int32 and float64 are not copied: do not change them while
    the tensor is in use (`fit` raises if it notices a change). All others are converted once.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X = vt.SparseTensor([[0, 0, 1], [2, 1, 0], [1, 3, 1]], [4.0, 3.5, 1.0])
    >>> X
    SparseTensor(shape=(3, 4, 2), nnz=3, density=0.125)
    >>> X.coords[1].tolist(), X.values[1].item()
    ([2, 1, 0], 3.5)
    >>> vt.SparseTensor(
    ...     [[0, 1], [1, 0]], [4, 2], modes=["person", "dish"], labels={"dish": ["soup", "rice"]}
    ... )
    SparseTensor(shape=(2, 2), nnz=2, density=0.5, modes=('person', 'dish'))
    >>> X = vt.SparseTensor([[0, 1], [1, 0]], [4.0, 1.0], weights=[3, 1])
    >>> X, X.mean
    (SparseTensor(shape=(2, 2), nnz=2, density=0.5, total_weight=4), 3.25)
    """

    __slots__ = ("_coords", "_handle", "_mode_labels", "_values", "_weights")

    _coords: Coords
    _values: Floats
    _weights: Floats | None
    _handle: _core.SparseTensor
    _mode_labels: ModeLabels

    def __eq__(self, other: object) -> bool:
        """Whether the other is a tensor of the same entries, in any order, and the same labels."""
        return same_entries(self, other) if isinstance(other, SparseTensor) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.shape, self.modes, self.nnz))

    def __init__(
        self,
        coords: ArrayLike,
        values: ArrayLike,
        shape: Iterable[int] | None = None,
        *,
        modes: Iterable[str] | None = None,
        labels: GivenLabels = None,
        duplicates: Duplicates = "error",
        weights: ArrayLike | None = None,
        count_as_weight: bool = False,
    ) -> None:
        check_merge(duplicates, count_as_weight)
        checked_coords, checked_values = checks.entries(coords, values)
        checked_weights = checks.entry_weights(weights, len(checked_values))
        if checked_weights is None and count_as_weight:
            checked_weights = np.ones(len(checked_values))
        named = _named(checked_coords.shape[1], modes, labels)
        dims = checks.tensor_shape(shape, checked_coords)
        if shape is None:
            dims = named.shape(dims)
        named.require_shape(dims)
        handle = core_tensor(checked_coords, checked_values, dims, named, checked_weights)
        repeated = handle.find_duplicate()
        if repeated is not None:
            if duplicates == "error":
                raise DuplicateError(
                    _duplicate_message(checked_coords, checked_values, named, *repeated)
                )
            checked_coords, checked_values, checked_weights = merge(
                checked_coords, checked_values, duplicates, named.cell, checked_weights
            )
            handle = core_tensor(checked_coords, checked_values, dims, named, checked_weights)
        self._coords = _read_only(checked_coords)
        self._values = _read_only(checked_values)
        self._weights = None if checked_weights is None else _read_only(checked_weights)
        self._handle = handle
        self._mode_labels = named

    @property
    def coords(self) -> Coords:
        """Coordinates, int32 (n, N), read-only."""
        return self._coords

    @property
    def values(self) -> Floats:
        """Values, float64 (n,), read-only."""
        return self._values

    @property
    def weights(self) -> Floats | None:
        """How many entries each one counts as, float64 (n,), read-only; None if all count once."""
        return self._weights

    @property
    def total_weight(self) -> float:
        """How many entries all count as: the sum of the weights, or ``nnz`` without weights."""
        return float(self.nnz) if self._weights is None else total(self._weights)

    @property
    def shape(self) -> tuple[int, ...]:
        """Dimensions I_1, ..., I_N."""
        return tuple(self._handle.shape)

    @property
    def modes(self) -> tuple[str, ...]:
        """Names of the modes, all different."""
        return self._mode_labels.names

    @property
    def labels(self) -> tuple[NDArray[Any] | None, ...]:
        """Labels of each mode in the order of its indices, read-only; None where it has none."""
        return self._mode_labels.labels

    @property
    def mode_labels(self) -> ModeLabels:
        """Names and labels in one object, which also turns labels into indices and back."""
        return self._mode_labels

    @property
    def order(self) -> int:
        """Number of modes N."""
        return self._handle.order

    @property
    def nnz(self) -> int:
        """Number of observed entries (zeros among them count: they were observed)."""
        return self._handle.nnz

    def subset(self, rows: ArrayLike) -> SparseTensor:
        """Return some of the entries as a tensor of the same shape, with the same labels.

        Parameters
        ----------
        rows : array_like
            A mask, one truth value per entry, or the numbers of the entries in the order wanted.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X = vt.SparseTensor([[0, 0], [1, 1], [2, 0]], [1, 2, 3])
        >>> X.subset(X.values > 1)
        SparseTensor(shape=(3, 2), nnz=2, density=0.333)
        """
        return type(self)._of(self._entries().take(rows))

    def with_weights(self, weights: ArrayLike | None) -> SparseTensor:
        """Return the same entries with these weights, one per entry, or with none.

        Examples
        --------
        >>> import vest_tucker as vt
        >>> X = vt.SparseTensor([[0, 0], [1, 1]], [1, 2], weights=[3, 1])
        >>> X.with_weights(None)
        SparseTensor(shape=(2, 2), nnz=2, density=0.5)
        """
        return type(self)._of(self._entries().weighted(weights))

    @classmethod
    def _of(
        cls, entries: Entries, duplicates: Duplicates = "error", count_as_weight: bool = False
    ) -> SparseTensor:
        coords, values, shape, labels, weights = entries
        return cls(
            coords, values, shape, labels=labels, duplicates=duplicates, weights=weights,
            count_as_weight=count_as_weight,
        )  # fmt: skip

    def _entries(self) -> Entries:
        return Entries(self._coords, self._values, self.shape, self._mode_labels, self._weights)

    def __len__(self) -> int:
        return self.nnz

    @property
    def density(self) -> float:
        """Share of the cells that were observed."""
        return self.nnz / math.prod(self.shape)

    @property
    def norm(self) -> float:
        """Frobenius norm over the observed entries, the squares weighted by their weights."""
        return self._handle.norm

    @property
    def mean(self) -> float:
        """Mean of the observed values, weighted by their weights."""
        return mean_of(self._values, self._weights)

    def __repr__(self) -> str:
        names = shorten(str(self.modes), LONGEST_LINE)
        named = "" if self._mode_labels.are_default else f", modes={names}"
        size = f"shape={self.shape}, nnz={self.nnz}, density={self.density:.3g}"
        weighed = "" if self._weights is None else f", total_weight={self.total_weight:.6g}"
        return f"SparseTensor({size}{named}{weighed})"

    def _repr_html_(self) -> str:
        return html.tensor_html(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (self._entries(),)


def _named(order: int, modes: Iterable[str] | None, labels: GivenLabels) -> ModeLabels:
    """Return names and labels as one object; those of another tensor need no second check."""
    if isinstance(labels, ModeLabels) and modes is None and labels.order == order:
        return labels
    return ModeLabels(order, modes, labels)


def core_tensor(
    coords: Coords,
    values: Floats,
    dims: tuple[int, ...],
    named: ModeLabels,
    weights: Floats | None,
) -> _core.SparseTensor:
    """Check all entries in the C++ core; the error for a bad one names its cell by labels."""
    try:
        return _core.SparseTensor(coords, values, dims, weights)
    except (NonFiniteError, WeightError) as error:
        if named.are_default:
            raise
        bad = ~np.isfinite(values)
        if isinstance(error, WeightError) and weights is not None:
            bad = ~(np.isfinite(weights) & (weights > 0.0))
        cell = named.cell(coords[int(np.flatnonzero(bad)[0])])
        raise type(error)(f"{error} (the cell {cell})") from None


def require_tensor(X: object, who: str) -> None:
    """Raise unless ``X`` is a tensor; ``who`` is the function that needs one."""
    if not isinstance(X, SparseTensor):
        raise DtypeError(
            f"{who} needs a SparseTensor(coords, values), but got {type_text(X)}; "
            f"SparseTensor.from_frame takes data frames, from_dense arrays with gaps, and "
            f"vest_tucker.dask.fit tensors on a cluster"
        )


def require_unchanged(X: SparseTensor) -> None:
    """Raise if the arrays of a tensor were changed after they were checked."""
    if X._handle.is_unchanged():
        return
    try:  # to say what is wrong with them now
        norm = _core.SparseTensor(X.coords, X.values, X.shape, X.weights).norm
    except (CoordinateError, NonFiniteError, WeightError) as error:
        raise ChangedArrayError(f"{CHANGED}: now {error}") from error
    if norm == X.norm:
        raise ChangedArrayError(f"{CHANGED}: their norm is still {norm:g}, so entries have moved")
    raise ChangedArrayError(f"{CHANGED}: their norm was {X.norm:g} and is {norm:g}")


def _duplicate_message(
    coords: Coords, values: Floats, named: ModeLabels, earlier: int, later: int
) -> str:
    cell = named.cell(coords[later])
    return (
        f"rows {earlier} and {later} are both the cell {cell}, with the values "
        f"{values[earlier]:g} and {values[later]:g}; remove one, or {ADVICE}"
    )


def _read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    view = array.view()
    view.flags.writeable = False
    return view
