"""Entries to fit and entries to test on, chosen at random."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, SupportsIndex, cast

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.errors import OptionError
from vest_tucker.base.options import check_real, check_whole, generator
from vest_tucker.base.public import public
from vest_tucker.base.types import Coords, Flags
from vest_tucker.data.numbering import used_rows
from vest_tucker.data.tensor import SparseTensor, require_tensor


@public
def train_test_split(
    X: SparseTensor,
    test: float = 0.1,
    seed: int | np.random.Generator | None = 0,
    *,
    keep: Iterable[str | int] | Literal["all"] | None = None,
) -> tuple[SparseTensor, SparseTensor]:
    """Split the entries at random into some to fit and some to test on.

    Parameters
    ----------
    X : SparseTensor
        All entries.
    test : float or int
        How many to hold out: a share below 1, rounded to whole entries, or a number of them.
    seed : int, numpy.random.Generator or None
        The same seed gives the same split.
    keep : sequence of modes or "all", optional
        Modes of which every row that has an entry keeps at least one in training, because a model
        knows nothing of rows without entries. One entry per row is set aside at random; the test
        entries are drawn from the rest.

    Returns
    -------
    train, test : SparseTensor
        Both with the shape and the labels of ``X``, and their entries in its order.

    Examples
    --------
    >>> import vest_tucker as vt
    >>> X, _ = vt.datasets.synthetic((50, 40, 30), ranks=3, nnz=2000, seed=1)
    >>> train, test = vt.train_test_split(X, test=0.1, keep="all")
    >>> train.nnz, test.nnz, train.shape == test.shape == X.shape
    (1800, 200, True)
    """
    require_tensor(X, "train_test_split")
    size = _test_size(test, X.nnz)
    order = generator(seed).permutation(X.nnz)
    modes = _modes(X, keep)
    free = order
    if modes:
        free = order[~set_aside(X.coords, X.shape, modes, order)[order]]
    if size > len(free):
        raise OptionError(
            f"{size:,} of {X.nnz:,} entries are to be held out, but only {len(free):,} can be if "
            f"every row of {', '.join(repr(X.modes[mode]) for mode in modes)} is to keep one; "
            f"lower test, or keep fewer modes"
        )
    held_out = np.zeros(X.nnz, dtype=bool)
    held_out[free[:size]] = True
    return X.subset(~held_out), X.subset(held_out)


def set_aside(
    coords: Coords, shape: Sequence[int], modes: Sequence[int], order: NDArray[np.int64]
) -> Flags:
    """Mark entries so that every row of some modes that has any entry has a marked one.

    For each row that is the first of its entries in ``order``, unless an entry of the row is
    already marked for another mode.

    Examples
    --------
    >>> coords = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32)
    >>> set_aside(coords, (2, 2), [0, 1], np.arange(3)).tolist()
    [True, False, True]
    """
    marked = np.zeros(len(coords), dtype=bool)
    backwards = order[::-1]
    for mode in modes:
        _, places, total = used_rows(coords[:, mode], shape[mode])
        first = np.full(total, -1)
        first[places[backwards]] = backwards  # of several entries of a row, the last one stays
        first[places[marked]] = -1
        marked[first[first >= 0]] = True
    return marked


def _test_size(test: float, nnz: int) -> int:
    if isinstance(test, SupportsIndex):
        size = check_whole("test", cast(int, test), at_least=1)
    elif check_real("test", test, above=True) < 1.0:
        size = round(test * nnz)
    else:
        raise OptionError(f"test is {test!r}; choose a share below 1, or a whole number of entries")
    if not 0 < size < nnz:
        raise OptionError(
            f"test is {test!r}, which makes {size:,} of {nnz:,} entries; both parts need at least "
            f"one entry"
        )
    return size


def _modes(X: SparseTensor, keep: Iterable[str | int] | str | None) -> list[int]:
    if keep is None:
        return []
    if isinstance(keep, str):
        if keep != "all":
            raise OptionError(f'keep is {keep!r}; choose "all", or a list of modes as [{keep!r}]')
        return list(range(X.order))
    try:
        modes = list(keep)
    except TypeError:
        raise OptionError(f'keep is {keep!r}; choose "all", or a list of modes') from None
    return [X.mode_labels.number(mode) for mode in modes]
