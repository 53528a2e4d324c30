"""What a model remembers of entries that are gone: the average of delta delta^T over its cells.

delta of a cell is the core contracted with the cell's rows of all modes but one; a row a of that
mode predicts delta . a. The sums V of delta delta^T over the entries of a row are gone with the
entries, so their number times this average stands for them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vest_tucker.base.types import Counts, Floats


def average_outer(
    core: Floats, factors: Sequence[Floats], counts: Sequence[Counts | Floats], mode: int
) -> Floats:
    """Return C, the average of delta delta^T over cells whose rows are as frequent as ``counts``.

    With M_m the second moments of the rows of mode m, each as often as it has entries, and G_(n)
    the core unfolded, that is G_(n) (kron of M_m, m != n) G_(n)^T: no cell is looked at.

    Examples
    --------
    >>> import numpy as np
    >>> core, factors = np.array([[2.0]]), [np.ones((2, 1)), np.array([[1.0], [3.0]])]
    >>> average_outer(core, factors, [np.array([1, 1]), np.array([1, 1])], 0).tolist()
    [[20.0]]
    """
    weighed = core
    for other, (factor, n) in enumerate(zip(factors, counts, strict=True)):
        if other != mode:
            shares = n / (float(n.sum()) or 1.0)
            moments = np.einsum("i,ij,ik->jk", shares, factor, factor)
            first = np.moveaxis(weighed, other, 0)
            after = np.einsum("jk,kr->jr", moments, first.reshape(len(moments), -1))
            weighed = np.moveaxis(after.reshape(first.shape), 0, other)
    unfolded, after = (
        np.moveaxis(array, mode, 0).reshape(core.shape[mode], -1) for array in (core, weighed)
    )
    average = np.einsum("jr,kr->jk", unfolded, after)
    return np.asarray(0.5 * (average + average.T))
