"""Which rows of a mode are shown, and in which order: a budget, and modes that have an order.

Hours, years and dates come in their own order and say most as a profile; people and dishes come
strongest first. What has an order is decided in ``reading/ordinals.py``, unless the caller knows
better.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vest_tucker.base.options import check_flag
from vest_tucker.base.types import Floats
from vest_tucker.data.labels import ModeLabels
from vest_tucker.reading.ordinals import ranks_of

BUDGET = 40  # labelled rows of a picture

Rows = NDArray[np.intp]


def rows_in_order(
    named: ModeLabels, mode: int, dim: int, ordered: bool | None = None
) -> Rows | None:
    """Return the rows of a mode in the order of their labels; None if these have none.

    ``ordered`` says whether they have; labels that are neither numbers nor dates then stay in the
    order of the rows.

    Examples
    --------
    >>> named = ModeLabels(2, ["dish", "hour"], [["tea", "rye"], [9, 7, 8]])
    >>> rows_in_order(named, 0, 2), rows_in_order(named, 1, 3).tolist()
    (None, [1, 2, 0])
    >>> rows_in_order(named, 0, 2, ordered=True).tolist()
    [0, 1]
    """
    if ordered is not None and not check_flag("ordered", ordered):
        return None
    ranks = ranks_of(named.decode(mode, np.arange(dim)))
    if ranks is None:
        return np.arange(dim) if ordered else None
    return np.argsort(ranks, kind="stable")


def strongest_rows(strengths: Floats, n: int) -> Rows:
    """Return up to ``n`` rows of the largest strengths, zeros left out, the strongest first."""
    order = np.argsort(-strengths, kind="stable")[:n]
    return order[strengths[order] > 0.0]


def of_all(shown: int, total: int, what: str = "") -> str:
    """Return what a picture shows of all, or nothing if it shows all.

    Examples
    --------
    >>> of_all(40, 6040, "users"), of_all(3, 3)
    ('40 of 6,040 users shown', '')
    """
    if shown >= total:
        return ""
    return " ".join(f"{shown:,} of {total:,} {what} shown".split())


def name_of_axis(name: str, shown: int, total: int) -> str:
    """Return the name of a mode for an axis, with what is shown of it.

    Examples
    --------
    >>> name_of_axis("user", 40, 6040), name_of_axis("user", 40, 40)
    ('user (40 of 6,040 shown)', 'user')
    """
    part = of_all(shown, total)
    return f"{name} ({part})" if part else name
