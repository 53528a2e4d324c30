"""A state of a model kept small: the positions and values of what is not zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vest_tucker.checks import Floats


@dataclass(frozen=True)
class Snapshot:
    """Core and factors, without their zeros; the sparser they are, the less it takes."""

    shapes: list[tuple[int, ...]]
    places: list[NDArray[np.int64]]
    values: list[Floats]

    @classmethod
    def of(cls, parts: Sequence[Floats]) -> Snapshot:
        """Keep the parts of a model as they are now.

        Examples
        --------
        >>> kept = Snapshot.of([np.array([[0.0, 2.0], [0.0, 0.0]])])
        >>> kept.n_nonzero, kept.parts()[0].tolist()
        (1, [[0.0, 2.0], [0.0, 0.0]])
        """
        places = [np.flatnonzero(part) for part in parts]
        values = [part.ravel()[at] for part, at in zip(parts, places, strict=True)]
        return cls([part.shape for part in parts], places, values)

    @property
    def n_nonzero(self) -> int:
        """How many elements are not zero."""
        return sum(len(at) for at in self.places)

    @property
    def size(self) -> int:
        """How many elements there are."""
        return sum(int(np.prod(shape)) for shape in self.shapes)

    def parts(self) -> list[Floats]:
        """Return the arrays, new ones each time."""
        made = []
        for shape, at, values in zip(self.shapes, self.places, self.values, strict=True):
            part = np.zeros(shape)
            part.ravel()[at] = values
            made.append(part)
        return made
