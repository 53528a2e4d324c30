"""A compact copy of a model's parts: a bit per element for non-zero ones, and their values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.types import Floats
from vest_tucker.fitting.checkpoint.packing import stored


@stored
@dataclass(frozen=True)
class Snapshot:
    """Core and factors without their zeros; the sparser they are, the less memory it takes."""

    shapes: list[tuple[int, ...]]
    bits: list[NDArray[np.uint8]]
    values: list[Floats]

    @classmethod
    def of(cls, parts: Sequence[Floats]) -> Snapshot:
        """Copy the parts of a model.

        Examples
        --------
        >>> copy = Snapshot.of([np.array([[0.0, 2.0], [0.0, 0.0]])])
        >>> copy.n_nonzero, copy.size, copy.parts()[0].tolist()
        (1, 4, [[0.0, 2.0], [0.0, 0.0]])
        """
        masks = [part != 0.0 for part in parts]
        values = [part[mask] for part, mask in zip(parts, masks, strict=True)]
        return cls([part.shape for part in parts], [np.packbits(mask) for mask in masks], values)

    @property
    def n_nonzero(self) -> int:
        """How many elements are not zero."""
        return sum(len(values) for values in self.values)

    @property
    def size(self) -> int:
        """How many elements there are."""
        return sum(math.prod(shape) for shape in self.shapes)

    def parts(self) -> list[Floats]:
        """Return the core and the factors as new arrays."""
        made = []
        for shape, bits, values in zip(self.shapes, self.bits, self.values, strict=True):
            mask = np.unpackbits(bits, count=math.prod(shape)).reshape(shape).astype(bool)
            part = np.zeros(shape)
            part[mask] = values
            made.append(part)
        return made
