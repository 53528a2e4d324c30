"""Rows refitted from V and b alone: the paper's coordinate steps, many rows at once.

A row a minimises a^T V a - 2 b . a plus its penalty. That is convex, so wherever the steps start
they end at the same row; rows that have settled are left alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.options import loss_kind
from vest_tucker.base.types import Floats

MAX_SWEEPS = 200
LEAP = 4  # sweeps between leaps
SINGULAR = 1e-12  # a pivot relative to the diagonal it was
SETTLED = 1e-9  # change of an element in a sweep, relative to the largest of its row


class Penalty(NamedTuple):
    """What the elements of a factor pay: lam per column; and whether none may be below zero.

    A row of n entries pays n ** power / mean times as much.
    """

    loss: str
    lam: Floats
    nonnegative: bool
    power: float = 0.0
    mean: float = 1.0

    @property
    def is_square(self) -> bool:
        """Whether elements pay for their squares, and not for their magnitudes."""
        return loss_kind(self.loss).power == 2

    def weights(self, entries: Floats) -> Floats:
        """Return what rows of so many entries, or such weight, pay beside others, as a column."""
        weights: Floats = np.where(entries > 0.0, entries, 1.0)[:, None] ** self.power / self.mean
        return weights

    def step(self, h: Floats, v: Floats, lam: float) -> Floats:
        """Return the minimiser in one element where v > 0, the paper's rule for either loss."""
        if self.is_square:
            best = h / (v + lam)
        else:
            best = np.sign(h) * np.maximum(np.abs(h) - 0.5 * lam, 0.0) / v
        return np.maximum(best, 0.0) if self.nonnegative else best

    def slope(self, rows: Floats) -> Floats:
        """Return half the slope of the penalty at rows, at a zero of either loss 0."""
        return self.lam * rows if self.is_square else 0.5 * self.lam * np.sign(rows)


def settle(
    outer: Floats, cross: Floats, rows: Floats, free: NDArray[np.bool_], penalty: Penalty
) -> Floats:
    """Return the rows of least loss, from V, b, a start, and which elements may move.

    Sweeps of coordinate steps find out which elements are zero, and which signs the others have;
    now and then a row leaps to its best with these, for steps alone crawl where deltas are alike.
    An element of which no entry says anything (v = 0) stays where it starts.

    Examples
    --------
    >>> import numpy as np
    >>> V, b = np.array([[[2.0, 0.0], [0.0, 1.0]]]), np.array([[5.0, 9.0]])
    >>> penalty = Penalty("lf", np.array([0.5, 0.5]), nonnegative=False)
    >>> settle(V, b, np.zeros((1, 2)), np.ones((1, 2), dtype=bool), penalty).tolist()
    [[2.0, 6.0]]
    """
    rows = rows.copy()
    free = free & (np.einsum("ijj->ij", outer) > 0.0)
    active = np.arange(len(rows))
    for sweep in range(1, MAX_SWEEPS + 1):
        V, b, a, may = outer[active], cross[active], rows[active], free[active]
        before = a.copy()
        _sweep(V, b, a, may, penalty)
        moved = np.abs(a - before).max(axis=1) > SETTLED * np.abs(a).max(axis=1)
        if sweep % LEAP == 0:
            _leap(V, b, a, may, penalty)
        rows[active] = a
        active = active[moved]
        if not active.size:
            break
    return rows


def _sweep(V: Floats, b: Floats, a: Floats, free: NDArray[np.bool_], penalty: Penalty) -> None:
    """One step of each coordinate in turn, of all rows, in place."""
    for j, lam in enumerate(penalty.lam.tolist()):
        own = np.where(free[:, j], V[:, j, j], 1.0)
        h = b[:, j] - np.einsum("it,it->i", V[:, j], a) + V[:, j, j] * a[:, j]
        a[:, j] = np.where(free[:, j], penalty.step(h, own, lam), a[:, j])


def _leap(V: Floats, b: Floats, a: Floats, free: NDArray[np.bool_], penalty: Penalty) -> None:
    """Move each row, in place, to its best among those of the same zeros and signs, if it is one.

    Without a kink at zero all that is free may be anything; else zeros stay, and signs must.
    """
    smooth = penalty.is_square and not penalty.nonnegative
    chosen = free if smooth else free & (a != 0.0)
    matrix = np.where(chosen[:, :, None] & chosen[:, None, :], V, 0.0)
    diagonal = np.einsum("ijj->ij", matrix)  # a view
    diagonal += np.where(chosen, penalty.lam if penalty.is_square else 0.0, 1.0)
    right = b if penalty.is_square else b - penalty.slope(a)
    best = solved(matrix, np.where(chosen, right, 0.0))
    kept = np.isfinite(best) if smooth else best * a > 0.0  # False of NaN
    moves = chosen & (kept | ~chosen).all(axis=1, keepdims=True)
    a[moves] = best[moves]


def solved(matrix: Floats, right: Floats) -> Floats:
    """Solve symmetric systems, one per row, by elimination; NaN or infinite where one is singular.

    Not LAPACK, whose last bits may depend on the number of threads it finds.

    Examples
    --------
    >>> import numpy as np
    >>> solved(np.array([[[2.0, 1.0], [1.0, 3.0]]]), np.array([[4.0, 7.0]])).tolist()
    [[1.0, 2.0]]
    """
    matrix, x = matrix.copy(), right.copy()
    rank = x.shape[1]
    floor = SINGULAR * np.einsum("ijj->ij", matrix)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for j in range(rank):
            pivot = matrix[:, j, j]
            pivot[pivot <= floor[:, j]] = np.nan
            share = matrix[:, j + 1 :, j] / pivot[:, None]
            matrix[:, j + 1 :, j:] -= share[:, :, None] * matrix[:, None, j, j:]
            x[:, j + 1 :] -= share * x[:, j, None]
        for j in reversed(range(rank)):
            x[:, j] -= np.einsum("it,it->i", matrix[:, j, j + 1 :], x[:, j + 1 :])
            x[:, j] /= matrix[:, j, j]
    return x
