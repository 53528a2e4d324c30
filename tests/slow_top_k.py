"""The best rows for each query in plain NumPy: the slow twin of the kernel."""

from __future__ import annotations

import numpy as np

from vest_tucker.base.types import Counts, Floats, Indices


def slow_top_k(
    queries: Floats, items: Floats, offsets: Floats, k: int, indptr: Counts, excluded: Indices,
    *, threads: int = 0,
) -> tuple[Indices, Floats]:  # fmt: skip
    """Sort all scores of each query; ties go to the first item."""
    found = np.full((len(queries), k), -1, dtype=np.int32)
    scores = np.full((len(queries), k), np.nan)
    for row, query in enumerate(queries):
        every = items @ query + (offsets if offsets.size else 0.0)
        allowed = np.ones(len(items), dtype=bool)
        allowed[excluded[indptr[row] : indptr[row + 1]]] = False
        order = np.argsort(-every, kind="stable")
        order = order[allowed[order]][:k]
        found[row, : len(order)] = order
        scores[row, : len(order)] = every[order]
    return found, scores
