"""The offset of a model: a mean, or a mean and biases, which every prediction adds.

The fit subtracts it from the values first, so that a zero of the model means "no deviation": an
empty row predicts the offset, and not 0. There is one bias per row of each mode,
x = mean + b_1(i_1) + ... + b_N(i_N) + noise. The fewer entries a row has, the more its bias is
shrunk to 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from vest_tucker.base import checks
from vest_tucker.base.errors import CoordinateError, NonFiniteError, ShapeError
from vest_tucker.base.options import OffsetKind, check_choice, number, several
from vest_tucker.base.public import public
from vest_tucker.base.types import Coords, Flags, Floats
from vest_tucker.data.per_row import chunks
from vest_tucker.data.same import same_fields
from vest_tucker.data.tensor import SparseTensor

# The shrinkage of a mode whose own is unknown.
FIRST_SHRINKAGE = 3.0
# Deviations below this share of the values are rounding errors.
ROUNDING = 1e-12


@public
@dataclass(frozen=True, eq=False)
class Offset:
    """The baseline of a model: a mean, and for ``kind="biases"`` a bias per row of each mode.

    Attributes
    ----------
    kind : {"mean", "biases"}
    mean : float
    biases : tuple of ndarray, shape (I_n,)
        Empty for ``kind="mean"``. A row without entries has the bias 0.
    error : float
        RE of predicting only the offset for the entries it was fitted to; NaN if unknown.
    shrinkage : tuple of float
        For each mode, the number that is added to the count of entries of each row when its bias is
        fitted, which shrinks the biases of rows with few entries to 0. Empty if unknown.

    Examples
    --------
    >>> import numpy as np
    >>> offset = Offset("biases", 3.0, (np.array([0.5, -0.5]), np.array([0.0, 1.0])))
    >>> offset.values_at(np.array([[0, 1], [1, 0]])).tolist(), offset.n_parameters
    ([4.5, 2.5], 4)
    """

    kind: OffsetKind
    mean: float
    biases: tuple[Floats, ...] = ()
    error: float = math.nan
    shrinkage: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_choice("the kind of an offset", self.kind, get_args(OffsetKind))
        mean, biases = number("mean", self.mean), _checked(self.biases)
        if not math.isfinite(mean):
            raise NonFiniteError(f"the mean of an offset is {mean}; it must be a finite number")
        if bool(biases) != (self.kind == "biases"):
            raise ShapeError(
                f'an offset of kind "{self.kind}" has biases for {len(biases)} modes; "biases" has '
                f'them for every mode, "mean" for none'
            )
        given = several("shrinkage", self.shrinkage)
        shrinkage = tuple(number("shrinkage", each) for each in given)
        if len(shrinkage) not in (0, len(biases)) or not all(each >= 0.0 for each in shrinkage):
            raise ShapeError(
                f"the shrinkage of an offset is {shrinkage}; give one number of at least 0 for "
                f"each of the {len(biases)} modes with biases, or none"
            )
        error = number("error", self.error)
        checked = {"mean": mean, "biases": biases, "error": error, "shrinkage": shrinkage}
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        """Whether the other adds the same to every prediction; ``error`` is not compared."""
        if not isinstance(other, Offset):
            return NotImplemented
        return same_fields(self, other, ("kind", "mean", "biases", "shrinkage"))

    def __hash__(self) -> int:
        return hash((self.kind, self.mean, len(self.biases)))

    @property
    def n_parameters(self) -> int:
        """Number of its non-zero parameters: the mean, and each bias that is not zero."""
        return 1 + sum(int(np.count_nonzero(effects)) for effects in self.biases)

    @property
    def is_exact(self) -> bool:
        """Whether the values deviate from it by rounding errors only."""
        return self.error < ROUNDING

    def values_at(self, coords: Coords, unknown: Flags | None = None) -> Floats:
        """Return the offset of cells inside the shape; rows marked ``unknown`` add no bias."""
        elsewhere = getattr(coords, "mapped", None)
        if elsewhere is not None:  # entries on a cluster
            found: Floats = elsewhere(offset_at, self)
            return found
        coords = checks.coordinates(coords)
        self._require_cells(coords, unknown)
        values = np.full(len(coords), self.mean)
        for chunk in chunks(len(coords)):
            for mode, effects in enumerate(self.biases):
                added = effects[coords[chunk, mode]]
                if unknown is not None:
                    added[unknown[chunk, mode]] = 0.0
                values[chunk] += added
        return values

    def _require_cells(self, coords: Coords, unknown: Flags | None) -> None:
        """Raise unless there is a bias for each coordinate, and a mark if there are any."""
        lengths = [len(effects) for effects in self.biases]
        if lengths and coords.shape[1] != len(lengths):
            raise ShapeError(
                f"the cells have {coords.shape[1]} modes, but the offset has biases of "
                f"{len(lengths)}"
            )
        for mode, dim in enumerate(lengths if len(coords) else []):
            own = coords[:, mode]
            if own.min() < 0 or own.max() >= dim:
                row = int(np.flatnonzero((own < 0) | (own >= dim))[0])
                raise CoordinateError(
                    f"row {row} has the coordinate {own[row]} in mode {mode}, of which the offset "
                    f"has {dim} biases"
                )
        marks = None if unknown is None else np.asarray(unknown)
        if marks is not None and (marks.shape != coords.shape or marks.dtype.kind != "b"):
            raise ShapeError(
                f"unknown has the shape {marks.shape} and the dtype {marks.dtype}; give True or "
                f"False for each of the coordinates, whose shape is {coords.shape}"
            )

    def require_shape(self, shape: Sequence[int]) -> None:
        """Raise unless there is one bias per row of each mode."""
        lengths = tuple(len(effects) for effects in self.biases)
        wanted = checks.integers(shape)
        if self.biases and lengths != wanted:
            raise ShapeError(f"the offset has {lengths} biases, but the factors have {wanted} rows")


def _checked(biases: Iterable[ArrayLike]) -> tuple[Floats, ...]:
    checked = tuple(checks.real_values(effects) for effects in several("biases", biases))
    for mode, effects in enumerate(checked):
        if not np.isfinite(effects).all():
            raise NonFiniteError(f"the biases of mode {mode} are not all finite numbers")
    return checked


def offset_at(coords: Coords, offset: Offset) -> Floats:
    """Return the offset of some cells."""
    return offset.values_at(coords)


def residuals(X: SparseTensor, offset: Offset) -> Floats:
    """Return the values of a tensor minus the offset."""
    rest = offset.values_at(X.coords)
    return np.subtract(X.values, rest, out=rest)
