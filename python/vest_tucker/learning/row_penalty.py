"""What the rows of one factor pay for their elements."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vest_tucker.base.options import penalty_kind
from vest_tucker.base.types import Floats


class RowPenalty(NamedTuple):
    """What the elements of a factor pay: lam per column; and whether none may be below zero.

    A row of n entries pays n ** power / mean times as much.
    """

    loss: str
    lam: Floats
    nonnegative: bool
    power: float = 0.0
    mean: float = 1.0

    def weights(self, entries: Floats) -> Floats:
        """Return how much rows of so many entries, or such weight, pay beside others.

        Examples
        --------
        >>> import numpy as np
        >>> RowPenalty("lf", np.ones(2), False, power=0.5, mean=2.0).weights(np.array([0.0, 16.0]))
        array([0.5, 2. ])
        """
        weights: Floats = np.where(entries > 0.0, entries, 1.0) ** self.power / self.mean
        return weights

    def slope(self, rows: Floats) -> Floats:
        """Return half the slope of the penalty of elements, which is 0 at zero.

        Examples
        --------
        >>> import numpy as np
        >>> rows = np.array([[3.0, 0.0, -2.0]])
        >>> RowPenalty("lf", np.full(3, 0.5), False).slope(rows).tolist()
        [[1.5, 0.0, -1.0]]
        >>> RowPenalty("l1", np.full(3, 0.5), False).slope(rows).tolist()
        [[0.25, 0.0, -0.25]]
        """
        charged = penalty_kind(self.loss).power  # The penalty grows with this power of an element.
        slope: Floats = 0.5 * charged * self.lam * np.sign(rows) * np.abs(rows) ** (charged - 1)
        return slope
