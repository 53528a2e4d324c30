"""One form for all models that predict the same: factors and core of one scale, nothing doubled.

Between updates it costs next to nothing and lets them go much further: components of equal size
that are not alike do not stand in each other's way, and the penalty weighs on all of them alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from vest_tucker.base.types import Floats
from vest_tucker.fitting.basis.change import gram, turn_core, turn_rows, unfolded_gram

NEGLIGIBLE = 1e-12  # relative to the largest square of a factor's components
NOTHING = 1e-200  # of which shares would underflow


def make_canonical(
    core: Floats,
    factors: Sequence[Floats],
    shares: Sequence[Floats],
    spread: float,
    modes: Iterable[int] | None = None,
) -> None:
    """Change the basis of these modes, by default of all, in place; predictions stay the same.

    Then each such factor has A' diag(p) A = spread^2 I, where p is the share of all entries that a
    row has, so that over the entries its components have the root mean square ``spread`` and are
    uncorrelated. The slices of the core along such a mode are orthogonal, the largest first.

    Examples
    --------
    >>> core, factors = np.array([[3.0]]), [np.array([[2.0], [2.0]]), np.array([[10.0]])]
    >>> make_canonical(core, factors, [np.array([0.5, 0.5]), np.array([1.0])], spread=1.0)
    >>> core.tolist(), factors[0].tolist(), factors[1].tolist()
    ([[60.0]], [[1.0], [1.0]], [[1.0]])
    """
    turns: dict[int, Floats] = {}
    for mode in range(core.ndim) if modes is None else modes:
        squares, axes = np.linalg.eigh(gram(factors[mode], shares[mode]))
        if squares[-1] <= NOTHING:
            continue
        sizes = np.sqrt(np.maximum(squares, NEGLIGIBLE * squares[-1])) / spread
        turns[mode] = axes / sizes
        turn_core(core, mode, (axes * sizes).T)
    for mode, turn in turns.items():
        axes = np.linalg.eigh(unfolded_gram(core, mode))[1][:, ::-1]
        turn_core(core, mode, axes.T)
        turn_rows(factors[mode], np.einsum("ij,jk->ik", turn, axes))
