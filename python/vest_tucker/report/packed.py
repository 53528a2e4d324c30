"""Arrays inside of a page: the bytes of little-endian numbers, in base64.

Values keep all of their 64 bits, so that what the page computes from them is what `predict` says.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vest_tucker.base.types import Floats


def packed(array: ArrayLike, kind: str) -> str:
    """Return numbers as base64; ``kind`` is one of "f8", "f4", "u4", "u2" and "u1".

    Examples
    --------
    >>> packed([1, 2, 258], "u2")
    'AQACAAIB'
    """
    return base64.b64encode(np.ascontiguousarray(array, dtype=f"<{kind}").tobytes()).decode()


def index_kind(largest: int) -> str:
    """Return the smallest kind of whole number that holds all up to ``largest``.

    Examples
    --------
    >>> index_kind(255), index_kind(256)
    ('u1', 'u2')
    """
    return next(kind for kind, bits in (("u1", 8), ("u2", 16), ("u4", 32)) if largest < 1 << bits)


def sparse_rows(
    factor: Floats, rows: NDArray[np.intp], variance: Floats | None = None
) -> dict[str, Any]:
    """Return the non-zero elements of some rows: where each row begins, columns and values.

    With variances there are standard errors, too, of 32 bits each: they are only drawn.

    Examples
    --------
    >>> import numpy as np
    >>> sorted(sparse_rows(np.array([[0.0, 2.0], [0.0, 0.0]]), np.array([0, 1])))
    ['begins', 'column_kind', 'columns', 'values']
    """
    some = factor[rows]
    where = np.nonzero(some)
    begins = np.concatenate([[0], np.cumsum(np.count_nonzero(some, axis=1))])
    kind = index_kind(factor.shape[1])
    stored: dict[str, Any] = {
        "begins": packed(begins, "u4"),
        "columns": packed(where[1], kind),
        "column_kind": kind,
        "values": packed(some[where], "f8"),
    }
    if variance is not None:
        stored["errors"] = packed(np.sqrt(variance[rows][where]), "f4")
    return stored
