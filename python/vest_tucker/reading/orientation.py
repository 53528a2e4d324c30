"""Signs that a reader can follow: every factor column positive on balance, the sign in the core.

A column and all core elements that it meets may change signs together without changing any
prediction. The model's own arrays stay as the fit left them; this is a view for reading.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vest_tucker.base.parts import along_mode
from vest_tucker.base.types import Floats

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel


@dataclass(frozen=True, eq=False)
class Oriented:
    """Core and factors with the signs to be read; ``signs`` has +1 or -1 per component.

    Component numbers are those of the model.
    """

    core: Floats
    factors: list[Floats]
    signs: list[Floats]


def oriented(model: TuckerModel) -> Oriented:
    """Return core and factors with every column positive on balance.

    A column is positive on balance if the sum of its values, each counting as the entries of its
    row where these are known, is not negative.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> model = vt.TuckerModel([[2.0]], [[[-1.0], [-3.0]], [[1.0], [0.5]]])
    >>> seen = oriented(model)
    >>> seen.core.tolist(), seen.factors[0].tolist()
    ([[-2.0]], [[1.0], [3.0]])
    """
    core, factors, signs = model.core.copy(), [], []
    for mode, factor in enumerate(model.factors):
        own = _signs(factor, entries_of_rows(model, mode))
        signs.append(own)
        factors.append(factor * own if (own < 0.0).any() else factor)
        core *= along_mode(own, mode, core.ndim)
    return Oriented(core, factors, signs)


def entries_of_rows(model: TuckerModel, mode: int) -> Floats:
    """Return how much each row of a mode counts: its entries, or 1 where they are unknown."""
    amounts = model.row_amounts
    if amounts is None or not amounts[mode].any():
        return np.ones(len(model.factors[mode]))
    return np.asarray(amounts[mode], dtype=np.float64)


def _signs(factor: Floats, weights: Floats) -> Floats:
    balance = np.einsum("i,ij->j", weights, factor)
    # A column of rows without entries alone is judged by its values.
    undecided = balance == 0.0
    if undecided.any():
        balance[undecided] = np.einsum("ij->j", factor[:, undecided])
    return np.where(balance < 0.0, -1.0, 1.0)


def oriented_model(model: TuckerModel) -> TuckerModel:
    """Return the model with these signs; what it predicts stays the same."""
    seen = oriented(model)
    return dataclasses.replace(model, core=seen.core, factors=seen.factors)
