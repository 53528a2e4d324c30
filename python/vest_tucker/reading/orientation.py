"""Signs that a reader can follow: every factor column positive on balance, the sign in the core.

A column and all core elements that it meets may change signs together without changing any
prediction. The model's own arrays stay as the fit left them; this is a view for reading. Which side
of a column carries more, and whether the other one carries enough to be told first, is decided
here.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vest_tucker.base.parts import along_mode
from vest_tucker.base.types import Flags, Floats

if TYPE_CHECKING:
    from vest_tucker.model.model import TuckerModel

NEGLIGIBLE = 0.01  # of the largest magnitude of a column: what is below adds next to nothing
FAINT = 1e-9  # how balanced a column is at least that has both sides
BALANCED = 0.5  # how balanced it is, at least, for its lighter side to be told first


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

    A column is positive on balance if the squares of its positive values, each counting as the
    entries of its row where these are known, sum up to no less than those of its negative ones:
    a relation is told by the labels that carry it.

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


def counting(factor: Floats) -> Flags:
    """Mark the elements of columns that count: not zero, and not next to nothing.

    Examples
    --------
    >>> counting(np.array([[1.0, 0.0], [-0.5, 2.0], [1e-3, 0.0]])).tolist()
    [[True, False], [True, True], [False, False]]
    """
    peaks = np.abs(factor).max(axis=0, initial=0.0)
    marked: Flags = (np.abs(factor) >= NEGLIGIBLE * peaks) & (factor != 0.0)
    return marked


def balances(factor: Floats, weights: Floats) -> Floats:
    """Return how much the lighter side of each column carries, of what the heavier one does.

    That is the ratio of their root sums of squares, or of their largest magnitudes if less: 1 if
    both sides are equal, 0 for a column that has one side only.

    Examples
    --------
    >>> balances(np.array([[2.0, 1.0, 4.0], [-1.0, 1.0, -1.0]]), np.array([1.0, 4.0])).tolist()
    [0.5, 0.0, 0.25]
    """
    scaled = np.where(counting(factor), factor, 0.0) / _scales(factor)
    sides = np.maximum(scaled, 0.0), np.maximum(-scaled, 0.0)
    squares = [np.sqrt(np.einsum("i,ij,ij->j", weights, side, side)) for side in sides]
    peaks = [side.max(axis=0, initial=0.0) for side in sides]
    ratio = np.minimum(_ratios(*squares), _ratios(*peaks))
    # Labels without entries make a side, too, if a weak one.
    both = (peaks[0] > 0.0) & (peaks[1] > 0.0)
    return np.where(both, np.maximum(ratio, FAINT), 0.0)


def _ratios(one: Floats, other: Floats) -> Floats:
    most = np.maximum(one, other)
    ratios: Floats = np.minimum(one, other) / np.where(most > 0.0, most, 1.0)
    return ratios


def _scales(factor: Floats) -> Floats:
    """Return what columns are divided by, so that squares neither under- nor overflow."""
    peaks = np.abs(factor).max(axis=0, initial=0.0)
    return np.where(peaks > 0.0, peaks, 1.0)


def _signs(factor: Floats, weights: Floats) -> Floats:
    scaled = factor / _scales(factor)
    squares = scaled * np.abs(scaled)
    balance = np.einsum("i,ij->j", weights, squares)
    # A column of rows without entries alone, or of equal sides, is judged by its values.
    undecided = balance == 0.0
    if undecided.any():
        balance[undecided] = np.einsum("ij->j", squares[:, undecided])
    return np.where(balance < 0.0, -1.0, 1.0)


def oriented_model(model: TuckerModel) -> TuckerModel:
    """Return the model with these signs; what it predicts stays the same."""
    seen = oriented(model)
    return dataclasses.replace(model, core=seen.core, factors=seen.factors)
