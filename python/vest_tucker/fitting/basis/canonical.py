"""The canonical form of a model: factors with uncorrelated columns of equal size.

Taken between updates it costs next to nothing, and each update gets much further: uncorrelated
components do not stand in each other's way, and the penalty weighs on all of them alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.fitting.basis.change import gram, turn_core, turn_rows, unfolded_gram

NEGLIGIBLE = 1e-12  # smaller squared singular values, relative to the largest, count as this
NOTHING = 1e-200  # a factor whose largest squared singular value is below this counts as zero


def make_canonical(
    core: Floats,
    factors: Sequence[Floats],
    shares: Sequence[Floats],
    size: float,
    modes: Iterable[int] | None = None,
) -> None:
    """Change the basis of these modes, by default of all, in place; predictions stay the same.

    Then each such factor has A' diag(p) A = size^2 I, where p is the share of all entries that a
    row has, so that over the entries its components have the root mean square ``size`` and are
    uncorrelated. The slices of the core along such a mode are orthogonal, the largest first.

    Examples
    --------
    >>> core, factors = np.array([[3.0]]), [np.array([[2.0], [2.0]]), np.array([[10.0]])]
    >>> make_canonical(core, factors, [np.array([0.5, 0.5]), np.array([1.0])], size=1.0)
    >>> core.tolist(), factors[0].tolist(), factors[1].tolist()
    ([[60.0]], [[1.0], [1.0]], [[1.0]])
    """
    turns: dict[int, Floats] = {}
    for mode in range(core.ndim) if modes is None else modes:
        squares, axes = np.linalg.eigh(gram(factors[mode], shares[mode]))
        if squares[-1] <= NOTHING:
            continue
        sizes = np.sqrt(np.maximum(squares, NEGLIGIBLE * squares[-1])) / size
        turns[mode] = axes / sizes
        turn_core(core, mode, (axes * sizes).T)
    for mode, turn in turns.items():
        axes = np.linalg.eigh(unfolded_gram(core, mode))[1][:, ::-1]
        turn_core(core, mode, axes.T)
        turn_rows(factors[mode], np.einsum("ij,jk->ik", turn, axes))
