"""The parts of a tensor as one tuple, which conversions return; nothing in it is checked yet."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from vest_tucker.base.checks import as_array, entry_weights
from vest_tucker.base.errors import CoordinateError, DtypeError, EmptyTensorError, ShapeError
from vest_tucker.base.types import Coords, Floats
from vest_tucker.data.labels import ModeLabels


class Entries(NamedTuple):
    """Coordinates, values and dimensions, the names of modes and rows, and perhaps weights."""

    coords: Coords
    values: Floats
    shape: tuple[int, ...]
    labels: ModeLabels
    weights: Floats | None = None

    def weighted(self, weights: ArrayLike | None) -> Entries:
        """Return the same entries with these weights, one per entry, or with none."""
        return self._replace(weights=entry_weights(weights, len(self.values)))

    def take(self, rows: ArrayLike) -> Entries:
        """Return some entries, given by a mask of truth values or by their numbers."""
        at = as_array(rows, "rows")
        n = len(self.values)
        if at.size == 0:
            raise EmptyTensorError("a tensor needs at least one entry, but none was chosen")
        if at.ndim != 1 or at.dtype.kind not in "biu":
            raise DtypeError(
                f"rows must be a mask of truth values or a list of whole numbers, but have the "
                f"dtype {at.dtype} and the shape {at.shape}"
            )
        if at.dtype.kind == "b" and len(at) != n:
            raise ShapeError(f"the mask has {len(at):,} truth values for {n:,} entries")
        if at.dtype.kind != "b" and (at.max() >= n or at.min() < -n):
            outside = at[(at >= n) | (at < -n)][0]
            raise CoordinateError(f"there is no entry {outside}; there are {n:,}, from 0")
        return self._replace(
            coords=self.coords[at],
            values=self.values[at],
            weights=None if self.weights is None else self.weights[at],
        )
