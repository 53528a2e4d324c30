"""How biases change for new entries, when of the old entries only their number is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vest_tucker.base.types import Coords, Floats
from vest_tucker.data.per_row import subtract_per_row, sum_per_row, totals_per_row
from vest_tucker.model.offset import ROUNDING

MAX_CHANGES = 1000


def bias_changes(
    coords: Coords,
    rest: Floats,
    weights: Sequence[Floats],
    entry_weights: Floats | None = None,
) -> list[Floats]:
    """Return by how much biases change for new entries of which the model leaves ``rest``.

    The old ones of a row are remembered as ``weights`` entries that its bias suits: the shrinkage
    and their number, so that a changed bias is the shrunken mean of old and new; infinitely many
    hold it still. That minimises sum of (rest - changes)^2 + weight * change^2, modes in turn; the
    minimum is unique. A new entry counts as often as its own weight says.

    Examples
    --------
    >>> import numpy as np
    >>> coords, rest = np.array([[0, 0], [0, 1]], dtype=np.int32), np.array([6.0, 6.0])
    >>> bias_changes(coords, rest, [np.array([4.0]), np.full(2, np.inf)])[0].tolist()
    [2.0]
    """
    rest = rest.copy()
    changes = [np.zeros(len(each)) for each in weights]
    counts = totals_per_row(coords, [len(each) for each in weights], entry_weights)
    still = ROUNDING * max(float(np.abs(rest).max()), 0.0)
    for _ in range(MAX_CHANGES):
        largest = 0.0
        for mode, (n, change) in enumerate(zip(counts, changes, strict=True)):
            some = np.where(n > 0.0, n, 1.0)
            own = np.where(n > 0.0, n / (some + weights[mode]), 0.0)
            weighed = rest if entry_weights is None else entry_weights * rest
            sums = sum_per_row(coords[:, mode], weighed, len(n))
            step = own * (change + sums / some) - change
            change += step
            subtract_per_row(rest, step, coords[:, mode])
            largest = max(largest, float(np.abs(step).max()))
        if largest <= still:
            break
    return changes
